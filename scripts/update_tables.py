#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of docs/performance.md and of bench/studies/*/README.md, between <!-- NAME --> and <!-- /NAME --> lines.

Any page of the project may hold the marks of a table; every page that does gets it.

FOLDER holds what scripts/measure.sh leaves there: bench.json (pegrasp_bench --json), solver_NAME_BENCHMARK.json (the same
of one benchmark with --solver NAME), scaling_BENCHMARK_THREADS.json and lint_ptx.txt (the output of scripts/lint_ptx.py); or what scripts/reference_tables.sh does: reference.json
(pegrasp_mcp_bench --json), reference_studies.json (pegrasp_reference_studies --json) and reference_path.json (pegrasp_mcp_bench --beside --json). Tables whose file is missing stay as they are.

usage: scripts/update_tables.py FOLDER
"""

import argparse
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = sorted({ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/**/README.md")})
SOLVERS = ["newton", "aj", "nncg", "pgs", "jacobi"]
ABOUT = {
    "gear_step": "gear grasp, one core",
    "gear_map": "gear grasp, 100,800 trials",
    "pile_20": "20 polygons poured into a box, mu 0.25",
    "stack_10": "stack of 10 boxes, mu 0.25",
    "space_box": "10 polyhedra dropped into a box, in 3D, mu 0.3",
    "space_stack": "stack of 10 boxes in 3D, mu 0.3",
    "space_lift": "two jaws lift a block, in 3D, mu 0.5",
    "space_arm": "an arm from URDF carries a block, in 3D",
    "lift_trials": "trials of the lift map, in 3D",
}


def table(head, rows):
    """head: column titles; those that begin with '>' are right-aligned."""
    lines = ["| " + " | ".join(title.lstrip(">") for title in head) + " |"]
    lines.append("|" + "|".join("---:" if title.startswith(">") else "---" for title in head) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def on_what(run):
    """Which build measured it, on what: one line."""
    build = run["pegrasp"]
    devices = sorted({b["device"] for b in run["benchmarks"] if b["backend"] == "cuda"})
    hardware = ", ".join(devices) or f'{run["hardware"]["processor"]}, {run["hardware"]["cores"]} cores'
    version = " ".join(part for part in (build["version"], build["git"]) if part)
    return f'{hardware}; {build["compiler"]} {build["build_type"]}, {run["arithmetic"]} arithmetic; pegrasp {version}, {run["date"][:10]}.'


def count(value):
    return f"{value:,.0f}"


def measured(run):
    rows = []
    for b in run["benchmarks"]:
        cores = "device" if b["backend"] == "cuda" else str(b["threads"])
        rows.append([ABOUT.get(b["name"], b["name"]), cores, f'{1e3 * b["h_s"]:g} ms', count(b["scenes"]), f'{b["wall_min_s"]:.2f} s',
                     count(b["scene_steps_per_s"]), f'{b["us_per_scene_step"]:.1f} µs', str(b["unresolved"])])
    head = ["what", ">threads", ">h", ">scenes", ">time", ">scene-steps/s", ">a scene-step on one core", ">unresolved"]
    return table(head, rows) + "\n\n" + on_what(run)


def phases(run):
    timed = [b for b in run["benchmarks"] if "phases_us" in b]
    if not timed:
        return None
    names = list(max((b["phases_us"] for b in timed), key=len))  # in 3D islands come on top
    rows = [[ABOUT.get(b["name"], b["name"])] + [f'{b["phases_us"][name]:.2f}' if name in b["phases_us"] else "" for name in names] +
            [f'{b["contacts_mean"]:.1f}', f'{b["solves_per_step"]:.2f}', f'{b["iterations_per_solve"]:.1f}'] for b in timed]
    head = ["µs a scene-step in"] + [">" + name for name in names] + [">contacts", ">solves a step", ">iterations a solve"]
    return table(head, rows) + "\n\n" + on_what(run)


def solvers(runs):
    """runs: (solver, measurements) pairs."""
    rows = []
    for name, run in runs:
        for b in run["benchmarks"]:
            rows.append([ABOUT.get(b["name"], b["name"]), f"`{name}`", f'{b["iterations_per_solve"]:.1f}',
                         f'{b["us_per_scene_step"]:.0f}', f'{b["unresolved"]} of {b["scenes"]}', f'{b["residual_max_m_s"]:.0e}'])
    rows.sort(key=lambda row: list(ABOUT.values()).index(row[0]) if row[0] in ABOUT.values() else len(ABOUT))
    head = ["what", "solver", ">iterations a solve", ">µs a scene-step", ">unresolved scenes", ">worst residual [m/s]"]
    return table(head, rows) + "\n\n" + on_what(runs[0][1])


def scaling(runs):
    rates = {}
    for run in runs:
        for b in run["benchmarks"]:
            rates.setdefault(b["name"], {})[b["threads"]] = (b["scenes"], b["scene_steps_per_s"])
    rows = [[ABOUT[name], f"{scenes:,}", str(threads), f"{rate:,.0f}", f"{rate / (threads * by_threads[1][1]):.2f}"]
            for name, by_threads in sorted(rates.items()) for threads, (scenes, rate) in sorted(by_threads.items()) if 1 in by_threads]
    head = ["what", ">scenes", ">threads", ">scene-steps/s", ">of threads times the rate of one"]
    return table(head, rows) + "\n\n" + on_what(runs[0])


STUB = re.compile(r"`(cuda_scenes|sparse_cuda|batched)(?:_(\d+))?_(strict|fast|spatial_fast|spatial)\.cu`")


def kernel_names(text):
    """Names of the stubs that CMake generates, in words."""
    def words(m):
        dimension, arithmetic = ("3D" if "spatial" in m[3] else "2D"), ("fast" if "fast" in m[3] else "strict")
        team = f'per-scene, {m[2]} {"lane" if m[2] == "1" else "lanes"}' if m[2] else "batched"
        return f"{team}, {dimension}, {arithmetic}"
    return STUB.sub(words, text).replace("`cuda_samples.cu`", "sampling")


def ptx(text):
    line = re.compile(r"^(\S+): +(?:(\d+) registers|device), +(\d+) bytes stack, spills (\d+)/(\d+) +(.*)$", re.M)
    files = {}
    for m in line.finditer(text):
        if m[2]:
            files.setdefault(m[1], []).append([int(m[i]) for i in (2, 3, 4, 5)])
    if not files:
        return None
    rows = []
    for name, kernels in files.items():
        most = [max(column) for column in zip(*kernels)]
        rows.append([f"`{name}`", str(len(kernels)), str(most[0]), str(most[1]), f"{most[2]} / {most[3]}"])
    return table(["kernels of", ">number", ">registers a thread, at most", ">stack [bytes], at most", ">spill stores / loads [bytes]"], rows)


def quantile(values, p):
    """The value below which the share p of the values lies."""
    values = sorted(values)
    return values[min(int(p * len(values)), len(values) - 1)]


def solved_by(run):
    """Which build solved it, on what: one line. The solver has one thread; the clock counts its processor time."""
    version = " ".join(part for part in (run["version"], run["git"]) if part)
    return f'{run["processor"]}, one thread; {run["compiler"]} {run["build_type"]}; pegrasp {version}, {run["date"][:10]}.'


def verdicts(runs):
    """Cells for the problems of a row: how many there are and what became of them."""
    number = lambda *names: sum(r["verdict"] in names for r in runs)
    cells = [number("solved"), sum(r["tight"] for r in runs), number("sum", "rounded"), number("infeasible"), number("missed", "wrong")]
    residuals = [r["residual"] for r in runs if r["verdict"] in ("solved", "sum", "rounded")]
    return [str(len(runs))] + [str(c) if c else "" for c in cells] + [f"{max(residuals):.0e}" if residuals else ""]


def costs(runs):
    """Cells for what they cost: medians, and 90 % of the times."""
    per_pivot = [1e6 * r["pivot_seconds"] / r["pivots"] for r in runs if r["pivots"] > 0]
    times = [1e3 * r["seconds"] for r in runs]
    return [f'{quantile([r["pivots"] for r in runs], 0.5):.0f}', f"{statistics.median(per_pivot):.2f}" if per_pivot else "",
            f"{quantile(times, 0.5):.2f}", f"{quantile(times, 0.9):.2f}"]


VERDICTS = [">runs", ">solved", ">1e-12", ">to rounding", ">infeasible", ">not solved", ">residual"]
COSTS = [">pivots", ">µs a pivot", ">ms", ">ms, 90 %"]
NO_COSTS = [""] * len(COSTS)


def groups(runs, key):
    """(key, runs) in the order in which the keys first come up."""
    found = {}
    for r in runs:
        found.setdefault(key(r), []).append(r)
    return found.items()


# Families of tests/reference/problems/ by kind; what is in none of the lists counts as random.
KINDS = {
    "literature": "kojima billups mathiesen nash kanzow traffic box_programs programs choi pies scarf von_thunen",
    "continuum": "obstacle obstacle_large bearing bratu lubrication",
    "hard for pivoting": "exponential cycling degenerate bimatrix",
    "random, with structure": "definite p_matrix harker_pang copositive semidefinite m_matrix m_matrix_large box_quadratic "
                              "linear_program quadratic_program ill_conditioned ill_scaled monotone_mixed",
    "random, without": "general general_mixed box_general",
    "without a solution": "infeasible not_complementary",
}


def kind_of(run):
    return next((kind for kind, families in KINDS.items() if run["family"] in families.split()), "random, without")


def problem_sets(run):
    runs = [r for r in run["runs"] if "form" not in r]
    if not runs:
        return None
    rows = []
    for kind, members in list(groups(runs, kind_of)) + [("all", runs)]:
        sizes = sorted({r["n"] for r in members})
        n = f"{sizes[0]}-{sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
        rows.append([kind, n] + verdicts(members) + (costs(members) if kind == "all" else NO_COSTS))
    return table(["problems", ">n"] + VERDICTS + COSTS, rows) + "\n\n" + solved_by(run)


FORMS = ["lcp", "mixed", "quadratic, cold", "quadratic"]


def contact_steps(run):
    """By constraint sets, over all forms and frictions; and by form, over all sets."""
    runs = [r for r in run["runs"] if "form" in r]
    if not runs:
        return None
    rows = [[family] + verdicts(members) + NO_COSTS for family, members in groups(runs, lambda r: r["family"].rsplit(", mu", 1)[0])]
    for form in FORMS:
        some = [r for r in runs if r["form"] == form]
        if some:
            rows.append([f"all, {form}"] + verdicts(some) + costs(some))
    return table(["sets"] + VERDICTS + COSTS, rows) + "\n\n" + solved_by(run)


def beside(run):
    """PATH beside ours: sets by family, steps with contact by model, form and size."""
    def cells(runs):
        ours, path = [r["ours"] for r in runs], [r["path"] for r in runs]
        sizes = sorted({r["n"] for r in runs})
        counts = [sum(o["solved"] for o in ours), sum(o["infeasible"] for o in ours), sum(p["solved"] for p in path),
                  sum(r["ours"]["solved"] and not r["path"]["solved"] for r in runs),
                  sum(r["path"]["solved"] and not r["ours"]["solved"] for r in runs)]
        times = [[1e3 * one["seconds"] for one in some] for some in (ours, path)]
        return ([f"{sizes[0]}-{sizes[-1]}" if len(sizes) > 1 else str(sizes[0]), str(len(runs))] + [str(c) if c else "" for c in counts] +
                [f"{quantile(t, p):.3f}" for t in times for p in (0.5, 0.9)])

    runs = run["runs"]
    if not runs:
        return None
    steps = [r for r in runs if "form" in r]
    sets = [r for r in runs if "form" not in r]
    rows = [["problem sets"] + cells(sets)] if sets else []
    for form in FORMS:
        if some := [r for r in steps if r["form"] == form]:
            rows.append([f"all steps, {form}"] + cells(some))
    head = ["problems", ">n", ">number", ">solved", ">shown infeasible", ">PATH: solved", ">ours only", ">PATH only",
            ">ms", ">90 %", ">PATH: ms", ">90 %"]
    return table(head, rows) + f'\n\nBeside {run["path"]}. ' + solved_by(run)


DIRECTIONS = ["4", "8", "16", "32", "64"]


def directions(study):
    """The study's rows (steps, form, directions, n, solved, pivots, µs), with a column for each number of directions."""
    rows = {}
    for steps, form, number, _, _, _, time in study["rows"]:
        if "3 contacts" in steps:
            continue  # as the tripod
        rows.setdefault((steps, form), {})[number] = time
    def cells(by_number):
        return [by_number.get(number, "") for number in DIRECTIONS] + [by_number.get("", "")]
    return table(["steps", "form"] + [f">{number}" for number in DIRECTIONS] + [">no pyramid"],
                 [[steps.replace("in space", "in 3D"), form] + cells(by_number) for (steps, form), by_number in rows.items()])


def pyramids(error, drift):
    """Both studies by the number of directions."""
    drifts = {row[0]: row for row in drift["rows"]}
    rows = [row + drifts[row[0]][1:] for row in error["rows"] if row[0] in drifts and row[0] in DIRECTIONS]
    return table([f">{title}" for title in error["head"] + drift["head"][1:]], rows).replace(">>", "")


def fill(name, content):
    """Replaces the part between the marks in every page that has them."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
    pages = [page for page in PAGES if pattern.search(page.read_text())]
    if not pages:
        print(f"no page has the marks <!-- {name} --> and <!-- /{name} -->: this table is left out")
    for page in pages:
        before = page.read_text()
        after = pattern.sub(lambda match: match[1] + kernel_names(content) + "\n" + match[2], before)
        if after != before:
            page.write_text(after)
            print(f"{page.relative_to(ROOT)}: {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="where scripts/measure.sh or scripts/reference_tables.sh left its results")
    folder = parser.parse_args().folder
    if not folder.is_dir():
        sys.exit(f"update_tables: {folder} is not a folder; scripts/measure.sh makes one")
    bench = folder / "bench.json"
    if bench.exists():
        run = json.loads(bench.read_text())
        fill("measured", measured(run))
        if split := phases(run):
            fill("phases", split)
    runs = [(s, json.loads(file.read_text())) for s in SOLVERS for file in sorted(folder.glob(f"solver_{s}_*.json"))]
    if runs:
        fill("solvers", solvers(runs))
    runs = [json.loads(file.read_text()) for file in sorted(folder.glob("scaling_*.json"))]
    if runs:
        fill("scaling", scaling(runs))
    reference = folder / "reference.json"
    if reference.exists():
        run = json.loads(reference.read_text())
        for name, make in {"reference_sets": problem_sets, "reference_contact": contact_steps}.items():
            if content := make(run):
                fill(name, content)
    path = folder / "reference_path.json"
    if path.exists() and (content := beside(json.loads(path.read_text()))):
        fill("path_beside", content)
    studies = folder / "reference_studies.json"
    if studies.exists():
        run = json.loads(studies.read_text())
        found = run["studies"]
        if "step_times" in found:
            times = found["step_times"]
            enough = [row for row in times["rows"] if int(row[2].replace(",", "")) >= 15]
            fill("study_step_times", table(times["head"], enough) + "\n\n" + solved_by(run))
        if "crossing" in found:
            fill("study_crossing", table(found["crossing"]["head"], found["crossing"]["rows"]))
        if "direction_times" in found:
            fill("study_direction_times", directions(found["direction_times"]) + "\n\n" + solved_by(run))
        if "pyramid_error" in found and "pyramid_drift" in found:
            fill("study_pyramids", pyramids(found["pyramid_error"], found["pyramid_drift"]))
    lint = folder / "lint_ptx.txt"
    if lint.exists() and (facts := ptx(lint.read_text())):
        fill("ptx", facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of README.md and of pages in docs/ from measurements, between <!-- NAME --> and <!-- /NAME --> lines.

FOLDER holds what scripts/measure.sh leaves there: bench.json (pegrasp_bench --json), solver_NAME_BENCHMARK.json (the same
of one benchmark with --solver NAME), scaling_BENCHMARK_THREADS.json and lint_ptx.txt (the output of scripts/lint_ptx.py); or what scripts/reference_tables.sh does: reference.json
(pegrasp_reference --json), reference_studies.json (pegrasp_reference_studies --json) and reference_path.json (pegrasp_reference --beside --json). Tables whose file is missing stay as they are.

usage: scripts/update_tables.py FOLDER
"""

import argparse
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/performance.md", "docs/reference.md", "docs/reference-formulations.md",
         "docs/scale.md", "docs/space.md"]
SOLVERS = ["newton", "aj", "nncg", "pgs", "jacobi"]
ABOUT = {
    "gear_step": "gear grasp, one core",
    "gear_map": "gear grasp, 100,800 trials",
    "pile_20": "20 polygons poured into a box, mu 0.25",
    "stack_10": "stack of 10 boxes, mu 0.25",
    "space_box": "10 polyhedra dropped into a box, in space, mu 0.3",
    "space_stack": "stack of 10 boxes in space, mu 0.3",
    "space_lift": "two jaws lift a block, in space, mu 0.5",
    "space_arm": "an arm from URDF carries a block, in space",
    "lift_trials": "trials of the lift map, in space",
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
    names = list(max((b["phases_us"] for b in timed), key=len))  # in space islands come on top
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
    return f'{run["processor"]}, one thread; {run["compiler"]} {run["build_type"]}; pegrasp {version}, {run["date"][:10]}. Times are processor time.'


def verdicts(runs):
    """Cells for the problems of a row: how many there are, what became of them, what it cost."""
    number = lambda *names: sum(r["verdict"] in names for r in runs)
    cells = [number("solved"), sum(r["tight"] for r in runs), number("sum"), number("rounded"), number("infeasible"), number("missed", "wrong")]
    per_pivot = [1e6 * r["pivot_seconds"] / r["pivots"] for r in runs if r["pivots"] > 0]
    residuals = [r["residual"] for r in runs if r["verdict"] in ("solved", "sum", "rounded")]
    times = [1e3 * r["seconds"] for r in runs]
    return ([str(len(runs))] + [str(c) if c else "" for c in cells] +
            [f'{quantile([r["pivots"] for r in runs], 0.5):.0f}', f"{statistics.median(per_pivot):.2f}" if per_pivot else "",
             f"{max(residuals):.0e}" if residuals else "", f"{quantile(times, 0.5):.2f}", f"{quantile(times, 0.9):.2f}"])


VERDICTS = [">runs", ">solved", ">1e-12", ">as a sum", ">to rounding", ">infeasible", ">not solved", ">pivots", ">µs a pivot", ">residual", ">ms", ">ms, 90 %"]


def groups(runs, key):
    """(key, runs) in the order in which the keys first come up."""
    found = {}
    for r in runs:
        found.setdefault(key(r), []).append(r)
    return found.items()


def problem_sets(run):
    runs = [r for r in run["runs"] if "form" not in r]
    if not runs:
        return None
    rows = []
    for family, members in list(groups(runs, lambda r: r["family"])) + [("all", runs)]:
        sizes = sorted({r["n"] for r in members})
        rows.append([family, f"{sizes[0]}-{sizes[-1]}" if len(sizes) > 1 else str(sizes[0])] + verdicts(members))
    return table(["family", ">n"] + VERDICTS, rows) + "\n\n" + solved_by(run)


TIMED_STUDIES = ["gear_steps", "step_times"]   # the pages do not say elsewhere on what these were measured
FORMS = ["lcp", "mixed", "quadratic, cold", "quadratic"]
SIZES = ["n <= 60", "61-150", "151-300", "> 300"]


def contact_steps(run):
    runs = [r for r in run["runs"] if "form" in r]
    if not runs:
        return None
    rows = []
    for family, members in groups(runs, lambda r: r["family"]):
        for (form, size), some in sorted(groups(members, lambda r: (r["form"], r["size"])), key=lambda g: (FORMS.index(g[0][0]), SIZES.index(g[0][1]))):
            rows.append([family, form, size.removeprefix("n ")] + verdicts(some))
    for form in FORMS:
        some = [r for r in runs if r["form"] == form]
        if some:
            rows.append(["all", form, ""] + verdicts(some))
    return table(["sets", "form", ">n"] + VERDICTS, rows) + "\n\n" + solved_by(run)


def contact_sizes(run):
    """How large the problems are, over all step sizes and frictions."""
    runs = [r for r in run["runs"] if r.get("form") in ("lcp", "mixed", "quadratic")]
    if not runs:
        return None
    rows = []
    for family, members in groups(runs, lambda r: r["family"]):
        row = [family]
        for form in ("lcp", "mixed", "quadratic"):
            n = [r["n"] for r in members if r["form"] == form]
            row.append(f"{quantile(n, 0.5)}, {max(n)}" if n else "")
        rows.append(row)
    return table(["sets", ">lcp: median, largest n", ">mixed", ">quadratic"], rows)


def pivot_times(run):
    """Time a pivot near n = 300, of problems with enough pivots that starting up does not count."""
    rows = []
    for low, high in ((240, 270), (285, 315), (320, 345)):
        for form in ("lcp", "mixed"):
            some = [r for r in run["runs"] if r.get("form") == form and low <= r["n"] <= high and r["pivots"] >= 50]
            if not some:
                continue
            times = [1e6 * r["pivot_seconds"] / r["pivots"] for r in some]
            rows.append([f"{low} to {high}", form, str(len(some)), f'{statistics.median(r["pivots"] for r in some):.0f}',
                         f"{statistics.median(times):.1f}", f"{quantile(times, 0.9):.1f}", f"{max(times):.1f}"])
    return table([">n", "form", ">problems", ">pivots", ">µs a pivot", ">90 %", ">largest"], rows) if rows else None


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
    rows = [[family] + cells(some) for family, some in groups([r for r in runs if "form" not in r], lambda r: r["family"])]
    steps = [r for r in runs if "form" in r]
    for family, members in groups(steps, lambda r: r["family"]):
        for (form, size), some in sorted(groups(members, lambda r: (r["form"], r["size"])), key=lambda g: (FORMS.index(g[0][0]), SIZES.index(g[0][1]))):
            rows.append([f"{family}, {form}"] + cells(some))
    for form in FORMS:
        if some := [r for r in steps if r["form"] == form]:
            rows.append([f"all steps, {form}"] + cells(some))
    head = ["problems", ">n", ">number", ">solved", ">shown infeasible", ">PATH: solved", ">ours only", ">PATH only",
            ">ms", ">90 %", ">PATH: ms", ">90 %"]
    return table(head, rows) + f'\n\nBeside {run["path"]}. ' + solved_by(run)


def unsolved(run):
    """By name; of the cold quadratic problems, which are many, how many ended how."""
    missed = [r for r in run["runs"] if r["verdict"] in ("missed", "wrong")]
    lines = []
    for r in missed:
        if r.get("form") == "quadratic, cold":
            continue
        residual = "none" if r["residual"] is None else f'{r["residual"]:.1e}'
        start = f', start {r["start"]}' if "form" not in r else ""
        where = "" if "form" in r else f'{r["family"]}: '
        wrong = "**wrong**, " if r["verdict"] == "wrong" else ""
        lines.append(f'- {where}{r["name"]}{start}: {wrong}{r["status"]}, residual {residual}')
    cold = [r for r in missed if r.get("form") == "quadratic, cold"]
    if cold:
        ends = ", ".join(f"{len(some)} {status}" for status, some in groups(cold, lambda r: r["status"]))
        near = sum(r["residual"] is not None and r["residual"] < 1e-6 for r in cold)
        lines.append(f"- quadratic problems from a cold start: {len(cold)} ({ends}), of which {near} end with a residual below 1e-6")
    return "\n".join(lines) if lines else "None."


def fill(name, content):
    """Replaces the part between the marks in every page that has them."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
    pages = [page for page in PAGES if pattern.search((ROOT / page).read_text())]
    if not pages:
        raise SystemExit(f"no page has the marks <!-- {name} --> and <!-- /{name} -->; put them where the table belongs")
    for page in pages:
        file = ROOT / page
        before = file.read_text()
        after = pattern.sub(lambda match: match[1] + content + "\n" + match[2], before)
        if after != before:
            file.write_text(after)
            print(f"{page}: {name}")


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
        makers = {"reference_sets": problem_sets, "reference_contact": contact_steps, "reference_sizes": contact_sizes,
                  "reference_pivots": pivot_times, "reference_unsolved": unsolved}
        for name, make in makers.items():
            if content := make(run):
                fill(name, content)
    path = folder / "reference_path.json"
    if path.exists() and (content := beside(json.loads(path.read_text()))):
        fill("path_beside", content)
    studies = folder / "reference_studies.json"
    if studies.exists():
        run = json.loads(studies.read_text())
        for name, study in run["studies"].items():
            measured_on = "\n\n" + solved_by(run) if name in TIMED_STUDIES else ""
            fill(f"study_{name}", table(study["head"], study["rows"]) + measured_on)
    lint = folder / "lint_ptx.txt"
    if lint.exists() and (facts := ptx(lint.read_text())):
        fill("ptx", facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())

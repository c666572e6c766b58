#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of bench/studies/thesis/README.md from the files that mcp_tables.sh leaves in a folder.

    bench/studies/thesis/mcp_tables.py FOLDER

The files are mcp.json (pegrasp_mcp_bench --json), mcp_beside_path.json (pegrasp_mcp_bench --beside --json) and
figures.json (pegrasp_thesis_figures --json). A table whose file is missing stays as it is.
"""

import argparse
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import update_tables  # noqa: E402
from update_tables import table  # noqa: E402


def quantile(values, p):
    """The value below which the share p of the values lies."""
    values = sorted(values)
    return values[min(int(p * len(values)), len(values) - 1)]


def solved_by(run):
    """One line with the build and the machine. The solver has one thread; times are its processor time."""
    version = " ".join(part for part in (run["version"], run["git"]) if part)
    build = f'{run["compiler"]} {run["build_type"]}'
    return f'{run["processor"]}, one thread; {build}; pegrasp {version}, {run["date"][:10]}.'


def verdicts(runs):
    """Cells of a row: the number of problems and of each result."""
    number = lambda *names: sum(r["verdict"] in names for r in runs)
    cells = [number("solved"), sum(r["tight"] for r in runs), number("sum", "rounded"), number("infeasible"),
             number("missed", "wrong")]
    residuals = [r["residual"] for r in runs if r["verdict"] in ("solved", "sum", "rounded")]
    return [str(len(runs))] + [str(c) if c else "" for c in cells] + [f"{max(residuals):.0e}" if residuals else ""]


def costs(runs):
    """Cells of a row: median costs, and the 90 % quantile of the times."""
    per_pivot = [1e6 * r["pivot_seconds"] / r["pivots"] for r in runs if r["pivots"] > 0]
    times = [1e3 * r["seconds"] for r in runs]
    return [f'{quantile([r["pivots"] for r in runs], 0.5):.0f}', f"{statistics.median(per_pivot):.2f}" if per_pivot
            else "",
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
    "random, with structure": "definite p_matrix harker_pang copositive semidefinite m_matrix m_matrix_large "
                              "box_quadratic "
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
    rows = [[family] + verdicts(members) + NO_COSTS for family,
            members in groups(runs, lambda r: r["family"].rsplit(", mu", 1)[0])]
    for form in FORMS:
        some = [r for r in runs if r["form"] == form]
        if some:
            rows.append([f"all, {form}"] + verdicts(some) + costs(some))
    return table(["sets"] + VERDICTS + COSTS, rows) + "\n\n" + solved_by(run)


def beside(run):
    """PATH and the MCP solver side by side: the problem sets, and the steps with contact by form."""
    def cells(runs):
        ours, path = [r["ours"] for r in runs], [r["path"] for r in runs]
        sizes = sorted({r["n"] for r in runs})
        counts = [sum(o["solved"] for o in ours), sum(o["infeasible"] for o in ours), sum(p["solved"] for p in path),
                  sum(r["ours"]["solved"] and not r["path"]["solved"] for r in runs),
                  sum(r["path"]["solved"] and not r["ours"]["solved"] for r in runs)]
        times = [[1e3 * one["seconds"] for one in some] for some in (ours, path)]
        size = f"{sizes[0]}-{sizes[-1]}" if len(sizes) > 1 else str(sizes[0])
        return ([size, str(len(runs))] + [str(c) if c else "" for c in counts] +
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
    """The study's rows (steps, form, directions, n, solved, pivots, µs), with a column for each number of
    directions."""
    rows = {}
    for steps, form, number, _, _, _, time in study["rows"]:
        if "3 contacts" in steps:
            continue  # as the tripod
        rows.setdefault((steps, form), {})[number] = time
    def cells(by_number):
        return [by_number.get(number, "") for number in DIRECTIONS] + [by_number.get("", "")]
    return table(["steps", "form"] + [f">{number}" for number in DIRECTIONS] + [">no pyramid"],
                 [[steps, form] + cells(by_number) for (steps, form), by_number in rows.items()])


def pyramids(error, drift):
    """Both studies by the number of directions."""
    drifts = {row[0]: row for row in drift["rows"]}
    rows = [row + drifts[row[0]][1:] for row in error["rows"] if row[0] in drifts and row[0] in DIRECTIONS]
    return table([f">{title}" for title in error["head"] + drift["head"][1:]], rows).replace(">>", "")


def fill_from(folder):
    """Fills the tables of the files that the folder has."""
    solver = folder / "mcp.json"
    if solver.exists():
        run = json.loads(solver.read_text())
        for name, make in {"reference_sets": problem_sets, "reference_contact": contact_steps}.items():
            if content := make(run):
                update_tables.fill(name, content)
    path = folder / "mcp_beside_path.json"
    if path.exists() and (content := beside(json.loads(path.read_text()))):
        update_tables.fill("path_beside", content)
    figures = folder / "figures.json"
    if figures.exists():
        fill_figures(json.loads(figures.read_text()))


def fill_figures(run):
    """Fills the tables of pegrasp_thesis_figures."""
    found = run["studies"]
    if "step_times" in found:
        times = found["step_times"]
        enough = [row for row in times["rows"] if int(row[2].replace(",", "")) >= 15]
        update_tables.fill("study_step_times", table(times["head"], enough) + "\n\n" + solved_by(run))
    if "crossing" in found:
        update_tables.fill("study_crossing", table(found["crossing"]["head"], found["crossing"]["rows"]))
    for name in ("literal_peg", "traps", "joint_correction"):
        if name in found:
            update_tables.fill(f"study_{name}", table(found[name]["head"], found[name]["rows"]))
    if "direction_times" in found:
        update_tables.fill("study_direction_times", directions(found["direction_times"]) + "\n\n" + solved_by(run))
    if "pyramid_error" in found and "pyramid_drift" in found:
        update_tables.fill("study_pyramids", pyramids(found["pyramid_error"], found["pyramid_drift"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where mcp_tables.sh left its results")
    folder = parser.parse_args().folder
    if not folder.is_dir():
        sys.exit(f"mcp_tables: {folder} is not a folder; mcp_tables.sh makes one")
    fill_from(folder)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of docs/performance.md and bench/studies/scaling/README.md from a file of bench/results/.

    scripts/update_tables.py bench/results/MACHINE.csv

A table stands between the lines <!-- NAME --> and <!-- /NAME -->. Every page with these lines gets the table. The
file's column `table` names the table of a row: measured (which also gives the table phases), solvers or scaling. A
table without rows stays as it is. The scripts of bench/studies/ use table() and fill() for tables of their own.
"""

import argparse
import csv
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = sorted({ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/**/*.md")})
SOLVERS = ["newton", "aj", "nncg", "pgs", "jacobi"]
PHASE = re.compile(r"phase_(\w+)_us")
ABOUT = {
    "gear_step": "gear grasp, one core",
    "gear_map": "gear grasp, 100,800 trials",
    "pile_20": "20 polygons poured into a box, mu 0.25",
    "stack_10": "stack of 10 boxes, mu 0.25",
    "box_3d": "10 polyhedra dropped into a box, in 3D, mu 0.3",
    "stack_3d": "stack of 10 boxes in 3D, mu 0.3",
    "lift_3d": "two jaws lift a block, in 3D, mu 0.5",
    "arm_3d": "an arm from URDF carries a block, in 3D",
    "lift_trials": "trials of the lift map, in 3D",
}


def table(head, rows):
    """A table in Markdown. head: column titles; those that begin with '>' are right-aligned."""
    lines = ["| " + " | ".join(title.lstrip(">") for title in head) + " |"]
    lines.append("|" + "|".join("---:" if title.startswith(">") else "---" for title in head) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def number(row, column):
    """A cell as a number."""
    return float(row[column])


def count(value):
    return f"{value:,.0f}"


def title_of(row):
    return ABOUT.get(row["benchmark"], row["benchmark"])


def on_what(rows):
    """One line with the machine and the build that measured the rows."""
    first = rows[0]
    hardware = ", ".join(sorted({row["device"] for row in rows if row["backend"] == "cuda"})) or first["hardware"]
    return (f'{hardware}; {first["compiler"]}, {first["arithmetic"]} arithmetic; '
            f'pegrasp {first["version"]} {first["revision"]}, {first["date"][:10]}.')


def measured(rows):
    """Throughput of all benchmarks."""
    lines = [[title_of(row), "device" if row["backend"] == "cuda" else row["threads"],
              f'{1e3 * number(row, "h_s"):g} ms',
              count(number(row, "scenes")), f'{number(row, "time_s"):.2f} s', count(number(row, "scene_steps_per_s")),
              f'{number(row, "us_per_scene_step"):.1f} µs', row["unresolved"]] for row in rows]
    head = ["what", ">threads", ">h", ">scenes", ">time", ">scene-steps/s", ">a scene-step on one core", ">unresolved"]
    return table(head, lines) + "\n\n" + on_what(rows)


def phases(rows):
    """Times of the phases of a step; None where none were measured."""
    timed = [row for row in rows if row["phase_solve_us"]]
    if not timed:
        return None
    names = [match[1] for column in timed[0] if (match := PHASE.fullmatch(column))]
    lines = [[title_of(row)] + [f"{float(cell):.2f}" if (cell := row[f"phase_{name}_us"]) else "" for name in names] +
             [f'{number(row, "contacts_mean"):.1f}', f'{number(row, "solves_per_step"):.2f}',
              f'{number(row, "iterations_per_solve"):.1f}'] for row in timed]
    head = ["µs a scene-step in"] + [">" + name for name in names]
    return table(head + [">contacts", ">solves a step", ">iterations a solve"], lines) + "\n\n" + on_what(rows)


def solvers(rows):
    """The same benchmarks with each solver."""
    order = list(ABOUT)
    rows = sorted(rows, key=lambda row: (order.index(row["benchmark"]), SOLVERS.index(row["solver"])))
    lines = [[title_of(row), f'`{row["solver"]}`', f'{number(row, "iterations_per_solve"):.1f}',
              f'{number(row, "us_per_scene_step"):.0f}', f'{row["unresolved"]} of {row["scenes"]}',
              f'{number(row, "residual_max_m_s"):.0e}'] for row in rows]
    head = ["what", "solver", ">iterations a solve", ">µs a scene-step", ">unresolved scenes", ">worst residual [m/s]"]
    return table(head, lines) + "\n\n" + on_what(rows)


def scaling(rows):
    """The same benchmarks with 1, 2, 4, ... threads."""
    one = {row["benchmark"]: number(row, "scene_steps_per_s") for row in rows if row["threads"] == "1"}
    rows = sorted((row for row in rows if row["benchmark"] in one),
                  key=lambda row: (row["benchmark"], int(row["threads"])))
    lines = []
    for row in rows:
        rate = number(row, "scene_steps_per_s")
        lines.append([title_of(row), count(number(row, "scenes")), row["threads"], count(rate),
                      f'{rate / (int(row["threads"]) * one[row["benchmark"]]):.2f}'])
    head = ["what", ">scenes", ">threads", ">scene-steps/s", ">of threads times the rate of one"]
    return table(head, lines) + "\n\n" + on_what(rows)


def wrapped(line):
    """A line of prose in lines of at most 100 columns; rows of tables stay whole."""
    return line if line.startswith("|") else textwrap.fill(line, 100, break_long_words=False, break_on_hyphens=False)


def fill(name, content):
    """Replaces the part between the marks in every page that has them."""
    content = "\n".join(wrapped(line) for line in content.split("\n"))
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
    pages = [page for page in PAGES if pattern.search(page.read_text())]
    if not pages:
        print(f"no page has the lines <!-- {name} --> and <!-- /{name} -->: this table is left out")
    for page in pages:
        before = page.read_text()
        after = pattern.sub(lambda match: match[1] + content + "\n" + match[2], before)
        if after != before:
            page.write_text(after)
            print(f"{page.relative_to(ROOT)}: {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, help="a machine's measurements, as scripts/measure.sh writes them")
    path = parser.parse_args().file
    if not path.is_file():
        sys.exit(f"update_tables: {path} is not a file; scripts/measure.sh makes one")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name, make in {"measured": measured, "solvers": solvers, "scaling": scaling}.items():
        if of_table := [row for row in rows if row["table"] == name]:
            fill(name, make(of_table))
    if split := phases([row for row in rows if row["table"] == "measured"]):
        fill("phases", split)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of README.md and docs/performance.md from measurements, between <!-- NAME --> and <!-- /NAME --> lines.

FOLDER holds what scripts/measure.sh leaves there: bench.json (pegrasp_bench --json), solver_NAME_BENCHMARK.json (the same
of one benchmark with --solver NAME) and lint_ptx.txt (the output of scripts/lint_ptx.py). Tables whose file is missing stay as they are.

usage: scripts/update_tables.py FOLDER
"""

import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/performance.md"]
SOLVERS = ["newton", "aj", "nncg", "pgs", "jacobi"]
ABOUT = {
    "gear_step": "gear grasp, one core",
    "gear_map": "gear grasp, 100,800 trials",
    "pile_20": "20 polygons poured into a box, mu 0.25",
    "stack_10": "stack of 10 boxes, mu 0.25",
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
    names = list(timed[0]["phases_us"])
    rows = [[ABOUT.get(b["name"], b["name"])] + [f'{b["phases_us"][name]:.2f}' for name in names] +
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


def ptx(text):
    line = re.compile(r"^(\S+): +(?:(\d+) registers|device), +(\d+) bytes stack, spills (\d+)/(\d+) +(.*)$", re.M)
    rows = [[f"`{m[1]}`", m[2], m[3], f"{m[4]} / {m[5]}"] for m in line.finditer(text) if m[2]]
    if not rows:
        return None
    return table(["kernel of", ">registers a thread", ">stack [bytes]", ">spill stores / loads [bytes]"], rows)


def fill(name, content):
    """Replaces the part between the marks in every page that has them."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
    for page in PAGES:
        file = ROOT / page
        before = file.read_text()
        after = pattern.sub(lambda match: match[1] + content + "\n" + match[2], before)
        if after != before:
            file.write_text(after)
            print(f"{page}: {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="where scripts/measure.sh left its results")
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
    lint = folder / "lint_ptx.txt"
    if lint.exists() and (facts := ptx(lint.read_text())):
        fill("ptx", facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())

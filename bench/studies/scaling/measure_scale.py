#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of a map in parts (simulating, bytes, joining) and extrapolates it to 10^9 trials.

    bench/studies/scaling/measure_scale.py [--program build/pegrasp] [--problem FILE] [--parts N]
                                           [--samples N] [--update]

Prints one table; --update puts it into bench/studies/scaling/README.md."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import update_tables  # noqa: E402


def run(*words):
    """The JSON that the program prints, and its peak memory [bytes]."""
    child = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, text=True)
    printed = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: exit code {child.returncode}")
    return json.loads(printed), used.ru_maxrss * 1024


def measure(program, problem, parts, samples):
    """The cost of one map."""
    with tempfile.TemporaryDirectory() as folder:
        made = [run(program, "map", problem, "--samples", samples, "--shard", f"{i}/{parts}", "--out", folder,
                    "--json")[0]
                for i in range(1, parts + 1)]
        merged, memory = run(program, "merge", folder, "--json", "--no-plot")
        trials = sum(part["trials"] for part in made)
        assert trials == merged["trials"]
        return {
            "trials": trials,
            "seconds": sum(part["simulating_s"] for part in made),
            "part_bytes": sum(os.path.getsize(part["file"]) for part in made),
            "map_bytes": os.path.getsize(pathlib.Path(folder) / "map.h5"),
            "join_seconds": merged["seconds"]["reading"] + merged["seconds"]["writing"],
            "memory": memory,
            "cells": merged["cells"],
            "device": made[0]["device"],
        }


def slopes(small, large):
    """The cost of one more trial. The difference of two maps leaves out what does not grow with a map."""
    trials = large["trials"] - small["trials"]
    slope = {name: (large[name] - small[name]) / trials
             for name in ("seconds", "part_bytes", "map_bytes", "join_seconds")}
    return slope | {name: large[name] for name in ("trials", "memory", "cells", "device")}


def table(problem, parts, m, info):
    billion = 1e9
    rows = [
        ("simulated", f"{1 / m['seconds']:,.0f} trials/s", f"{billion * m['seconds'] / 86400:.1f} days"),
        ("parts on disk", f"{m['part_bytes']:.0f} bytes a trial", f"{m['part_bytes']:.0f} GB"),
        ("`map.h5`", f"{m['map_bytes']:.0f} bytes a trial", f"{m['map_bytes']:.0f} GB"),
        ("joined", f"{1 / m['join_seconds']:,.0f} trials/s", f"{billion * m['join_seconds'] / 60:.0f} min"),
        ("memory of the join", f"{m['memory'] / 1e6:.0f} MB, the program and {m['cells']} cells",
         "the same, and what its cells take"),
    ]
    head = [f"{problem.stem}, {m['trials']:,} trials in {parts} parts", ">measured", ">10⁹ trials, in proportion"]
    build = f"{info['compiler']} {info['build_type']}; pegrasp {info['version']} {info['git']}"
    return update_tables.table(head, rows) + f"\n\n{m['device']}; {build}."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/pegrasp")
    parser.add_argument("--problem", type=pathlib.Path, default=ROOT / "examples/gear/gear.toml")
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--samples", type=int, default=200, help="a cell; the figures are the difference to half of it")
    parser.add_argument("--update", action="store_true", help="put the table into bench/studies/scaling/README.md")
    given = parser.parse_args()
    small, large = (measure(given.program, given.problem, given.parts, samples)
                    for samples in (given.samples // 2, given.samples))
    text = table(given.problem, given.parts, slopes(small, large), run(given.program, "info", "--json")[0])
    print(text)
    if given.update:
        update_tables.fill("scale", text)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a map costs that is cut into parts: simulating, bytes, joining; and what 10^9 trials would cost.

    scripts/measure_scale.py [--program build/pegrasp] [--problem FILE] [--parts N] [--samples N] [--update docs/scale.md]

Prints one table; --update writes it between the marks of that page."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(*words):
    """What the program prints as JSON, and the most memory it held [bytes]."""
    child = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, text=True)
    told = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: exit code {child.returncode}")
    return json.loads(told), used.ru_maxrss * 1024


def measure(program, problem, parts, samples, folder):
    info, empty = run(program, "info", "--json")
    choice = ["--samples", samples] if samples else []
    told = [run(program, "map", problem, *choice, "--shard", f"{i}/{parts}", "--out", folder, "--json")[0]
            for i in range(1, parts + 1)]
    merged, full = run(program, "merge", folder, "--json", "--no-plot")
    trials = sum(part["trials"] for part in told)
    assert trials == merged["trials"]
    size = sum(os.path.getsize(part["file"]) for part in told)
    return {
        "trials": trials,
        "parts": parts,
        "rate": trials / sum(part["simulating_s"] for part in told),
        "part_bytes": size / trials,
        "map_bytes": os.path.getsize(folder / "map.h5") / trials,
        "join_rate": trials / (merged["seconds"]["reading"] + merged["seconds"]["writing"]),
        "memory": (full - empty) / trials,
        "device": told[0]["device"],
        "build": f"{info['compiler']} {info['build_type']}; pegrasp {info['version']} {info['git']}",
    }


def table(problem, m):
    billion = 1e9
    rows = [
        ("simulated", f"{m['rate']:,.0f} trials/s", f"{billion / m['rate'] / 86400:.1f} days"),
        ("parts on disk", f"{m['part_bytes']:.0f} bytes a trial", f"{m['part_bytes']:.0f} GB"),
        ("`map.h5`", f"{m['map_bytes']:.0f} bytes a trial", f"{m['map_bytes']:.0f} GB"),
        ("joined", f"{m['join_rate']:,.0f} trials/s", f"{billion / m['join_rate'] / 60:.0f} min"),
        ("memory of the join", f"{m['memory']:.0f} bytes a trial", f"{m['memory']:.0f} GB"),
    ]
    lines = [f"| {problem.stem}, {m['trials']:,} trials in {m['parts']} parts | measured | 10⁹ trials, in proportion |", "|---|---:|---:|"]
    lines += [f"| {a} | {b} | {c} |" for a, b, c in rows]
    lines += ["", f"{m['device']}; {m['build']}."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/pegrasp")
    parser.add_argument("--problem", type=pathlib.Path, default=ROOT / "examples/gear/gear.toml")
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--samples", type=int, help="a cell; the problem's by default")
    parser.add_argument("--update", type=pathlib.Path, help="page with the marks <!-- scale --> and <!-- /scale -->")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = table(given.problem, measure(given.program, given.problem, given.parts, given.samples, pathlib.Path(folder)))
    print(text)
    if given.update:
        page = given.update.read_text()
        new, count = re.subn(r"(<!-- scale -->\n).*?(<!-- /scale -->)", lambda m: m[1] + text + "\n" + m[2], page, flags=re.S)
        if count != 1:
            raise SystemExit(f"{given.update}: no marks <!-- scale --> and <!-- /scale -->")
        given.update.write_text(new)


if __name__ == "__main__":
    main()

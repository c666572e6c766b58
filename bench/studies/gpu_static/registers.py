#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Condenses the output of scripts/lint_ptx.py to one row for each file, and fills the table of registers and spills.

    scripts/lint_ptx.py > lint_ptx.txt
    bench/studies/gpu_static/registers.py [--lint lint_ptx.txt] [--csv registers.csv] [--update]

With --lint the rows come from that output and are written to the CSV file; without it they are read from there.
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import update_tables  # noqa: E402

KERNEL = re.compile(r"^(\S+): +(\d+) registers, +(\d+) bytes stack, spills (\d+)/(\d+) ", re.M)
FILE = re.compile(r"(?:cuda_scenes_(\d+)|batched)_(strict|fast|spatial_fast|spatial)\.cu")
MOST = ("registers_max", "stack_bytes_max", "spill_stores_bytes_max", "spill_loads_bytes_max")


def condensed(text):
    """Rows of lint_ptx.py's output: the number of kernels of each file, and the largest numbers among them."""
    files = {}
    for match in KERNEL.finditer(text):
        files.setdefault(match[1], []).append([int(number) for number in match.groups()[1:]])
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7"],
                          capture_output=True, text=True)
    revision = done.stdout.strip() or "unrecorded"
    return [{"file": name, "kernels": len(kernels), **dict(zip(MOST, map(max, zip(*kernels)))), "architecture": "sm_90",
             "revision": revision} for name, kernels in files.items()]


def title(name):
    """The name of a file in words."""
    if name == "cuda_samples.cu":
        return "sampling"
    match = FILE.fullmatch(name)
    if not match:
        return f"`{name}`"
    team = f'per-scene, {match[1]} {"lane" if match[1] == "1" else "lanes"}' if match[1] else "batched"
    return f'{team}, {"3D" if "spatial" in match[2] else "2D"}, {"fast" if "fast" in match[2] else "strict"}'


def table(rows):
    head = ["kernels of", ">number", ">registers a thread, at most", ">stack [bytes], at most",
            ">spill stores / loads [bytes]"]
    return update_tables.table(head, [[title(row["file"]), str(row["kernels"]), str(row["registers_max"]),
                                       str(row["stack_bytes_max"]),
                                       f'{row["spill_stores_bytes_max"]} / {row["spill_loads_bytes_max"]}']
                                       for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lint", type=pathlib.Path, help="the output of scripts/lint_ptx.py")
    parser.add_argument("--csv", type=pathlib.Path, default=ROOT / "bench/studies/gpu_static/registers.csv")
    parser.add_argument("--update", action="store_true", help="fill bench/studies/gpu_static/README.md")
    given = parser.parse_args()
    if given.lint:
        rows = condensed(given.lint.read_text())
        if not rows:
            sys.exit(f"registers: {given.lint} has no kernels; was there an nvcc?")
        with given.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    else:
        with given.csv.open(newline="") as file:
            rows = list(csv.DictReader(file))
    print(table(rows))
    if given.update:
        update_tables.fill("ptx", table(rows))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws where a plate takes a particle within two seconds, from starts on rings.

    examples/plate/draw_field.py FILE... [--cell 40] [--program build/pegrasp] [--out field.png]

cell: the one whose particle the problem leaves at its own place; the middle one of these plates, 0 without a grid.
"""
import argparse
import csv
import math
import pathlib
import subprocess
import tempfile

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


def path_of(program, problem, cell, x, y):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "trajectory.csv"
        subprocess.run([program, "run", problem, "--cell", str(cell), "--sample", "0",
                        "--set", f"body[1].x_mm={x:.6f}", "--set", f"body[1].y_mm={y:.6f}",
                        "--trajectory", str(table)], check=True, stdout=subprocess.DEVNULL)
        with open(table, encoding="utf-8") as stream:
            rows = [row for row in csv.DictReader(stream) if row["body"] == "1"]
    return [1000 * float(row["x"]) for row in rows], [1000 * float(row["y"]) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="+")
    parser.add_argument("--cell", type=int, default=40)
    parser.add_argument("--program", default="build/pegrasp")
    parser.add_argument("--out", default="field.png")
    arguments = parser.parse_args()
    figure, axes = pyplot.subplots(1, len(arguments.problems), figsize=(4 * len(arguments.problems), 4), squeeze=False)
    for axis, problem in zip(axes[0], arguments.problems):
        for radius, count in ((20, 6), (40, 8), (60, 12)):
            for k in range(count):
                angle = 2 * math.pi * k / count
                x, y = path_of(arguments.program, problem, arguments.cell, radius * math.cos(angle),
                               radius * math.sin(angle))
                axis.plot(x, y, color="tab:blue", linewidth=1)
                axis.plot(x[:1], y[:1], "o", color="tab:orange", markersize=3)
        axis.set_aspect("equal")
        axis.set_xlim(-90, 90)
        axis.set_ylim(-90, 90)
        axis.set_title(pathlib.Path(problem).stem)
        axis.set_xlabel("x [mm]")
    axes[0][0].set_ylabel("y [mm]")
    figure.tight_layout()
    figure.savefig(arguments.out, dpi=110)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a camera with noise would see of the first body of a problem, which begins at the origin.

    examples/identify/make_track.py FILE [--set KEY=VALUE]... [--every S] [--body NAME] [--noise-mm SD]
                                    [--noise-deg SD] [--seed N] [--program build/pegrasp] [--out track.csv]
"""
import argparse
import csv
import math
import pathlib
import random
import subprocess
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--every", type=float, default=1 / 30, help="time between rows [s]")
    parser.add_argument("--body", default="block")
    parser.add_argument("--noise-mm", type=float, default=0.5)
    parser.add_argument("--noise-deg", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="build/pegrasp")
    parser.add_argument("--out", default="track.csv")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trajectory.csv"
        sets = [word for one in given.set for word in ("--set", one)]
        subprocess.run([given.program, "run", given.problem, "--cell", "0", "--sample", "0", *sets,
                        "--trajectory", str(path)], check=True, stdout=subprocess.DEVNULL)
        with path.open(encoding="utf-8") as stream:
            rows = [{key: float(row[key]) for key in ("time", "x", "y", "qw", "qz")}
                    for row in csv.DictReader(stream) if row["body"] == "0"]
    turn = 0.0
    for row in rows:
        now = 2.0 * math.atan2(row["qz"], row["qw"])
        turn += math.remainder(now - turn, 2.0 * math.pi)
        row["theta"] = turn
    rows.insert(0, {"time": 0.0, "x": 0.0, "y": 0.0, "theta": 0.0})
    draws = random.Random(given.seed)
    with open(given.out, "w", encoding="utf-8") as out:
        out.write("time,body,x,y,theta\n")
        for k in range(round(rows[-1]["time"] / given.every) + 1):
            row = min(rows, key=lambda one: abs(one["time"] - k * given.every))
            x, y = (row[key] + draws.gauss(0.0, given.noise_mm / 1000) for key in ("x", "y"))
            theta = row["theta"] + draws.gauss(0.0, math.radians(given.noise_deg))
            out.write(f"{k * given.every:.6f},{given.body},{x:.6f},{y:.6f},{theta:.6f}\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what sweeps cost, and prints it: measure_maps.py build/pegrasp [until|axes|counts|rows|grasps ...]

until   the gear map sampled until decided=0.95, against 1,000 samples a cell: decisions and trials
axes    the gear map by [[axis]] against the same by [grid]: time
counts  memory of --counts-only at 1e5, 1e6 and 1e7 trials
rows    time to read a million rows
grasps  memory of evaluate at 1,000, 10,000 and 100,000 grasps that begin in collision
"""

import csv
import json
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
GEAR = ROOT / "examples/gear/gear.toml"
PUCK = """
[map]
samples = 100
[grid]
x_mm = { from = 0, to = 9, step = 1 }
[simulation]
h_ms = 5
duration_ms = 5
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = { distribution = "uniform", low = 100, high = 400 }
follows_grid = true
support = { radius_mm = 7, friction = 0.3 }
part = [{ shape = "disc", radius_mm = 10 }]
[success]
displacement_below_mm = 1.2
of = "puck"
"""


class Measured:
    """A finished command: its wall time [s] and its largest memory [MB]."""

    def __init__(self, *command):
        begin = time.monotonic()
        child = os.posix_spawn(command[0], [str(part) for part in command], os.environ,
                               file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        _, status, usage = os.wait4(child, 0)
        self.seconds = time.monotonic() - begin
        self.megabytes = usage.ru_maxrss / 1024
        if status != 0:
            sys.exit(f"{' '.join(map(str, command))}: failed")


def map_of(pegrasp, out, *arguments):
    """Runs a map; returns its cells and its summary."""
    measured = Measured(pegrasp, "map", *arguments, "--out", out, "--no-plot", "--quiet")
    with open(out / "map.csv", newline="") as file:
        return list(csv.DictReader(file)), json.loads((out / "summary.json").read_text()), measured


def decision(cell, threshold):
    """1 and -1: the cell's interval is above or below; 0: it is neither."""
    return (float(cell["ci_low"]) >= threshold) - (float(cell["ci_high"]) <= threshold)


def until(pegrasp, folder):
    """Decisions of both ways to sample."""
    fixed, _, _ = map_of(pegrasp, folder / "fixed", GEAR, "--samples", "1000", "--counts-only")
    budget = "8000"
    sampled, summary, _ = map_of(pegrasp, folder / "until", GEAR, "--samples", budget, "--until", "decided=0.95")
    pairs = [(decision(a, 0.95), decision(b, 0.95)) for a, b in zip(fixed, sampled)]
    print(f"until   {summary['trials']:,} trials, {summary['trials'] / (1000 * len(fixed)):.1%} of 1,000 in each of "
          f"{len(fixed)} cells; of {sum(a != 0 for a, _ in pairs)} decided cells "
          f"{sum(a == b != 0 for a, b in pairs)} the same way, {sum(a * b < 0 for a, b in pairs)} the other, "
          f"{sum(a != 0 and b == 0 for a, b in pairs)} open; {sum(a == 0 != b for a, b in pairs)} more decided")


def axes(pegrasp, folder):
    """The same cells by the grid and by axes."""
    text = GEAR.read_text()
    begin, end = text.index("[grid]"), text.index("[simulation]")
    left = [x - 36 for x in range(-10, 11)]
    right = [x + 36 for x in range(-10, 11)]
    by_axes = (f"[[axis]]\nkeys = [\"body.left_finger.x_mm\", \"body.right_finger.x_mm\"]\nvalues = [{left}, {right}]\n"
               "name = \"x\"\n[[axis]]\nkeys = [\"body.left_finger.y_mm\", \"body.right_finger.y_mm\"]\nfrom = -20\n"
               "to = 0\ncount = 21\nname = \"y\"\n")
    problem = folder / "axes.toml"
    problem.write_text(text[:begin] + by_axes + text[end:])
    best = {}
    for _ in range(3):
        for name, file in (("grid", GEAR), ("axes", problem)):
            _, summary, measured = map_of(pegrasp, folder / name, file, "--no-step-check")
            best[name] = min(best.get(name, (1e9, 1e9)), (measured.seconds, summary["seconds"]["simulating"]))
    print(f"axes    {best['axes'][0]:.2f} s by [[axis]], {best['grid'][0]:.2f} s by [grid]: ratio "
          f"{best['axes'][0] / best['grid'][0]:.3f} (best of 3)")


def counts(pegrasp, folder):
    """Memory that does not grow with the trials."""
    problem = folder / "puck.toml"
    problem.write_text(PUCK)
    for trials in (10**5, 10**6, 10**7):
        _, _, measured = map_of(pegrasp, folder / "counts", problem, "--samples", str(trials // 10), "--counts-only")
        print(f"counts  {trials:>10,} trials: {measured.megabytes:.0f} MB, {measured.seconds:.1f} s")


def rows(pegrasp, folder):
    """A million lines of two numbers."""
    problem, file = folder / "puck.toml", folder / "rows.csv"
    problem.write_text(PUCK)
    file.write_text("body.puck.mass_kg,body.puck.vy_mm_s\n" +
                    "".join(f"{0.1 + 1e-7 * k:.7f},{k % 100}.25\n" for k in range(10**6)))
    measured = Measured(pegrasp, "check", problem, "--samples-from", file)
    print(f"rows    1,000,000 rows read and checked in {measured.seconds:.2f} s, {measured.megabytes:.0f} MB")


def grasps(pegrasp, folder):
    """Grasps of the example's hand, all of which begin in collision."""
    for count in (1000, 10_000, 100_000):
        file = folder / "grasps.csv"
        lines = (f"grasp_{k},0.0,{-0.02 + 0.04 * k / count:.6f},0.03,0.0,1.0,0.0,0.0,0.02\n" for k in range(count))
        file.write_text("id,x_m,y_m,z_m,qw,qx,qy,qz,opening_m\n" + "".join(lines))
        measured = Measured(pegrasp, "evaluate", file, "--part", ROOT / "examples/evaluate/block.obj", "--gripper",
                            ROOT / "examples/evaluate/hand.urdf", "--samples", "2", "--counts-only", "--quiet", "--out",
                            folder / "grasps")
        print(f"grasps  {count:>7,} grasps: {measured.megabytes:.0f} MB, {measured.seconds:.1f} s")


def main():
    studies = {"until": until, "axes": axes, "counts": counts, "rows": rows, "grasps": grasps}
    chosen = sys.argv[2:] or list(studies)
    if len(sys.argv) < 2 or not set(chosen) <= set(studies):
        sys.exit("usage: measure_maps.py build/pegrasp [until|axes|counts|rows|grasps ...]")
    pegrasp = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            studies[name](pegrasp, pathlib.Path(folder))
            sys.stdout.flush()


if __name__ == "__main__":
    main()

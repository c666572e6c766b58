#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures and the tables of bench/studies/lift/README.md: maps of three parts, with `pegrasp map`.

    bench/studies/lift/lift_study.py [--pegrasp build/pegrasp] [--work out/lift] [--images docs/images]
                                     [--results bench/studies/lift] [--keep]

--results also stores the cells and the summary of each map in a folder. --keep uses the maps in the work folder as they
are. Needs matplotlib and h5py.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/studies/gear"))
from gear_study import Map  # noqa: E402

PARTS = {"lift": ("box", "lift_map.png"), "prism": ("prism", "lift_prism.png"), "tee": ("tee", "lift_tee.png")}
GRAVITY = 9.81
# What the open jaws clear for sure along x [mm], and how far they may grip off the middle along y [mm] for the second
# table.
CLEAR = {"lift": 18, "tee": 24, "prism": 12}
BANDS = [(0, 8), (16, 16), (24, 24), (32, 32)]


def make_map(arguments, part):
    folder = arguments.work / part
    if not (arguments.keep and (folder / "map.h5").exists()):
        command = [str(arguments.pegrasp), "map", str(ROOT / f"examples/lift/{part}.toml"), "--out", str(folder),
                   "--quiet"]
        subprocess.run(command, check=True)
    return folder


def overall(maps):
    print("| part | trials | overall success | its standard error | cells where all succeed, and none | unresolved | "
          "largest overlap |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for part, folder in maps.items():
        one = Map(folder / "map.h5")
        with h5py.File(folder / "map.h5", "r") as file:
            p = file["p"][:]
        print(f"| {PARTS[part][0]} | {one.trials:,} | {one.rate:.3f} | {one.error:.3f} | {(p == 1).sum()} and "
              f"{(p == 0).sum()} of "
              f"{p.size} | {one.unresolved} | {one.overlap_mm:.1e} mm |")


class Trials:
    """Where each trial of a map lay, whether it succeeded, and how hard the jaws held it."""

    def __init__(self, source):
        with h5py.File(source, "r") as file:
            table = file["samples_table"]
            self.axis = "yaw_deg" if "yaw_deg" in file else "y_mm"
            columns = file["x_mm"].size
            cell = table["cell"][:]
            self.x = file["x_mm"][:][cell % columns]
            self.second = file[self.axis][:][cell // columns]
            self.success = table["success"][:]
            drawn = {name: table["sampled"][name][:] for name in ("jaw_friction", "closing_force", "mass")}
        self.grip = 2 * drawn["jaw_friction"] * drawn["closing_force"] / (GRAVITY * drawn["mass"])


def off_the_middle(maps):
    print("\n| part | y, either way | trials | success | of the quarter with the weakest grip | with the strongest |")
    print("|---|---:|---:|---:|---:|---:|")
    for part in ("lift", "tee"):
        all_trials = Trials(maps[part] / "map.h5")
        for low, high in BANDS:
            off = np.abs(all_trials.second)
            chosen = (np.abs(all_trials.x) <= CLEAR[part]) & (off >= low) & (off <= high)
            success, grip = all_trials.success[chosen], all_trials.grip[chosen]
            weak, strong = grip <= np.quantile(grip, 0.25), grip > np.quantile(grip, 0.75)
            name = f"up to {high} mm" if low == 0 else f"{high} mm"
            print(f"| {PARTS[part][0]} | {name} | {chosen.sum()} | {success.mean():.2f} | {success[weak].mean():.2f} | "
                  f"{success[strong].mean():.2f} |")


def turned(folder):
    trials = Trials(folder / "map.h5")
    yaws = np.unique(np.abs(trials.second))
    print("\n| prism's yaw, either way |", " | ".join(f"{yaw:g}°" for yaw in yaws), "|")
    print("|---|" + "---:|" * yaws.size)
    within = np.abs(trials.x) <= CLEAR["prism"]
    rates = [trials.success[within & (np.abs(trials.second) == yaw)].mean() for yaw in yaws]
    print("| success |", " | ".join(f"{rate:.3f}" for rate in rates), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pegrasp", type=pathlib.Path, default=ROOT / "build/pegrasp")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "out/lift")
    parser.add_argument("--images", type=pathlib.Path, default=ROOT / "docs/images")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    if not arguments.pegrasp.exists():
        sys.exit(f"{arguments.pegrasp} is not there: build it (scripts/demo.sh) or name it with --pegrasp")
    maps = {part: make_map(arguments, part) for part in PARTS}
    for part, folder in maps.items():
        shutil.copyfile(folder / "map.png", arguments.images / PARTS[part][1])
        if arguments.results:
            arguments.results.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / "map.csv", arguments.results / f"{part}.csv")
            shutil.copyfile(folder / "summary.json", arguments.results / f"{part}.json")
    overall(maps)
    off_the_middle(maps)
    turned(maps["prism"])


if __name__ == "__main__":
    main()

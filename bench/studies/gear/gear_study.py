#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the maps of bench/studies/gear/README.md with `pegrasp map`: pictures and tables for friction groups, for
fixed tripods and for contact models.

    bench/studies/gear/gear_study.py [--pegrasp build/pegrasp] [--work out/study] [--images docs/images]

Maps in the work folder that the same commit of pegrasp made are used again. Needs matplotlib and h5py.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
from plot_map import draw  # noqa: E402

PROBLEM = ROOT / "examples/gear/gear.toml"
GROUPS = [("low", "low"), ("medium", "medium"), ("medium", "high"), ("high", "high")]  # surface, gripper
USUAL = ("medium", "medium")
SAMPLES = 30
# The other models are slow (standard: a hundred times slower than peg), so they get fewer trials: the first ones of
# peg's.
OTHER_MODELS = ["peg-features", "standard", "corrective"]
OTHER_SAMPLES = 6
TRIPODS = [0, 40, 80]  # angle of the first point from +x [deg]
TRIPOD_GRIPPERS = ["medium", "high"]
TRIPOD_SAMPLES = 30
PANEL = 3.1  # side of one map [inch]


def made_by(pegrasp, folder):
    """Whether the map in the folder is of this program: of its commit, with nothing changed since."""
    try:
        summary = json.loads((folder / "summary.json").read_text())
    except (OSError, ValueError):
        return False
    first_line = subprocess.run([str(pegrasp), "info"], check=True, capture_output=True,
                                text=True).stdout.splitlines()[0]
    return "dirty" not in first_line and first_line.endswith(f"({summary['git']})")


def make_map(arguments, name, extra):
    """Runs pegrasp map unless its result is there; returns the map's HDF5 file."""
    folder = arguments.work / name
    result = folder / "map.h5"
    if not (result.exists() and made_by(arguments.pegrasp, folder)):
        command = [str(arguments.pegrasp), "map", str(PROBLEM), "--out", str(folder), "--no-plot", "--quiet", *extra]
        subprocess.run(command, check=True)
    return result


class Map:
    """Totals of one map.h5."""

    def __init__(self, source):
        self.source = source
        with h5py.File(source, "r") as file:
            samples, unresolved, p = file["samples"][:], file["unresolved"][:], file["p"][:]
            resolved = samples - unresolved
            self.trials = int(samples.sum())
            self.unresolved = int(unresolved.sum())
            self.rate = file["successes"][:].sum() / resolved.sum()
            # Of the rate: cells are strata with a binomial number of successes each, so sqrt(sum n p (1 - p)) / N over
            # resolved trials. With n in every cell that is sqrt(sum p (1 - p) / n) / cells.
            self.error = np.sqrt(np.nansum(resolved * p * (1 - p))) / resolved.sum()
            table = file["samples_table"]
            self.outcomes = {(int(cell), int(sample)): (int(success), int(status)) for cell, sample, success,
                             status in zip(
                table["cell"][:], table["sample"][:], table["success"][:], table["status"][:])}
            self.overlap_mm = 1e3 * table["penetration_max"][:].max()
            self.h_ms = 1e3 * file.attrs["h_s"]

    def agreement(self, other):
        """Share of the trials resolved in both maps that end the same way."""
        both = [(mine[0], other.outcomes[key][0]) for key, mine in self.outcomes.items()
                if key in other.outcomes and mine[1] == 0 and other.outcomes[key][1] == 0]
        return sum(a == b for a, b in both) / len(both)


def style():
    plt.rcParams.update({"font.size": 9, "axes.titlesize": 9.5, "axes.linewidth": 0.6, "xtick.major.width": 0.6,
                         "ytick.major.width": 0.6})


def panels(maps, target):
    """Maps side by side with one colour bar. maps: (title, Map)."""
    figure, axes = plt.subplots(1, len(maps), figsize=(PANEL * len(maps) + 0.9, PANEL + 0.45), dpi=150, sharey=True,
                                layout="constrained")
    for axis, (title, one) in zip(axes, maps):
        with h5py.File(one.source, "r") as file:
            mesh = draw(axis, file, title)
        axis.set_xticks(range(-10, 11, 5))
        axis.set_yticks(range(-20, 1, 5))
        axis.label_outer()
    figure.colorbar(mesh, ax=axes, shrink=0.85, aspect=25).set_label("probability of success")
    figure.savefig(target)
    plt.close(figure)
    print(f"{target}\n")


def group_study(arguments):
    """Friction groups; returns the map of the usual ones."""
    maps = {}
    for surface, gripper in GROUPS:
        extra = ["--samples", str(SAMPLES), "--set", f"uncertain.surface_friction.group={surface}", "--set",
                 f"uncertain.gripper_friction.group={gripper}"]
        maps[surface, gripper] = Map(make_map(arguments, f"{surface}_{gripper}", extra))
    panels([(f"surface {surface}, gripper {gripper}\noverall {one.rate:.3f}", one) for (surface, gripper),
            one in maps.items()],
           arguments.images / "gear_groups.png")
    print("| surface | gripper | overall success | its standard error | unresolved |\n|---|---|---:|---:|---:|")
    for (surface, gripper), one in maps.items():
        print(f"| {surface} | {gripper} | {one.rate:.3f} | {one.error:.3f} | {one.unresolved} |")
    usual = maps[USUAL]
    print(f"\n{usual.trials:,} trials a map, h = {usual.h_ms:g} ms\n")
    return usual


def tripod_study(arguments):
    """B 4.9: support points that are fixed, on the circle of the example, with equal loads; three such tripods."""
    maps = {}
    for gripper in TRIPOD_GRIPPERS:
        for turn in TRIPODS:
            extra = ["--samples", str(TRIPOD_SAMPLES), "--set", f"body.gear.support.turn_deg={turn}", "--set",
                     f"uncertain.gripper_friction.group={gripper}"]
            maps[gripper, turn] = Map(make_map(arguments, f"tripod_{gripper}_{turn}", extra))
        panels([(f"gripper {gripper}, tripod at {turn} deg\noverall {maps[gripper, turn].rate:.3f}",
                 maps[gripper, turn]) for turn in TRIPODS], arguments.tripods / f"tripods_{gripper}.png")
    print("| gripper | tripod at | overall success | its standard error | unresolved |\n|---|---:|---:|---:|---:|")
    for (gripper, turn), one in maps.items():
        print(f"| {gripper} | {turn}° | {one.rate:.3f} | {one.error:.3f} | {one.unresolved} |")
    print()


def model_study(arguments, peg):
    """The same trials with the other contact models."""
    maps = {"peg": peg}
    for contact in OTHER_MODELS:
        extra = ["--samples", str(OTHER_SAMPLES), "--contact", contact]
        if contact == "peg-features":
            extra += ["--solver", "pgs"]  # newton does not solve the max rule
        maps[contact] = Map(make_map(arguments, f"contact_{contact}", extra))
    panels([(f"{contact}, {one.trials:,} trials\noverall {one.rate:.3f}, {one.unresolved} unresolved", one)
            for contact, one in maps.items()], arguments.images / "gear_models.png")
    print("| contact | trials | overall success | ends as with `peg` | unresolved | largest overlap [mm] "
          "|\n|---|---:|---:|---:|---:|---:|")
    for contact, one in maps.items():
        print(f"| `{contact}` | {one.trials:,} | {one.rate:.3f} | {100 * one.agreement(peg):.1f} % | {one.unresolved} "
              f"| "
              f"{one.overlap_mm:.1e} |")
    print(f"\nmedium friction, h = {peg.h_ms:g} ms\n")


def single_map(one, target):
    """The picture of the README."""
    figure, axes = plt.subplots(figsize=(6.0, 5.2), dpi=150, layout="constrained")
    with h5py.File(one.source, "r") as file:
        mesh = draw(axes, file, f"Gear grasp: {one.trials:,} trials, medium friction")
    axes.set_xticks(range(-10, 11, 5))
    axes.set_yticks(range(-20, 1, 5))
    axes.set_xlabel("fingertip midpoint, x [mm] from the gear's centre")
    axes.set_ylabel("y [mm]")
    figure.colorbar(mesh, ax=axes, shrink=0.9, aspect=25).set_label("probability of success")
    figure.savefig(target)
    print(target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pegrasp", type=pathlib.Path, default=ROOT / "build/pegrasp")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "out/study")
    parser.add_argument("--images", type=pathlib.Path, default=ROOT / "docs/images")
    parser.add_argument("--tripods", type=pathlib.Path, default=ROOT / "bench/studies/gear",
                        help="folder of the pictures of fixed tripods")
    parser.add_argument("--only-tripods", action="store_true", help="these alone")
    arguments = parser.parse_args()
    if not arguments.pegrasp.exists():
        sys.exit(f"{arguments.pegrasp} is not there: build it (scripts/demo.sh) or name it with --pegrasp")
    arguments.images.mkdir(parents=True, exist_ok=True)
    style()
    tripod_study(arguments)
    if arguments.only_tripods:
        return
    usual = group_study(arguments)
    model_study(arguments, usual)
    single_map(usual, arguments.images / "gear_map.png")


if __name__ == "__main__":
    main()

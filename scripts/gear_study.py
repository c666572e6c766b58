#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures and the two tables of maps of docs/gear.md: friction groups and contact models, with `pegrasp map`.

usage: scripts/gear_study.py [--pegrasp build/pegrasp] [--work out/study] [--images docs/images]

Maps that are in the work folder already are kept; remove it to make all again. Needs matplotlib and h5py.
"""

import argparse
import pathlib
import subprocess
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from plot_map import draw

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROBLEM = ROOT / "examples/gear/gear.toml"
GROUPS = ["low", "medium", "high"]
# The baselines are slow (standard: some hundred times slower than peg): fewer trials, and peg's first ones to compare with.
MODELS = ["peg", "peg-features", "standard", "corrective"]
MODEL_SAMPLES = 6
PANEL = 3.1  # side of one map [inch]


def make_map(arguments, name, extra):
    """Runs pegrasp map unless its result is there; returns the map's HDF5 file."""
    folder = arguments.work / name
    result = folder / "map.h5"
    if not result.exists():
        command = [str(arguments.pegrasp), "map", str(PROBLEM), "--out", str(folder), "--no-plot", "--quiet", *extra]
        subprocess.run(command, check=True)
    return result


class Map:
    """Totals of one map.h5."""

    def __init__(self, source):
        self.source = source
        with h5py.File(source, "r") as file:
            samples, self.p = file["samples"][:], file["p"][:]
            self.trials = int(samples.sum())
            self.unresolved = int(file["unresolved"][:].sum())
            self.rate = file["successes"][:].sum() / (self.trials - self.unresolved)
            self.error = np.sqrt(np.nansum(self.p * (1 - self.p) * samples)) / self.trials  # cells are strata
            self.success = file["samples_table/success"][:]
            self.status = file["samples_table/status"][:]
            self.overlap_mm = 1e3 * file["samples_table/penetration_max"][:].max()
            self.h_ms = 1e3 * file.attrs["h_s"]

    def agreement(self, other):
        """Share of this map's resolved trials that end as in the other map."""
        resolved = (self.status == 0) & (other.status == 0)
        return (self.success == other.success)[resolved].mean()


def style():
    plt.rcParams.update({"font.size": 9, "axes.titlesize": 9.5, "axes.linewidth": 0.6, "xtick.major.width": 0.6,
                         "ytick.major.width": 0.6})


def panels(rows, columns, maps, target):
    """A grid of maps with one colour bar. maps: (title, Map), row by row."""
    figure, axes = plt.subplots(rows, columns, figsize=(PANEL * columns + 0.9, (PANEL + 0.35) * rows), dpi=150, sharex=True,
                                sharey=True, squeeze=False, layout="constrained")
    for axis, (title, one) in zip(axes.flat, maps):
        with h5py.File(one.source, "r") as file:
            mesh = draw(axis, file, title)
        axis.set_xticks(range(-10, 11, 5))
        axis.set_yticks(range(-20, 1, 5))
        axis.label_outer()
    figure.colorbar(mesh, ax=axes, shrink=0.9 if rows == 1 else 0.6, aspect=25).set_label("probability of success")
    figure.savefig(target)
    plt.close(figure)
    print(f"{target}\n")


def group_study(arguments):
    """Surface friction from row to row, gripper friction from column to column."""
    maps = {}
    for surface in GROUPS:
        for gripper in GROUPS:
            extra = ["--samples", "30", "--set", f"uncertain.surface_friction.group={surface}", "--set",
                     f"uncertain.gripper_friction.group={gripper}"]
            maps[surface, gripper] = Map(make_map(arguments, f"{surface}_{gripper}", extra))
    panels(3, 3, [(f"surface {surface}, gripper {gripper}: {one.rate:.3f}", one) for (surface, gripper), one in maps.items()],
           arguments.images / "gear_groups.png")
    print("| surface \\ gripper | " + " | ".join(GROUPS) + " |\n|---|" + "---|" * len(GROUPS))
    for surface in GROUPS:
        cells = [f"{maps[surface, gripper].rate:.3f}" for gripper in GROUPS]
        print(f"| {surface} | " + " | ".join(cells) + " |")
    some = next(iter(maps.values()))
    print(f"\n{some.trials:,} trials a map, h = {some.h_ms:g} ms; standard error at most {max(m.error for m in maps.values()):.4f}; "
          f"{sum(m.unresolved for m in maps.values())} unresolved in all; "
          f"largest overlap {max(m.overlap_mm for m in maps.values()):.1e} mm\n")
    return maps["medium", "medium"]


def model_study(arguments):
    """The same trials with every contact model."""
    maps = {}
    for contact in MODELS:
        extra = ["--samples", str(MODEL_SAMPLES), "--contact", contact]
        if contact == "peg-features":
            extra += ["--solver", "pgs"]  # newton does not solve the max rule
        maps[contact] = Map(make_map(arguments, f"contact_{contact}", extra))
    peg = maps["peg"]
    panels(1, len(MODELS), [(f"{contact}: {one.rate:.3f}", one) for contact, one in maps.items()],
           arguments.images / "gear_models.png")
    print("| contact | overall success | ends as with `peg` | unresolved | largest overlap [mm] |\n|---|---:|---:|---:|---:|")
    for contact, one in maps.items():
        print(f"| `{contact}` | {one.rate:.3f} | {100 * one.agreement(peg):.1f} % | {one.unresolved} | {one.overlap_mm:.1e} |")
    print(f"\n{peg.trials:,} trials each, h = {peg.h_ms:g} ms\n")


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
    arguments = parser.parse_args()
    if not arguments.pegrasp.exists():
        sys.exit(f"{arguments.pegrasp} is not there: build it (scripts/demo.sh) or name it with --pegrasp")
    arguments.images.mkdir(parents=True, exist_ok=True)
    style()
    usual = group_study(arguments)
    model_study(arguments)
    single_map(usual, arguments.images / "gear_map.png")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of docs/gear.md: the gear's maps for the friction groups and for the contact models, side by side.

usage: scripts/gear_study.py [--pegrasp build/pegrasp] [--samples 30] [--work out/study] [--images docs/images]
"""

import argparse
import pathlib
import subprocess
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from plot_map import draw

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROUPS = [("low", "low"), ("medium", "medium"), ("medium", "high"), ("high", "high")]
MODELS = [("peg", 30), ("peg-features", 6), ("standard", 6), ("corrective", 6)]


def make_map(arguments, name, extra):
    """Runs pegrasp map unless its result is there; returns the map's HDF5 file."""
    folder = arguments.work / name
    result = folder / "map.h5"
    if not result.exists():
        command = [str(arguments.pegrasp), "map", str(ROOT / "examples/gear/gear.toml"), "--out", str(folder), "--no-plot",
                   "--quiet", *extra]
        subprocess.run(command, check=True)
    return result


def side_by_side(maps, target, heading):
    """One row of maps with a common colour bar. maps: (title, file)."""
    figure, axes = plt.subplots(1, len(maps), figsize=(3.6 * len(maps) + 0.8, 4.3), dpi=130, layout="constrained", sharey=True)
    for axis, (title, source) in zip(axes, maps):
        with h5py.File(source, "r") as file:
            resolved = file["samples"][:].sum() - file["unresolved"][:].sum()
            rate = file["successes"][:].sum() / resolved
            mesh = draw(axis, file, f"{title}\noverall {rate:.3f}, {int(file['unresolved'][:].sum())} unresolved")
            print(f"{target.name}: {title.replace(chr(10), ' ')}: overall {rate:.3f}, {int(resolved)} resolved trials, "
                  f"{int(file['unresolved'][:].sum())} unresolved")
        axis.title.set_fontsize(9)
        if axis is not axes[0]:
            axis.set_ylabel("")
    figure.colorbar(mesh, ax=axes, shrink=0.8).set_label("probability of success")
    figure.suptitle(heading)
    figure.savefig(target)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pegrasp", type=pathlib.Path, default=ROOT / "build/pegrasp")
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "out/study")
    parser.add_argument("--images", type=pathlib.Path, default=ROOT / "docs/images")
    arguments = parser.parse_args()
    arguments.images.mkdir(parents=True, exist_ok=True)
    groups = []
    for surface, gripper in GROUPS:
        extra = ["--samples", str(arguments.samples), "--set", f"uncertain.surface_friction.group={surface}", "--set",
                 f"uncertain.gripper_friction.group={gripper}"]
        groups.append((f"surface {surface}, gripper {gripper}", make_map(arguments, f"{surface}_{gripper}", extra)))
    side_by_side(groups, arguments.images / "gear_groups.png", "The gear grasp: friction groups (contact peg, h = 5 ms)")
    models = []
    for contact, samples in MODELS:
        extra = ["--samples", str(min(samples, arguments.samples)), "--contact", contact]
        if contact == "peg-features":
            extra += ["--solver", "pgs"]
        models.append((f"contact {contact}\n{min(samples, arguments.samples)} trials a cell",
                       make_map(arguments, f"contact_{contact}", extra)))
    side_by_side(models, arguments.images / "gear_models.png", "The gear grasp: contact models (medium friction, h = 5 ms)")
    figure, axes = plt.subplots(figsize=(6.4, 5.6), dpi=130, layout="constrained")
    with h5py.File(groups[1][1], "r") as file:
        mesh = draw(axes, file, "Gear grasp: probability of success\n"
                    f"{int(file['samples'][:].sum()):,} trials, medium friction, h = 5 ms")
    figure.colorbar(mesh, ax=axes, shrink=0.9).set_label("probability of success")
    figure.savefig(arguments.images / "gear_map.png")


if __name__ == "__main__":
    main()

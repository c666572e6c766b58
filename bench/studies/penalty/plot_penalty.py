#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws figures 8 to 11 of Drumwright's paper from the courses that pegrasp_penalty_study writes: kinetic energy and
penetration of a cube that is set into a plane, and of one that is pushed at its top.

    build/pegrasp_penalty_study cube pushes --csv FOLDER
    bench/studies/penalty/plot_penalty.py FOLDER [penalty.png]
"""

import argparse
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
COLOURS = {"penalty-deepest": "tab:red", "penalty": "tab:blue", "peg": "tab:green"}
TITLES = {"cube": "set 0.2 m into a plane", "pushes": "pushed at random points of its top"}
FLOOR = 1e-12  # [J], [m]; what is less is drawn here


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path, nargs="?", default=HERE / "penalty.png")
    given = parser.parse_args()
    figure, panels = plt.subplots(2, 2, figsize=(11, 6.5), sharex="col", dpi=110)
    for column, (scene, title) in enumerate(TITLES.items()):
        for model, colour in COLOURS.items():
            path = given.folder / f"{scene}_{model}.csv"
            if not path.exists():
                continue
            with path.open(newline="") as file:
                rows = list(csv.DictReader(file))
            steps = [int(row["step"]) for row in rows]
            for panel, key in zip(panels[:, column], ("energy_J", "depth_m")):
                panel.plot(steps, [max(float(row[key]), FLOOR) for row in rows], color=colour, label=model, lw=0.8)
        panels[0][column].set_title(title)
        panels[1][column].set_xlabel("step of 1 ms")
        panels[1][column].legend(loc="center right")
    for panel, label in zip(panels[:, 0], ("kinetic energy [J]", "penetration [m]")):
        panel.set_ylabel(label)
    for panel in panels.flat:
        panel.set_yscale("log")
        panel.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(given.picture)


if __name__ == "__main__":
    main()

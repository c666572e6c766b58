#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws figures 5.20 and 5.22 of Williams' thesis from the table of pegrasp_finger_grasp: median and quartiles of the
position error over the step, for three contact models, without and with friction.

    bench/studies/thesis/plot_finger_grasp.py [finger_grasp.csv [finger_grasp.png]]
"""

import argparse
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
COLOURS = {"peg": "tab:blue", "standard": "tab:red", "corrective": "tab:green"}
SHIFT = {"peg": -0.15, "standard": 0.0, "corrective": 0.15}  # [ms], so that bars do not cover each other


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=pathlib.Path, nargs="?", default=ROOT / "bench/studies/thesis/finger_grasp.csv")
    parser.add_argument("picture", type=pathlib.Path, nargs="?", default=ROOT / "docs/images/finger_grasp.png")
    given = parser.parse_args()
    numbers = ("friction", "h_ms", "q1_m", "median_m", "q3_m")
    with given.table.open(newline="") as file:
        data = [row | {name: float(row[name]) for name in numbers} for row in csv.DictReader(file)]
    frictions = sorted({row["friction"] for row in data})
    figure, panels = plt.subplots(1, len(frictions), figsize=(5.5 * len(frictions), 4), sharey=True, dpi=150)
    floor = 1e-7  # [m]; an error of zero is drawn here
    for axes, friction in zip(panels, frictions):
        for contact, colour in COLOURS.items():
            rows = [row for row in data if row["friction"] == friction and row["contact"] == contact]
            h = [row["h_ms"] + SHIFT[contact] for row in rows]
            middle = [max(row["median_m"], floor) for row in rows]
            low = [max(row["q1_m"], floor) for row in rows]
            high = [max(row["q3_m"], floor) for row in rows]
            bars = [[m - a for m, a in zip(middle, low)], [b - m for m, b in zip(middle, high)]]
            axes.errorbar(h, middle, yerr=bars, fmt="o-", markersize=3, capsize=2, color=colour, label=contact)
        axes.set_yscale("log")
        axes.set_xlabel("step [ms]")
        axes.set_title(f"friction {friction:g}")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("position error against 0.1 ms [m]")
    panels[0].legend()
    figure.suptitle("Polygons grasped by two fingers: median and quartiles over all steps")
    figure.savefig(given.picture, bbox_inches="tight")


if __name__ == "__main__":
    main()

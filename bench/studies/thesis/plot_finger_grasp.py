#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what pegrasp_finger_grasp --json wrote, as figures 5.20 and 5.22 of Williams' thesis: median and quartiles of the position
error over the step, for three contact models, without and with friction.

usage: scripts/plot_finger_grasp.py finger_grasp.json finger_grasp.png
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {"peg": "tab:blue", "standard": "tab:red", "corrective": "tab:green"}
SHIFT = {"peg": -0.15, "standard": 0.0, "corrective": 0.15}  # [ms] so that bars do not cover each other


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_finger_grasp.py finger_grasp.json finger_grasp.png")
    data = json.loads(pathlib.Path(sys.argv[1]).read_text())
    frictions = sorted({row["friction"] for row in data["rows"]})
    figure, panels = plt.subplots(1, len(frictions), figsize=(5.5 * len(frictions), 4), sharey=True, dpi=150)
    floor = 1e-7  # [m] what is drawn of an error of nothing
    for axes, friction in zip(panels, frictions):
        for contact, colour in COLOURS.items():
            rows = [row for row in data["rows"] if row["friction"] == friction and row["contact"] == contact]
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
    figure.suptitle(f"{data['polygons']} polygons grasped by two fingers: median and quartiles over all steps")
    figure.savefig(sys.argv[2], bbox_inches="tight")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the heat map of a success map: plot_map.py map.h5 map.png"""

import os
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def edges(centres):
    """Cell edges from cell centres, evenly or unevenly spaced."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def draw(axes, file, title=None):
    """The cells of one map as drawn squares; returns the mesh for a colour bar."""
    x, y, p = file["x_mm"][:], file["y_mm"][:], file["p"][:]
    unresolved = file["unresolved"][:]
    mesh = axes.pcolormesh(edges(x), edges(y), np.ma.masked_invalid(p), cmap="viridis", vmin=0.0, vmax=1.0,
                           edgecolors=(1, 1, 1, 0.35), linewidth=0.4)
    axes.set_facecolor("0.8")
    for row, column in zip(*np.nonzero(unresolved)):
        axes.plot(x[column], y[row], marker="x", color="red", markersize=4, markeredgewidth=1)
    axes.set_aspect("equal")
    axes.set_xlabel("x [mm]")
    axes.set_ylabel("y [mm]")
    if title is not None:
        axes.set_title(title)
    return mesh


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_map.py map.h5 map.png")
    source, target = sys.argv[1:]
    with h5py.File(source, "r") as file:
        figure, axes = plt.subplots(figsize=(7.6, 6.6), dpi=150, layout="constrained")
        trials, unresolved = int(file["samples"][:].sum()), int(file["unresolved"][:].sum())
        mesh = draw(axes, file)
        bar = figure.colorbar(mesh, ax=axes, shrink=0.9)
        bar.set_label("probability of success")
        a = file.attrs
        axes.set_title(f"{a['title']}\n", fontsize=12)
        note = (f"{trials:,} trials, {a['samples_per_cell']} a cell; contact {a['contact']}, "
                f"h = {1e3 * a['h_s']:g} ms, {a['arithmetic']}")
        if unresolved:
            note += f"; {unresolved} unresolved (red crosses)"
        axes.text(0.5, 1.015, note, transform=axes.transAxes, ha="center", va="bottom", fontsize=8.5, color="0.3")
        partial = target + ".tmp.png"
        figure.savefig(partial)
    os.replace(partial, target)


if __name__ == "__main__":
    main()

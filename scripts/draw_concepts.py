#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of README.md and docs/explanation/concepts.md into docs/images/.

    scripts/draw_concepts.py [NAME ...]      without names: all of them
"""

import csv
import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.patches import Arc, Circle, FancyArrowPatch, Polygon, Rectangle  # noqa: E402
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
STUDIES = ROOT / "bench" / "studies"

BODY, OTHER, FIXED = "#9ecae1", "#fdd0a2", "#d9d9d9"  # fills: a body, another one, a fixed one
INK, GOOD, BAD, GREY = "#222222", "#2ca02c", "#d62728", "#8c8c8c"
plt.rcParams.update({"font.size": 10, "axes.titlesize": 11, "savefig.dpi": 120})


def bare(axes, x=None, y=None):
    axes.set_aspect("equal")
    axes.axis("off")
    if x:
        axes.set_xlim(*x)
    if y:
        axes.set_ylim(*y)


def solid(axes, points, colour, **options):
    axes.add_patch(Polygon(points, closed=True, facecolor=colour, **{"edgecolor": INK, "linewidth": 1.2, **options}))


def arrow(axes, start, end, colour=INK, width=1.6, style="-|>", **options):
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle=style, mutation_scale=12, color=colour, linewidth=width,
                                   shrinkA=0, shrinkB=0, **options))


def box(x, y, width, height):
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def turned(points, angle, centre=(0, 0)):
    c, s = math.cos(angle), math.sin(angle)
    return [(centre[0] + c * x - s * y, centre[1] + s * x + c * y) for x, y in points]


def save(figure, name):
    figure.savefig(IMAGES / f"{name}.png", bbox_inches="tight", facecolor="white")
    plt.close(figure)


# ------------------------------------------------------------------------------------------------------------ README
# strip
def gear_scene(axes):
    axes.add_patch(Circle((0, 0), 20.75, facecolor=BODY, edgecolor=INK, linewidth=1.2, zorder=2))
    t = np.linspace(0, 2 * math.pi, 120)
    tooth = [(math.copysign(abs(math.cos(a)) ** 0.5, math.cos(a)) * 2.3,
              math.copysign(abs(math.sin(a)) ** 0.5, math.sin(a)) * 1.1) for a in t]
    for angle in (4.103727, 4.253125, 4.402522, 5.022255, 5.171653, 5.321051):
        centre = (20.75 * math.cos(angle), 20.75 * math.sin(angle))
        solid(axes, turned(tooth, angle, centre), BODY, zorder=1)
    for angle in (0.6, 0.6 + 2 * math.pi / 3, 0.6 + 4 * math.pi / 3):
        axes.plot(14.5 * math.cos(angle), 14.5 * math.sin(angle), "o", color=INK, markersize=4, zorder=3)
    for side in (-1, 1):
        x = 24 * side if side > 0 else -24 - 12
        axes.add_patch(Rectangle((x, -46), 12, 33, facecolor=OTHER, edgecolor=INK, linewidth=1.2))
        arrow(axes, (side * 33, -9), (side * 24.5, -9), INK, 2)
    bare(axes, (-37, 37), (-47, 25))


def block3d(axes, low, high, colour, alpha=1.0):
    (x0, y0, z0), (x1, y1, z1) = low, high
    corners = np.array([[x, y, z] for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)])
    faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
    light = [0.85, 0.85, 0.92, 0.78, 0.7, 1.06]
    base = np.array(matplotlib.colors.to_rgb(colour))
    axes.add_collection3d(Poly3DCollection([corners[f] for f in faces], alpha=alpha, edgecolor=INK, linewidth=0.7,
                                           facecolor=[np.clip(base * s, 0, 1) for s in light]))


def lift_scene(axes):
    block3d(axes, (-62, -50, -6), (62, 50, 0), FIXED)
    block3d(axes, (-30, -20, 72), (-20, 20, 146), OTHER)  # jaws
    block3d(axes, (-20, -30, 50), (20, 30, 90), BODY)  # the lifted part
    block3d(axes, (20, -20, 72), (30, 20, 146), OTHER)
    block3d(axes, (-52, -20, 146), (52, 20, 166), OTHER)
    axes.set_xlim(-55, 55)
    axes.set_ylim(-55, 55)
    axes.set_zlim(5, 150)
    axes.patch.set_alpha(0)
    axes.set_box_aspect((1, 1, 1.3))
    axes.view_init(14, -62)
    axes.set_axis_off()


def lift_map(axes):
    rows = list(csv.DictReader((STUDIES / "lift" / "lift.csv").open()))
    x, y = (sorted({float(row[key]) for row in rows}) for key in ("x_mm", "y_mm"))
    p = np.array([float(row["p"]) for row in rows]).reshape(len(y), len(x))
    axes.imshow(p, origin="lower", cmap="viridis", vmin=0, vmax=1, extent=(-33, 33, -44, 44), aspect="auto")
    axes.set_yticks([-40, -20, 0, 20, 40])
    axes.set_xlabel("part, x [mm]")
    axes.set_ylabel("y [mm]", labelpad=-6)


def gear_map(axes):
    picture = plt.imread(IMAGES / "gear_map.png")
    axes.imshow(picture[38:711, 88:762], extent=(-10.5, 10.5, -20.5, 0.5), aspect="auto")
    axes.set_xticks([-10, -5, 0, 5, 10])
    axes.set_yticks([-20, -15, -10, -5, 0])
    axes.set_xlabel("gripper, x [mm]")
    axes.set_ylabel("y [mm]", labelpad=0)


def engines(axes):
    rows = json.loads((STUDIES / "engines" / "engines_3d.json").read_text())["rows"]
    shown = [("pegrasp", "strict", INK, "o"), ("MuJoCo", "tuned", "tab:red", "s"),
             ("Bullet", "tuned, rigid bodies", "tab:green", "^"), ("Drake", "hydroelastic", "tab:blue", "v")]
    for engine, setting, colour, mark in shown:
        of = sorted((r for r in rows if r["engine"] == engine and r["setting"] == setting and r["friction"] == 0.3
                     and not r["failed"] and not r["left"]), key=lambda r: r["h_ms"])
        axes.loglog([r["overlap"] for r in of], [r["us_a_step"] * 1e-3 * r["duration_s"] / r["h_ms"] for r in of],
                    mark + "-", color=colour, markersize=5, linewidth=1.2, label=engine)
    axes.set_xlabel("largest overlap / volume of bodies")
    axes.set_ylabel("processor time [s]", labelpad=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=9, loc="upper left", frameon=False)


def strip():
    figure = plt.figure(figsize=(15.0, 3.5))
    widths = [0.17, 0.165, 0.135, 0.135, 0.215]
    lefts = [0.0, 0.215, 0.365, 0.565, 0.775]
    axes = [figure.add_axes([left, 0.12, width, 0.74], projection="3d" if i == 2 else None)
            for i, (left, width) in enumerate(zip(lefts, widths))]
    gear_scene(axes[0])
    gear_map(axes[1])
    lift_scene(axes[2])
    lift_map(axes[3])
    engines(axes[4])
    axes[2].set_position([0.365, 0.0, 0.19, 0.95])
    titles = ["A gripper closes on a gear", "success in 13,230 trials", "A gripper lifts a box",
              "success in 2,420 trials", "ten polyhedra poured into a box"]
    centres = [0.085, 0.2925, 0.457, 0.6325, 0.8825]
    for centre, title in zip(centres, titles):
        figure.text(centre, 0.91, title, ha="center", fontsize=11)
    save(figure, "strip")


# ------------------------------------------------------------------------------------------------- trials, cells and
# maps
def wilson(successes, trials, z=1.959964):
    p = successes / trials
    middle = p + z * z / (2 * trials)
    half = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    return (middle - half) / (1 + z * z / trials), (middle + half) / (1 + z * z / trials)


def concepts_map():
    figure, (grid, cell, bar) = plt.subplots(1, 3, figsize=(10.5, 3.3), width_ratios=[1.1, 1.1, 1.25])
    rng = np.random.default_rng(4)
    x, y = np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1, 1, 7))
    p = np.clip(1.35 - 1.3 * np.hypot(x, 0.8 * y) + 0.05 * rng.standard_normal(x.shape), 0, 1)
    grid.imshow(p, cmap="viridis", vmin=0, vmax=1, origin="lower")
    grid.set_xticks(np.arange(7) - 0.5, minor=True)
    grid.set_yticks(np.arange(7) - 0.5, minor=True)
    grid.grid(which="minor", color="white", linewidth=0.6)
    grid.tick_params(which="both", bottom=False, left=False, labelbottom=False, labelleft=False)
    grid.add_patch(Rectangle((4.5, 3.5), 1, 1, fill=False, edgecolor=BAD, linewidth=2.4))
    grid.set_title("map: a grid of cells")
    grid.set_xlabel("nominal placement, x")
    grid.set_ylabel("nominal placement, y")
    draws = rng.uniform(0.06, 0.94, (20, 2))
    colours = [GOOD] * 13 + [BAD] * 5 + [GREY] * 2
    marks = ["o"] * 13 + ["X"] * 5 + ["D"] * 2
    for (u, v), colour, mark in zip(draws, colours, marks):
        cell.plot(u, v, mark, color=colour, markersize=8)
    cell.add_patch(Rectangle((0, 0), 1, 1, fill=False, edgecolor=BAD, linewidth=2.4))
    cell.set_title("cell: 20 samples, each one trial")
    for colour, mark, text, at in ((GOOD, "o", "13 succeed", -0.12), (BAD, "X", "5 fail", 0.36),
                                   (GREY, "D", "2 unresolved", 0.66)):
        cell.plot(at + 0.02, -0.09, mark, color=colour, markersize=7, clip_on=False)
        cell.text(at + 0.07, -0.09, text, va="center", fontsize=9)
    bare(cell, (-0.03, 1.03), (-0.16, 1.03))
    low, high = wilson(13, 20)[0], wilson(15, 20)[1]
    bar.plot([low, high], [0.5, 0.5], color=INK, linewidth=3, solid_capstyle="butt")
    bar.plot(13 / 18, 0.5, "o", color=GOOD, markersize=11)
    bar.annotate("p = 13 / 18", (13 / 18, 0.5), (13 / 18, 0.68), ha="center",
                 arrowprops={"arrowstyle": "-", "color": GREY})
    bar.annotate("lower bound:\nunresolved = failed", (low, 0.5), (low - 0.1, 0.24), ha="center", fontsize=9,
                 arrowprops={"arrowstyle": "-", "color": GREY})
    bar.annotate("upper bound:\nunresolved = succeeded", (high, 0.5), (high + 0.05, 0.24), ha="center", fontsize=9,
                 arrowprops={"arrowstyle": "-", "color": GREY})
    bar.set_xlim(0.1, 1.16)
    bar.set_ylim(0, 1)
    bar.set_yticks([])
    for side in ("left", "right", "top"):
        bar.spines[side].set_visible(False)
    bar.set_xticks([0.2, 0.4, 0.6, 0.8, 1.0])
    bar.set_xlabel("probability of success")
    bar.set_title("result of the cell: p and its 95 % interval")
    figure.tight_layout()
    save(figure, "concepts_map")


# ------------------------------------------------------------------------------------------------------------- pair
# modes
def concepts_pair_mode():
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.6))
    table = [(-3.2, -1.6), (0.6, -1.6), (0.6, 0.0), (-3.2, 0.0)]
    block = turned(box(-0.75, -0.55, 1.5, 1.1), math.radians(24), (1.35, 0.95))
    lowest = min(block, key=lambda q: q[1])
    leftmost = min(block, key=lambda q: q[0])

    axes = panels[0]
    solid(axes, table, FIXED)
    solid(axes, block, BODY)
    axes.plot([-3.2, 3.0], [0, 0], "--", color=GOOD, linewidth=1.2)
    axes.plot([0.6, 0.6], [-1.9, 2.3], "--", color=BAD, linewidth=1.2)
    arrow(axes, (lowest[0], 0), lowest, GOOD, style="<|-|>")
    axes.text(lowest[0] + 0.12, -0.15, "gap above the top", color=GOOD, va="top", fontsize=9)
    arrow(axes, (leftmost[0], leftmost[1]), (0.6, leftmost[1]), BAD, style="<|-|>")
    axes.text(0.5, 1.72, "gap beside\nthe side: negative", color=BAD, ha="right", fontsize=9)
    axes.set_title("1  Every face gives a signed gap")

    axes = panels[1]
    solid(axes, table, FIXED)
    solid(axes, block, BODY)
    axes.plot([-3.2, 3.0], [0, 0], color=GOOD, linewidth=2.6)
    axes.add_patch(Rectangle((-3.2, -1.9), 6.2, 1.9, facecolor=GOOD, alpha=0.10))
    axes.plot(*lowest, "o", color=GOOD, markersize=7)
    axes.text(-3.1, 0.5, "the largest gap decides:\nthis corner stays\nabove this line", color=GOOD, fontsize=9)
    axes.set_title("2  One face is chosen: the pair mode")

    axes = panels[2]
    solid(axes, table, FIXED)
    later = turned(box(-0.75, -0.55, 1.5, 1.1), math.radians(38), (1.72, 0.18))
    solid(axes, block, "none", edgecolor=GREY, linestyle=":")
    solid(axes, later, BODY)
    corner = min(later, key=lambda q: q[0])
    axes.plot([-3.2, 3.0], [0, 0], "--", color=GREY, linewidth=1.0, zorder=0)
    axes.plot([0.6, 0.6], [-1.9, 2.3], color=BAD, linewidth=2.6)
    axes.add_patch(Rectangle((-3.2, -1.9), 3.8, 4.2, facecolor=BAD, alpha=0.08))
    axes.plot(*corner, "o", color=BAD, markersize=7)
    axes.text(-3.1, 0.62, "at the end pose the side\nseparates more: the next\npass takes the side", color=BAD,
              fontsize=9)
    axes.set_title("3  Checked at the end pose")
    for axes in panels:
        bare(axes, (-3.3, 3.1), (-2.0, 2.4))
    figure.tight_layout()
    save(figure, "concepts_pair_mode")


# ---------------------------------------------------------------------------------------------------- steps, passes,
# halves
def concepts_step():
    figure, axes = plt.subplots(figsize=(10.5, 3.1))
    axes.axis("off")
    axes.set_xlim(-1.5, 12.8)
    axes.set_ylim(-0.4, 4.1)
    for k in range(3):
        axes.add_patch(Rectangle((4 * k, 2.5), 4, 0.6, facecolor=(OTHER if k == 1 else BODY), edgecolor=INK))
        axes.text(4 * k + 2, 2.8, f"step {k + 41}", ha="center", va="center")
        axes.text(4 * k, 3.25, f"{(k + 40) * 5} ms", ha="center", fontsize=9)
    axes.text(12, 3.25, "215 ms", ha="center", fontsize=9)
    arrow(axes, (0, 3.75), (4, 3.75), INK, 1.0, "<->")
    axes.text(2, 3.85, "h = 5 ms", ha="center", fontsize=9)
    axes.text(-0.2, 2.8, "steps", ha="right", va="center")
    # the first step: passes
    for k, (text, colour) in enumerate((("pass 1", FIXED), ("pass 2", BODY))):
        axes.add_patch(Rectangle((0.15 + 1.85 * k, 1.25), 1.7, 0.6, facecolor=colour, edgecolor=INK))
        axes.text(1.0 + 1.85 * k, 1.55, text, ha="center", va="center", fontsize=9)
    axes.text(2.0, 1.05, "each pass: linearise, solve,\ncheck the end pose;\nthe second one is accepted", ha="center",
              va="top", fontsize=9)
    axes.plot([0, 0.15], [2.5, 1.85], [4, 3.7], [2.5, 1.85], color=GREY, linewidth=0.8)
    # the second: halved
    widths = [(4.0, 2.0, "h/2", BODY), (6.0, 1.0, "h/4", BODY), (7.0, 1.0, "h/4", BODY)]
    axes.add_patch(Rectangle((4.0, 1.55), 4, 0.42, facecolor="white", edgecolor=BAD, hatch="///", linewidth=1.0))
    axes.text(8.1, 1.76, "too deep, or not solved: undone", color=BAD, va="center", fontsize=9)
    axes.add_patch(Rectangle((6.0, 1.03), 2, 0.42, facecolor="white", edgecolor=BAD, hatch="///", linewidth=1.0))
    axes.text(8.1, 1.24, "its second half is undone, too", color=BAD, va="center", fontsize=9)
    for left, width, text, colour in widths:
        axes.add_patch(Rectangle((left, 0.45), width, 0.45, facecolor=colour, edgecolor=INK))
        axes.text(left + width / 2, 0.675, text, ha="center", va="center", fontsize=9)
    axes.text(8.1, 0.675, "three substeps make up the step", va="center", fontsize=9)
    axes.text(6.0, 0.2, "a substep that fails even at h/16 stays, and the trial is unresolved", ha="center", va="top",
              fontsize=9)
    for x in (4, 8):
        axes.plot([x, x], [0.3, 2.5], color=GREY, linewidth=0.8, linestyle=":")
    save(figure, "concepts_step")


# --------------------------------------------------------------------------------------------------------- internal
# edges
def concepts_internal_edge():
    figure, panels = plt.subplots(1, 2, figsize=(10, 2.5))
    for axes in panels:
        bare(axes, (-4.2, 4.2), (-1.5, 1.75))
    axes = panels[0]
    solid(axes, box(-4, -1, 4, 1), FIXED)
    solid(axes, box(0, -1, 4, 1), FIXED)
    axes.plot([0, 0], [-1, 0], color=BAD, linewidth=2.6)
    solid(axes, box(-2.3, 0, 1.6, 1), BODY)
    arrow(axes, (-0.6, 0.5), (0.7, 0.5))
    axes.text(0.15, -0.55, "internal edge: no force", color=BAD, fontsize=9, va="center")
    axes.set_title("Both parts are one body: the box slides on")
    axes = panels[1]
    solid(axes, box(-4, -0.6, 4, 0.6), FIXED)
    solid(axes, box(0, -1.3, 4, 1.3), FIXED)
    axes.plot([0, 0], [-1.3, -0.6], color=INK, linewidth=2.6)
    axes.plot([0, 0], [-0.6, 0], color=BAD, linewidth=2.6)
    solid(axes, box(-2.3, 0, 1.6, 1), BODY)
    arrow(axes, (-0.6, 0.5), (0.7, 0.5))
    axes.text(0.15, -0.3, "covered: no force", color=BAD, fontsize=9, va="center")
    axes.text(0.15, -0.97, "open: a surface", fontsize=9, va="center")
    axes.set_title("Different thickness, or two bodies: the same")
    figure.tight_layout()
    save(figure, "concepts_internal_edge")


# ------------------------------------------------------------------------------------------------------- jam, support
def concepts_jam():
    figure, panels = plt.subplots(1, 2, figsize=(9.5, 3.1))
    slope = math.radians(72)
    wall = (math.cos(slope), math.sin(slope))
    for axes, jam in zip(panels, (False, True)):
        bare(axes, (-3.1, 3.1), (-0.35, 3.3))
        tilt = slope if jam else math.radians(40)
        wall = (math.cos(tilt), math.sin(tilt))
        depth = 1.1 if jam else 0.75
        reach = 3.0 / wall[1]
        for side in (-1, 1):
            solid(axes, [(side * 3, 0.0), (0, 0)] + ([(side * wall[0] * reach, wall[1] * reach), (side * 3, 3.0)]
                                                     if wall[0] * reach < 3 else
                  [(side * 3, 3 * math.tan(tilt))]), FIXED)
        top = 2.25 if jam else 1.75
        at = lambda height: height / math.tan(tilt)
        solid(axes, [(-at(depth), depth), (at(depth), depth), (at(top), top), (-at(top), top)], BODY)
        middle = 0.5 * (depth + top)
        normal = (-wall[1], wall[0])
        tangent = (-wall[0], -wall[1])
        for side in (-1, 1):
            foot = (side * at(middle), middle)
            tip = (foot[0] + side * normal[0] * (0.5 if jam else 0.9), foot[1] + normal[1] * (0.5 if jam else 0.9))
            arrow(axes, foot, tip, GOOD)
            drag = (foot[0] + side * tangent[0] * (0.75 if jam else 0.35),
                    foot[1] + tangent[1] * (0.75 if jam else 0.35))
            arrow(axes, foot, drag, BAD)
        if not jam:
            arrow(axes, (0, 1.95), (0, 2.6), INK)
            axes.text(0.15, 2.3, "slides out", fontsize=9)
        else:
            axes.text(0, 2.6, "stays put", fontsize=9, ha="center")
    panels[0].set_title("Flat walls: the normal forces win")
    panels[1].set_title("Steep walls: jammed by friction")
    figure.text(0.5, 0.02, "green: normal force, red: friction", ha="center", fontsize=9, color=GREY)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    save(figure, "concepts_jam")


def concepts_support():
    figure, panels = plt.subplots(1, 3, figsize=(10.8, 2.9))
    axes = panels[0]
    axes.add_patch(Circle((0, 0), 1.3, facecolor=BODY, edgecolor=INK))
    axes.add_patch(Circle((0, 0), 0.9, fill=False, edgecolor=GREY, linestyle="--"))
    points = [(0.9 * math.cos(a), 0.9 * math.sin(a)) for a in (0.5, 2.7, 4.7)]
    axes.add_patch(Polygon(points, fill=False, edgecolor=INK, linewidth=1))
    for x, y in points:
        axes.plot(x, y, "o", color=INK, markersize=6)
        arrow(axes, (x, y), (x - 0.62, y - 0.06), BAD)
    axes.plot(0, 0, "+", color=INK, markersize=10)
    arrow(axes, (1.0, 1.35), (1.75, 1.35))
    axes.text(1.85, 1.35, "motion", va="center", fontsize=9)
    axes.set_title("2D, from above: tripod of support points")
    bare(axes, (-2.2, 2.7), (-1.5, 1.7))
    for axes, level in ((panels[1], False), (panels[2], True)):
        floor = -0.125 if level else -0.5
        solid(axes, box(-2.4, -1.3, 4.8, 1.3 + floor), FIXED, zorder=0)
        solid(axes, box(-1.5, -0.5 if level else 0.0, 3.0, 0.75), BODY, alpha=0.85)
        for x in (-1.0, 1.0):
            axes.add_patch(Circle((x, floor + 0.25), 0.25, facecolor="white", edgecolor=INK, zorder=3))
        if level:
            axes.plot([-2.4, 2.4], [floor, floor], color=INK, linewidth=1.2, zorder=2)
        axes.text(0, -0.95, "the table touches the spheres only" if level else "spheres stand on the table", fontsize=9,
                  ha="center", va="center")
        push = 0.375 + floor - 0.25 if level else 0.375
        arrow(axes, (-2.35, 0.02 if level else push), (-1.55, 0.02 if level else push))
        bare(axes, (-2.5, 2.5), (-1.4, 1.1))
    panels[1].set_title('3D, "below": support spheres')
    panels[2].set_title('3D, "level"')
    figure.tight_layout()
    save(figure, "concepts_support")


PICTURES = {f.__name__: f for f in (strip, concepts_map, concepts_pair_mode, concepts_step, concepts_internal_edge,
                                    concepts_jam, concepts_support)}


def main():
    names = sys.argv[1:] or list(PICTURES)
    for name in names:
        if name not in PICTURES:
            sys.exit(f"draw_concepts.py: no such picture: {name}; there are {', '.join(PICTURES)}")
        PICTURES[name]()


if __name__ == "__main__":
    main()

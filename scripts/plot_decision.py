#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a command has found (compare, design, identify, ...): plot_decision.py compare.json compare.png

Says in one line why, and leaves no picture, when that fails. Exit code 74: the picture could not be written.
"""

import json
import os
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
except ImportError as error:
    sys.exit(f"{error}; install python3-matplotlib and python3-numpy")

CANNOT_WRITE = 74  # exit code, by which src/map/plot_script.cpp tells a full disk from a missing library
MOST_CURVES = 12   # of explain: the parameters with the largest total index
BLUE, ORANGE = "#31688e", "#d1762c"


def edges(centres):
    """Cell edges from cell centres, evenly or unevenly spaced."""
    centres = np.asarray(centres, float)
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def label(name, about):
    """x_mm as a person reads it."""
    if about["label"]:
        return about["label"]
    end = "_" + about["unit"].lower().replace(" ", "_").replace("/", "_")
    return f"{name[:-len(end)]} [{about['unit']}]" if name.endswith(end) else name


def places(values):
    """Where the values of an axis are drawn, and their texts where they are no numbers."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return np.asarray(values, float), None
    return np.arange(len(values), dtype=float), [plain(str(value)) for value in values]


def plain(text):
    """$ is a dollar, not the start of a formula."""
    return text.replace("$", r"\$")


def cells(figure, axes, found, values, colours, low, high, bar):
    """A heat map of one number a cell, and the edges of its cells: along the first axis that has several values, and
    the second, or all combinations of the others."""
    several = [k for k, one in enumerate(found["values"]) if len(one) > 1]
    shown = (several + [k for k in range(len(found["values"])) if k not in several])[:max(2, len(several))]
    shown = sorted(shown) if len(several) != 1 else shown
    names = [label(found["axes"][k], found["about_axes"][k]) for k in shown] + [""]
    at, texts = places(found["values"][shown[0]])
    rows, row_texts = np.arange(len(values) // len(at), dtype=float), None
    if len(shown) == 2:
        rows, row_texts = places(found["values"][shown[1]])
    x, y = edges(at), edges(rows)
    numbers = np.array([np.nan if value is None else value for value in values], float)
    mesh = axes.pcolormesh(x, y, np.ma.masked_invalid(numbers.reshape(len(rows), len(at))), cmap=colours, vmin=low,
                           vmax=high)
    axes.set_facecolor("0.8")
    axes.set_xlabel(plain(names[0]))
    axes.set_ylabel(plain(names[1] if len(shown) <= 2 else "combinations of " + ", ".join(names[1:-1])))
    if texts:
        axes.set_xticks(at, texts)
    if row_texts:
        axes.set_yticks(rows, row_texts)
    if found["about_axes"][shown[0]]["log"] and x[0] > 0.0:
        axes.set_xscale("log")
    axes.set_box_aspect(1)
    figure.colorbar(mesh, ax=axes).set_label(bar)
    return x, y


def outline(axes, x, y, chosen, colour):
    """Frames around cells, given by their numbers."""
    columns = len(x) - 1
    frames = [Rectangle((x[c % columns], y[c // columns]), x[c % columns + 1] - x[c % columns],
                        y[c // columns + 1] - y[c // columns]) for c in chosen]
    axes.add_collection(PatchCollection(frames, facecolor="none", edgecolor=colour, linewidth=1.2))


def compare(found):
    """Difference of p in every cell; cells that differ for sure are framed."""
    figure, axes = plt.subplots(figsize=(7.2, 6.2), dpi=150)
    known = [abs(value) for value in found["difference"] if value is not None]
    most = max(known + [0.01])
    x, y = cells(figure, axes, found, found["difference"], "RdBu", -most, most, "p of B minus p of A")
    outline(axes, x, y, [c for c, differs in enumerate(found["differs"]) if differs], "black")
    total = found["all"]
    if total["difference"] is not None:
        axes.set_title(f"overall {total['difference']:+.4f} [{total['ci_low']:+.4f}, {total['ci_high']:+.4f}], "
                       f"p-value {total['mcnemar_p']:.2g}\nframed: cells that differ at 5 % (Holm)", fontsize=9)
    figure.suptitle(plain(f"A: {found['a']['title']}\nB: {found['b']['title']}"), fontsize=10)
    figure.tight_layout()
    return figure


def best(found):
    """Lower bound of every cell; the best is framed."""
    figure, axes = plt.subplots(figsize=(7.2, 6.2), dpi=150)
    x, y = cells(figure, axes, found, found["low_of_cells"], "viridis", 0.0, 1.0, "lower bound of p, smoothed")
    outline(axes, x, y, [found["cell"]], "red")
    interval = f"[{found['low']:.3f}, {found['high']:.3f}]"
    axes.set_title(f"best: cell {found['cell']}, p {found['smoothed_p']:.3f} {interval}\n"
                   f"none is better by more than {found['regret_95']:.3f} (95 %)", fontsize=9)
    figure.suptitle(plain(found["title"]), fontsize=11)
    figure.tight_layout()
    return figure


def bars(axes, parameters):
    """First-order and total indices with their intervals."""
    place = np.arange(len(parameters))
    for kind, shift, colour, name in (("first", -0.18, BLUE, "by itself"), ("total", 0.18, ORANGE, "in total")):
        value = np.array([parameter[kind]["value"] for parameter in parameters])
        low = value - np.array([parameter[kind]["ci_low"] for parameter in parameters])
        high = np.array([parameter[kind]["ci_high"] for parameter in parameters]) - value
        axes.barh(place + shift, value, 0.34, color=colour, label=name,
                  xerr=np.clip([low, high], 0.0, None), error_kw={"elinewidth": 0.8})
    axes.set_yticks(place, [plain(parameter["name"]) for parameter in parameters], fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.4", linewidth=0.6)
    axes.set_xlabel("share of the variance of success", fontsize=8)
    axes.legend(fontsize=8)


def curve(axes, parameter):
    """Success against one parameter, with its 95 % band."""
    points = parameter["curve"]
    at = [point["mean"] for point in points]
    axes.fill_between(at, [point["ci_low"] for point in points], [point["ci_high"] for point in points], color=BLUE,
                      alpha=0.25, linewidth=0)
    axes.plot(at, [point["p"] for point in points], color=BLUE, marker=".", linewidth=1)
    axes.set_ylim(-0.03, 1.03)
    unit = "" if parameter["unit"] == "1" else f" [{parameter['unit']}]"
    axes.set_xlabel(plain(parameter["name"] + unit), fontsize=8)
    axes.tick_params(labelsize=7)


def explain(found):
    """Bars of the indices above, a curve for each parameter below."""
    shown = found["parameters"][:MOST_CURVES]
    columns = min(4, len(shown))
    rows = -(-len(shown) // columns)
    high, low = 1.3 + 0.4 * len(shown), 2.1 * rows + 0.2  # [inch]
    figure = plt.figure(figsize=(10, high + low), dpi=130)
    top, below = figure.subfigures(2, 1, height_ratios=[high, low])
    axes = top.subplots()
    bars(axes, shown)
    pair = found["strongest_pair"]
    note = f"{found['resolved']:,} trials, {100.0 * found['successes'] / found['resolved']:.1f} % succeed"
    if pair:
        note += f"; {' and '.join(pair['parameters'])} interact most: {pair['second']['value']:.3f}"
    where = "" if found["cell"] is None else f", cell {found['cell']}"
    axes.set_title(plain(f"{found['title']}{where}\n{note}"), fontsize=9)
    top.subplots_adjust(left=0.24, right=0.97, top=1.0 - 0.5 / high, bottom=0.5 / high)
    panels = below.subplots(rows, columns, squeeze=False, sharey=True)
    for axes, parameter in zip(panels.flat, shown):
        curve(axes, parameter)
    for axes in list(panels.flat)[len(shown):]:
        axes.set_visible(False)
    panels[0][0].set_ylabel("p", fontsize=8)
    below.subplots_adjust(left=0.07, right=0.97, top=1.0 - 0.1 / low, bottom=0.5 / low, wspace=0.12, hspace=0.4)
    return figure


def rare(found):
    """The probability of a smaller (or larger) measure, run by run, down to the failure with its interval."""
    figure, axes = plt.subplots(figsize=(6.4, 4.2), dpi=130)
    for number, run in enumerate(found["levels_of_runs"] or [found["pilot"]]):
        levels = [level for level in run["levels"] if level["probability"] > 0.0]
        axes.plot([level["measure"] for level in levels], [level["probability"] for level in levels], color=BLUE,
                  alpha=0.5, linewidth=0.8, marker=".", markersize=3, label="" if number else "runs")
    side = "above" if "above" in found else "below"
    limit = found[side]
    note = found.get("reason", "")
    if found["status"] == "estimated":
        p, low, high = found["probability"], found["ci_low"], found["ci_high"]
        if low > 0.0:
            axes.errorbar([limit], [p], yerr=[[p - low], [high - p]], color=ORANGE, marker="o", markersize=4, capsize=4,
                          label="failure, 95 % interval", zorder=3)
        note = (f"failure {p:.3g} [{low:.3g}, {high:.3g}] from {found['trials']:,} trials; "
                f"counting needs {found['trials_to_count']:.2g}")
    else:
        axes.axvline(limit, color=ORANGE, linewidth=1, label="failure")
    axes.set_yscale("log")
    name = "margin of success" if found["measure"] == "success" else found["measure"]
    axes.set_xlabel(plain(name + (f" [{found['unit']}]" if found["unit"] else "")))
    axes.set_ylabel(f"probability of a {'larger' if side == 'above' else 'smaller'} one")
    axes.grid(alpha=0.3, linewidth=0.5)
    axes.legend(fontsize=8, frameon=False)
    axes.set_title(plain(f"{found['title']}, cell {found['cell']}\n{note[:100]}"), fontsize=8)
    figure.tight_layout()
    return figure


def show_paths(axes, picture, path, colour):
    """Fixed parts, and where the first body is at equal times in the course of a trial."""
    for outline in picture["fixed_mm"]:
        axes.fill(*np.transpose(outline), color="0.75", linewidth=0)
    for k, (x, y, turn) in enumerate(path):
        cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        fade = 0.25 + 0.75 * (k + 1) / len(path)
        for outline in picture["moving_mm"]:
            points = np.array(outline) @ np.array([[cosine, sine], [-sine, cosine]]) + [x, y]
            axes.fill(*points.T, facecolor=colour, edgecolor="white", linewidth=0.3, alpha=fade)
    centres = np.array(path)
    axes.plot(centres[:, 0], centres[:, 1], color="black", marker="x", markersize=3, linewidth=0.6)
    room = 0.25 * max(np.ptp(centres[:, 0]), np.ptp(centres[:, 1])) + 10.0
    axes.set_xlim(centres[:, 0].min() - room, centres[:, 0].max() + room)
    axes.set_ylim(centres[:, 1].min() - room, centres[:, 1].max() + room)
    axes.set_aspect("equal")
    axes.set_xlabel("x [mm]")


def design(found):
    """What each level cost, naive and hierarchical, and trials of a design that passed."""
    paths = found.get("picture", {}).get("paths", [])
    figure, all_axes = plt.subplots(1, 1 + len(paths), figsize=(4.2 + 2.6 * len(paths), 4.4), dpi=130, squeeze=False,
                                    width_ratios=[1.2] + [1.0] * len(paths))
    bars_axes = all_axes[0][0]
    columns = [("naive", "naive_s"), ("hierarchical", "hierarchical_s")]
    for place, (_, key) in enumerate(columns):
        base = 0.0
        for row, colour in zip(found["table"][:-1], (ORANGE, BLUE)):
            seconds = row[key] or 0.0
            bars_axes.bar(place, seconds, bottom=base, color=colour, width=0.6, label="" if place else row["level"])
            base += seconds
        text = f"{base:.3g} s" if found["table"][-1][key] is not None else "not measured"
        bars_axes.annotate(text, (place, base), ha="center", va="bottom", fontsize=8)
    bars_axes.set_xticks([0, 1], [name for name, _ in columns])
    bars_axes.set_ylabel("time to verify [s]")
    bars_axes.legend(fontsize=8, frameon=False)
    refused = ", ".join(f"{level['level']} refuses {level['refused']}" for level in found["levels"])
    bars_axes.set_title(plain(f"{found['designs']} designs, {len(found['passed'])} pass\n{refused}"), fontsize=8)
    for axes, path in zip(all_axes[0][1:], paths):
        show_paths(axes, found["picture"], path, BLUE)
    figure.tight_layout()
    return figure


def optimise(found):
    """The objective at every evaluation, and the least so far."""
    values = np.array([np.nan if value is None else value for value in found["values"]])
    numbers = np.arange(1, len(values) + 1)
    figure, axes = plt.subplots(figsize=(6.4, 4.2), dpi=130)
    axes.plot(numbers, values, ".", color=BLUE, label="evaluation")
    axes.step(numbers, np.fmin.accumulate(values), where="post", color=ORANGE, label="least so far")
    axes.set_xlabel("evaluations")
    axes.set_ylabel(f"objective ({found['objective']})")
    axes.legend(fontsize=8, frameon=False)
    texts = [f"{one['name']} = {one['optimum']:.5g}" for one in found["parameters"][:4]]
    axes.set_title(plain(", ".join(texts)), fontsize=8)
    figure.tight_layout()
    return figure


def placed(points, pose):
    """Points of a body [mm] at a pose [mm, mm, degrees]."""
    x, y, turn = pose
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return np.array(points) @ np.array([[cosine, sine], [-sine, cosine]]) + [x, y]


def plan(found):
    """The body before each push and after the last, the way of the pusher, and the goal."""
    picture = found["picture"]
    figure, axes = plt.subplots(figsize=(6.4, 5.0), dpi=130)
    poses = [push["body"] for push in found["pushes"]] + [picture["end"]]
    for k, pose in enumerate(poses):
        shade = 0.15 + 0.6 * k / len(found["pushes"])
        axes.fill(*placed(picture["body_mm"], pose).T, facecolor=BLUE, edgecolor=BLUE, alpha=shade, linewidth=0.8)
    corners = placed(picture["body_mm"], picture["goal"])
    axes.plot(*np.vstack([corners, corners[:1]]).T, color="black", linewidth=1.0, linestyle="--", label="goal")
    way = np.array(picture["way"])
    axes.plot(way[:, 1], way[:, 2], color="0.5", linewidth=0.7, label="way of the pusher")
    for k, push in enumerate(found["pushes"]):
        start = np.array(push["touch_mm"])
        end = start + push["length_mm"] * np.array(push["direction"])
        axes.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": ORANGE, "linewidth": 1.6})
        axes.add_patch(plt.Circle(start, picture["pusher_mm"], color=ORANGE))
        axes.annotate(str(k + 1), start, xytext=(4, 4), textcoords="offset points", color=ORANGE, fontsize=9)
    share, draws = found["fresh"], "fresh draws"
    if share["trials"] == 0:
        share, draws = found["samples"], "samples of the search"
    axes.set_title(f"{share['successes']} of {share['trials']} {draws} succeed, at least "
                   f"{share['success_interval'][0]:.3f} at 95 %", fontsize=9)
    axes.set_aspect("equal")
    axes.set_xlabel("x [mm]")
    axes.set_ylabel("y [mm]")
    axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    return figure


def identify(found):
    """Each parameter over time, and within a standard deviation."""
    count = len(found["parameters"])
    figure, all_axes = plt.subplots(count, 1, figsize=(6.4, 1.6 + 2.4 * count), dpi=130, squeeze=False, sharex=True)
    values = np.array(found["values"], float)
    spread = np.array([[np.nan if one is None else one for one in row] for row in found["sd"]], float)
    for k, (one, axes) in enumerate(zip(found["parameters"], all_axes[:, 0])):
        low, high = values[:, k] - spread[:, k], values[:, k] + spread[:, k]
        axes.fill_between(found["time_s"], low, high, color=BLUE, alpha=0.25, linewidth=0)
        axes.plot(found["time_s"], values[:, k], color=BLUE, label=found["method"])
        axes.axhline(one["value"], color=ORANGE, linewidth=0.8, label=f"{one['value']:.5g}")
        axes.set_ylabel(plain(one["name"]), fontsize=8)
        axes.legend(fontsize=8, frameon=False)
    all_axes[-1, 0].set_xlabel("time [s]")
    figure.tight_layout()
    return figure


def made_by(found):
    """The version and revision that decided, for the text in the picture's file."""
    return f"pegrasp {found['version']}" + (f" ({found['git']})" if found["git"] else "")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_decision.py FOUND.json PICTURE.png")
    source, target = sys.argv[1:]
    partial = f"{target}.{os.getpid()}.tmp.png"
    try:
        with open(source, encoding="utf-8") as file:
            found = json.load(file)
        figure = {"compare": compare, "explain": explain, "best": best, "rare": rare,
                  "design": design, "optimise": optimise, "identify": identify,
                  "plan": plan}[found["kind"]](found)
        try:
            figure.savefig(partial, metadata={"Software": made_by(found)})
            os.replace(partial, target)
        except OSError as error:
            print(error.strerror or " ".join(str(error).split()), file=sys.stderr)
            sys.exit(CANNOT_WRITE)
    except Exception as error:
        sys.exit(f"{source} to {target}: " + (" ".join(str(error).split()) or type(error).__name__))
    finally:
        if os.path.exists(partial):
            os.remove(partial)


if __name__ == "__main__":
    main()

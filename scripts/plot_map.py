#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a success map: plot_map.py map.h5 map.png

One axis becomes a curve with the band of its intervals, two a heat map, more a heat map of the first two for each of
the values of the others.

Says in one line why, and leaves no picture, when that fails. Exit code 74: the picture could not be written.
"""

import os
import secrets
import sys
import textwrap

try:
    import h5py
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
    from mpl_toolkits.axes_grid1 import make_axes_locatable
except ImportError as error:
    sys.exit(f"{error}; install python3-matplotlib and python3-h5py")

LONGER_SIDE = 6.0  # of the axes [inch]
MOST_PANELS = 36    # of a map with more than two axes
BLUE = "#31688e"
CANNOT_WRITE = 74   # exit code, by which src/map/plot_script.cpp tells a full disk from a missing library


def edges(centres, width_of_one=1.0):
    """Cell edges from cell centres, evenly or unevenly spaced; a single cell is `width_of_one` wide."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5 * width_of_one, centres[0] + 0.5 * width_of_one])
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def axes_of(file):
    """Names of the axes, with their units: x_mm."""
    return [text_of(name) for name in file.attrs.get("axes", ["x_mm", "y_mm"])]


def text_of(value):
    """An attribute as text."""
    return value.decode() if isinstance(value, bytes) else str(value)


class Axis:
    """An axis of a map: its values, how they are written, and where they are drawn."""

    def __init__(self, file, name):
        self.name = name
        self.values = np.asarray(file[name][:], float)
        about = file[name].attrs
        self.categorical = "values" in about
        self.texts = [f"{value:g}" for value in self.values]
        if self.categorical:
            self.texts = [text_of(text) for text in about["values"]]
        self.log = "scale" in about
        unit = text_of(about["unit"]) if "unit" in about else "1"
        self.words = text_of(about["label"]) if "label" in about else name
        if "label" not in about and unit != "1":
            self.words = f"{self.base(name, unit)} [{unit}]"

    @staticmethod
    def base(name, unit):
        """max_force of max_force_n, whose unit is N."""
        end = "_" + unit.lower().replace(" ", "_").replace("/", "_").replace("^", "")
        return name[:-len(end)] if name.endswith(end) else name

    def edges(self):
        """Edges of the cells, halfway between the values."""
        if self.log and len(self.values) > 1:
            return np.exp(edges(np.log(self.values)))
        step = abs(self.values[0]) * 0.1 if len(self.values) == 1 and self.values[0] else 1.0
        return edges(self.values, step)

    def show(self, axes, along_x):
        """Scale, ticks and label of an axis of the picture."""
        if self.log:
            (axes.set_xscale if along_x else axes.set_yscale)("log")
        if self.categorical:
            texts = [plain(text, 18) for text in self.texts]
            if along_x:
                axes.set_xticks(self.values, texts, rotation=0 if sum(map(len, texts)) < 45 else 30)
            else:
                axes.set_yticks(self.values, texts)
        (axes.set_xlabel if along_x else axes.set_ylabel)(plain(self.words, 60))


class Added:
    """The cells that were added between those of a map, coarse before fine; none in most maps."""

    def __init__(self, file):
        group = file["refined"] if "refined" in file else {}
        self.columns = {name: group[name][:] for name in group}
        if self.columns:
            rows = self.columns["level"] > 0
            self.columns = {name: column[rows] for name, column in self.columns.items()}

    def where(self, places):
        """The cells at these values of axes, {name: value}."""
        out = Added({})
        if not self.columns:
            return out
        rows = np.ones(len(self.columns.get("level", [])), bool)
        for name, value in places.items():
            rows &= self.columns[name] == value
        out.columns = {name: column[rows] for name, column in self.columns.items()}
        return out

    def draw(self, axes, first, second):
        """Each cell as a square of its size on (name, values, log) of two axes."""
        if not len(self.columns.get("level", [])):
            return
        parts = 0.5 ** self.columns["level"]
        lows, highs = zip(*(self.sides(axis, parts) for axis in (first, second)))
        squares = [Rectangle((x, y), right - x, top - y) for x, y, right, top in zip(*lows, *highs)]
        cells = PatchCollection(squares, cmap="viridis", edgecolor=(1, 1, 1, 0.35), linewidth=0.3)
        cells.set_array(np.ma.masked_invalid(self.columns["p"]))
        cells.set_clim(0.0, 1.0)
        axes.add_collection(cells)

    def sides(self, axis, parts):
        """The sides of the cells along an axis: they are so large a part of the map's cells there."""
        name, values, log = axis
        at = self.columns[name]
        if log:
            at, values = np.log(at), np.log(values)
        order = np.argsort(values)
        steps = np.abs(np.gradient(values)) if len(values) > 1 else np.ones(1)
        half = 0.5 * parts * np.interp(at, values[order], steps[order])
        return (np.exp(at - half), np.exp(at + half)) if log else (at - half, at + half)


def label(name):
    """x_mm as a person reads it."""
    return "{} [{}]".format(*name.rsplit("_", 1))


def cell_edges(file):
    """Edges along x and y; a map of one row or column has square cells."""
    x, y = (file[name][:] for name in axes_of(file))
    step_x = abs(x[1] - x[0]) if len(x) > 1 else None
    step_y = abs(y[1] - y[0]) if len(y) > 1 else None
    return edges(x, step_x or step_y or 1.0), edges(y, step_y or step_x or 1.0)


def draw(axes, file, title=None):
    """The cells of one map as drawn squares; returns the mesh for a colour bar."""
    x, y = cell_edges(file)
    mesh = axes.pcolormesh(x, y, np.ma.masked_invalid(file["p"][:]), cmap="viridis", vmin=0.0, vmax=1.0,
                           edgecolors=(1, 1, 1, 0.35), linewidth=0.4)
    axes.set_facecolor("0.8")
    unresolved = [Rectangle((x[column], y[row]), x[column + 1] - x[column], y[row + 1] - y[row])
                  for row, column in zip(*np.nonzero(file["unresolved"][:]))]
    axes.add_collection(PatchCollection(unresolved, facecolor="none", edgecolor="red", linewidth=0.8, hatch="/////"))
    x_name, y_name = axes_of(file)
    Added(file).draw(axes, (x_name, file[x_name][:], False), (y_name, file[y_name][:], False))
    same = x_name.rsplit("_", 1)[1] == y_name.rsplit("_", 1)[1]
    # axes of two units have no common scale: the picture is square then
    axes.set_aspect("equal" if same else abs((x[-1] - x[0]) / (y[-1] - y[0])))
    axes.set_xlabel(label(x_name))
    axes.set_ylabel(label(y_name))
    if title is not None:
        axes.set_title(title)
    return mesh


def heat_map(axes, p, unresolved, first, second, added):
    """Cells of two axes as drawn squares; returns the mesh for a colour bar."""
    x, y = first.edges(), second.edges()
    mesh = axes.pcolormesh(x, y, np.ma.masked_invalid(p), cmap="viridis", vmin=0.0, vmax=1.0,
                           edgecolors=(1, 1, 1, 0.35), linewidth=0.4)
    axes.set_facecolor("0.8")
    hatched = [Rectangle((x[i], y[j]), x[i + 1] - x[i], y[j + 1] - y[j]) for j, i in zip(*np.nonzero(unresolved))]
    axes.add_collection(PatchCollection(hatched, facecolor="none", edgecolor="red", linewidth=0.8, hatch="/////"))
    added.draw(axes, (first.name, first.values, first.log), (second.name, second.values, second.log))
    first.show(axes, True)
    second.show(axes, False)
    return mesh


def curve(figure, axis, arrays, added):
    """Success along one axis, with the band of its intervals."""
    axes = figure.subplots()
    p, low, high = (arrays[name] for name in ("p", "ci_low", "ci_high"))
    at = axis.values
    if added.columns:
        at = np.concatenate([at, added.columns[axis.name]])
        order = np.argsort(at)
        at = at[order]
        p, low, high = (np.concatenate([arrays[name], added.columns[name]])[order]
                        for name in ("p", "ci_low", "ci_high"))
    if axis.categorical:
        axes.errorbar(axis.values, p, yerr=np.clip([p - low, high - p], 0.0, None), fmt="o", capsize=4, color=BLUE)
        axes.set_xlim(-0.5, len(axis.values) - 0.5)
    else:
        axes.fill_between(at, low, high, color=BLUE, alpha=0.25, linewidth=0)
        axes.plot(at, p, color=BLUE, marker="o", markersize=3, linewidth=1)
    axes.set_ylim(-0.03, 1.03)
    axes.set_ylabel("probability of success")
    axes.grid(color="0.9", linewidth=0.6)
    axis.show(axes, True)


def some_of(axes, most):
    """At most so many combinations of the values of some axes, at even distances, the first axis fastest."""
    places = [()]
    for axis in reversed(axes):
        places = [(i,) + place for place in places for i in range(len(axis.values))]
    if len(places) <= most:
        return places
    return [places[round(k * (len(places) - 1) / (most - 1))] for k in range(most)]


def panels(figure, shown, arrays, added):
    """A heat map of the first two axes for each combination of the others."""
    first, second, *others = shown
    places = some_of(others, MOST_PANELS)
    columns = min(len(others[0].values) if others else 1, 6, len(places))
    rows = -(-len(places) // columns)
    figure.set_size_inches(max(5.5, 2.6 * columns + 1.4), 2.5 * rows + 1.2 if others else 5.2)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for axes, place in zip(grid.flat, places):
        at = tuple(reversed(place)) + (slice(None), slice(None))
        here = added.where({axis.name: axis.values[i] for axis, i in zip(others, place)})
        mesh = heat_map(axes, arrays["p"][at], arrays["unresolved"][at], first, second, here)
        if others:
            words = [f"{axis.words} = {axis.texts[i]}" for axis, i in zip(others, place)]
            axes.set_title(plain(", ".join(words), 40), fontsize=8)
            axes.label_outer()
    for axes in list(grid.flat)[len(places):]:
        axes.set_visible(False)
    figure.colorbar(mesh, ax=grid.ravel().tolist()).set_label("probability of success")


def sweep(file):
    """The figure of a map whose axes are not x and y alone."""
    every = [Axis(file, name) for name in axes_of(file)]
    shown = [axis for axis in every if len(axis.values) > 1] or every[:1]
    shape = tuple(len(axis.values) for axis in reversed(shown))
    arrays = {name: file[name][:].reshape(shape) for name in ("p", "ci_low", "ci_high", "unresolved")}
    figure = plt.figure(figsize=(7.0, 4.6), dpi=150, layout="constrained")
    if len(shown) == 1:
        curve(figure, shown[0], arrays, Added(file))
    else:
        panels(figure, shown, arrays, Added(file))
    figure.suptitle(plain(file.attrs["title"], 60) + "\n", fontsize=12)
    figure.text(0.5, 0.0, plain_lines(note(file), 110), fontsize=8, color="0.3", ha="center", va="top")
    return figure


def plain_lines(text, width):
    """The lines of a text, each no longer than `width`."""
    return "\n".join(plain(line, width) for line in text.split("\n"))


def note(file):
    """The line under the title: how much was simulated, and how."""
    about = file.attrs
    trials, unresolved = int(file["samples"][:].sum()), int(file["unresolved"][:].sum())
    most = "up to " if "interval" in about else ""
    text = (f"{trials:,} trials, {most}{about['samples_per_cell']} a cell; contact {about['contact']}, "
            f"solver {about['solver']}, {step_of(about['h_s'])}, {about['arithmetic']}")
    if "refined" in file:
        text += f"\n{int((file['refined/level'][:] > 0).sum()):,} cells added where the map is steep"
    if unresolved:
        text += f"\n{unresolved:,} unresolved (hatched cells)"
    return text + step_check(file)


def step_of(h):
    """The step in words; an axis that moves it leaves no number."""
    return "h varies" if np.isnan(h) else f"h = {1e3 * h:g} ms"


def step_check(file):
    """The line that says what half the step changes; empty without a check."""
    if "step_check" not in file:
        return ""
    group = file["step_check"]
    about = group.attrs
    changed = int(group["failed_then_succeeded"][:].sum() + group["succeeded_then_failed"][:].sum())
    text = f"\nhalf the step changes {changed:,} of {int(about['compared']):,} outcomes"
    if about["compared"]:
        text += f", p by {about['bias']:+.4f} [{about['bias_ci_low']:+.4f}, {about['bias_ci_high']:+.4f}]"
    if "cold_compared" in about:
        text += f"; a cold start {int(group['cold_start'][:].sum()):,} of {int(about['cold_compared']):,}"
    return text


def made_by(file):
    """The version and revision that the map is from, for the text in the picture's file."""
    git = file.attrs.get("git")
    return f"pegrasp {file.attrs['version']}" + (f" ({git})" if git else "")


def plain(text, width):
    """Text in lines of at most `width`; $ is a dollar, not the start of a formula."""
    return "\n".join(textwrap.wrap(text, width)).replace("$", r"\$")


def picture(file):
    """The whole figure of a map."""
    if not set(axes_of(file)) <= {"x_mm", "y_mm", "yaw_deg"}:
        return sweep(file)
    x, y = cell_edges(file)
    wide, high = abs(x[-1] - x[0]), abs(y[-1] - y[0])
    if "yaw_deg" in axes_of(file):
        high = wide
    scale = LONGER_SIDE / max(wide, high)
    # The axes keep their shape inside this area; the rest is cut off when the figure is saved.
    figure, axes = plt.subplots(figsize=(max(1.0, scale * wide) + 1.6, max(0.6, scale * high) + 1.6), dpi=150)
    mesh = draw(axes, file)
    lying = high < 0.4 * wide
    bar_axes = make_axes_locatable(axes).append_axes("bottom" if lying else "right", size=0.25, pad=0.6 if lying
                                                     else 0.2)
    bar = figure.colorbar(mesh, cax=bar_axes, orientation="horizontal" if lying else "vertical")
    bar.set_label("probability of success")
    lines = note(file)
    centre = dict(xycoords="axes fraction", textcoords="offset points", ha="center", va="bottom", annotation_clip=False)
    axes.annotate(lines, (0.5, 1.0), (0, 6), fontsize=8.5, color="0.3", **centre)
    axes.annotate(plain(file.attrs["title"], 60), (0.5, 1.0), (0, 22 + 11 * lines.count("\n")), fontsize=12, **centre)
    return figure


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_map.py map.h5 map.png")
    source, target = sys.argv[1:]
    # A name that nobody can foresee, and that nothing has yet: links are not followed.
    partial = f"{target}.{secrets.randbits(63)}.tmp.png"
    try:
        with h5py.File(source, "r") as file:
            figure = picture(file)
            software = made_by(file)
        try:
            handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
            with os.fdopen(handle, "wb") as png:
                figure.savefig(png, format="png", bbox_inches="tight", pad_inches=0.15, metadata={"Software": software})
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

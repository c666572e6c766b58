#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the performance profile that `pegrasp solve` wrote: plot_profile.py profile.csv profile.png

For each solver the share of problems that it solves within tau times the time of the fastest (processor time). Says in
one line why, and leaves no picture, when that fails. Exit code 74: the picture could not be written. """

import csv
import math
import os
import secrets
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
except ImportError as error:
    sys.exit(f"{error}; install python3-matplotlib")

CANNOT_WRITE = 74   # exit code, by which src/map/plot_script.cpp tells a full disk from a missing library
SPACE_RIGHT = 1.15   # the last step of a curve stays inside the frame

# Curves that run into each other stay visible: each solver's line is thinner than the one before it and drawn on top,
# and has gaps of its own.
WIDEST, THINNEST = 4.4, 1.4   # [points]
DASHES = ["solid", (0, (7, 2)), (0, (4, 2, 1, 2)), (0, (2, 2)), (0, (1, 2)), (0, (9, 2, 1, 2, 1, 2)), (0, (5, 4)),
          (0, (3, 1, 1, 1))]
PLAIN_UP_TO = 10_000          # ticks above are powers of ten


def read(path):
    """Names of the solvers, tau, and a list of shares for each solver."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    numbers = [[float(cell) for cell in row] for row in rows[1:]]
    if not numbers:
        raise ValueError("no problem to compare on")
    columns = list(zip(*numbers))
    return rows[0][1:], columns[0], columns[1:]


def tick_text(value, _):
    """5, 20, 1000, 10^6."""
    power = math.log10(value)
    if value < PLAIN_UP_TO:
        return f"{value:g}"
    return f"$10^{{{power:.0f}}}$" if abs(power - round(power)) < 1e-9 else ""


def name_ticks(axis, end):
    """Below a decade the numbers in between are named, too, in as many steps as fit."""
    subs = [1] if end > 100.0 else [1, 2, 5] if end > 5.0 else [1 + 0.5 * k for k in range(18)] if end > 2.0 else [1
            + 0.1 * k for k in range(90)]
    axis.set_major_locator(LogLocator(base=10, subs=subs, numticks=30))
    axis.set_minor_locator(LogLocator(base=10, subs=range(1, 10), numticks=30))
    axis.set_major_formatter(FuncFormatter(tick_text))
    axis.set_minor_formatter(NullFormatter())


def picture(solvers, tau, shares):
    """The whole figure."""
    figure, axes = plt.subplots(figsize=(6.4, 4.2), dpi=150)
    end = max(tau[-1], 1.0) * SPACE_RIGHT
    thinner = (WIDEST - THINNEST) / max(len(solvers) - 1, 1)
    for number, (solver, share) in enumerate(zip(solvers, shares)):
        axes.step([*tau, end], [*share, share[-1]], where="post", label=solver, linewidth=WIDEST - number * thinner
                  if len(solvers) > 1 else THINNEST,
                  linestyle=DASHES[number % len(DASHES)])
    axes.set_xscale("log")
    axes.set_xlim(1.0, end)
    axes.set_ylim(0.0, 1.03)
    name_ticks(axes.xaxis, end)
    axes.set_xlabel("processor time, as a multiple of the fastest solver's")
    axes.set_ylabel("share of problems solved")
    axes.grid(True, which="both", color="0.9", linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=4)
    return figure


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_profile.py profile.csv profile.png")
    source, target = sys.argv[1:]
    # A name that nobody can foresee, and that nothing has yet: links are not followed.
    partial = f"{target}.{secrets.randbits(63)}.tmp.png"
    try:
        figure = picture(*read(source))
        try:
            handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
            with os.fdopen(handle, "wb") as png:
                figure.savefig(png, format="png", bbox_inches="tight", pad_inches=0.15)
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

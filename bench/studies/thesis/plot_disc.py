#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws figure 3.6 of Berard's thesis: kinetic energy over time of a unit disc that rolls, and of regular polygons in
its stead: of 10 to 1000 edges at a step of 10 ms, and of 1000 edges at steps down to 0.1 ms. Takes half a minute.

    bench/studies/thesis/plot_disc.py [rolling_disc.png] [--program build/pegrasp]
"""

import argparse
import pathlib
import tempfile

import matplotlib

from experiments import HERE, ROLLING_EDGES, ROLLING_STEPS, ROOT, Program, rolling

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=pathlib.Path, nargs="?", default=HERE / "rolling_disc.png")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/pegrasp")
    given = parser.parse_args()
    figure, panels = plt.subplots(1, 2, figsize=(11, 4), sharey=True, dpi=100)
    shades = plt.get_cmap("viridis")

    def draw(axes, course, label, **look):
        times, energies = course
        every = max(1, len(times) // 400)
        axes.plot(times[::every], energies[::every], label=label, linewidth=1.2, **look)

    with tempfile.TemporaryDirectory() as folder:
        program = Program(given.program.resolve(), pathlib.Path(folder))
        disc = rolling(program, 0, 0.01)
        for k, edges in enumerate(ROLLING_EDGES):
            draw(panels[0], rolling(program, edges, 0.01, "--contact", "standard"), f"{edges} edges",
                 color=shades(0.9 * k / (len(ROLLING_EDGES) - 1)))
        for k, h in enumerate(ROLLING_STEPS):
            draw(panels[1], rolling(program, 1000, h, "--contact", "standard"), f"{1e3 * h:g} ms",
                 color=shades(0.9 * k / (len(ROLLING_STEPS) - 1)))
    for axes, title in zip(panels, ["step of 10 ms", "1000 edges"]):
        draw(axes, disc, "disc", color="black", linestyle="--")
        axes.set_title(title)
        axes.set_xlabel("time [s]")
        axes.set_ylim(0.0, 9.9)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small", loc="upper center", ncol=3)
    panels[0].set_ylabel("kinetic energy [J]")
    figure.savefig(given.picture, bbox_inches="tight")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the rows that compare_engines_3d.py stored: processor time for 5 s over the largest overlap of any step, with
one line for each setting and one mark for each step. Settings that make bodies larger, and runs that lost bodies, are
left out.

    bench/studies/engines/plot_engines_3d.py [engines_3d.json [engines_3d.png]]
"""

import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from compare_engines_3d import seconds_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
COLOURS = {"pegrasp": "black", "MuJoCo": "tab:red", "Bullet": "tab:green", "Drake": "tab:blue"}
STYLES = ["o-", "s--", "^:", "v-."]


def draw(axes, rows):
    settings = {}
    for row in rows:
        if row.get("sweep", True) and not row.get("other_shape") and not row["failed"] and not row["left"]:
            settings.setdefault((row["engine"], row["setting"]), []).append(row)
    used = {}
    for (engine, setting), of in settings.items():
        style = STYLES[used.get(engine, 0) % len(STYLES)]
        used[engine] = used.get(engine, 0) + 1
        label = engine if engine == "pegrasp" else f"{engine}, {setting}"
        axes.plot([row["overlap"] for row in of], [seconds_of(row) for row in of], style, markersize=4, linewidth=1,
                  color=COLOURS[engine], label=label)
        coarse, fine = max(of, key=lambda row: row["h_ms"]), min(of, key=lambda row: row["h_ms"])
        for row in (coarse, fine):
            axes.annotate(f"{row['h_ms']:g}", (row["overlap"], seconds_of(row)), textcoords="offset points",
                          xytext=(3, 3), fontsize=6, color=COLOURS[engine])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path, nargs="?", default=ROOT / "bench/studies/engines/engines_3d.json")
    parser.add_argument("picture", type=pathlib.Path, nargs="?", default=ROOT / "docs/images/engines_3d.png")
    given = parser.parse_args()
    data = json.loads(given.rows.read_text())
    frictions = sorted({row["friction"] for row in data["rows"]})
    figure, panels = plt.subplots(1, len(frictions), figsize=(5.5 * len(frictions), 4.5), sharex=True, sharey=True,
                                  dpi=150, squeeze=False)
    for axes, friction in zip(panels[0], frictions):
        draw(axes, [row for row in data["rows"] if row["friction"] == friction])
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("largest overlap of any step, of the bodies' volume")
        axes.set_title(f"friction {friction:g}")
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("processor time for 5 s [s]")
    panels[0][-1].legend(fontsize=7)
    figure.suptitle("Ten polyhedra poured into a box; numbers at the ends of lines are steps [ms]", fontsize=10)
    figure.savefig(given.picture, bbox_inches="tight")


if __name__ == "__main__":
    main()

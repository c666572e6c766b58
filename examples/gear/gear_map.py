# SPDX-License-Identifier: Apache-2.0
"""The gear map from Python: pip install '.[xarray,plot]', then python examples/gear/gear_map.py [samples a cell]"""

import sys
from pathlib import Path

import pegrasp

samples = int(sys.argv[1]) if len(sys.argv) > 1 else 10
ds = pegrasp.map(Path(__file__).parent / "gear.toml", samples=samples, out="out/gear", no_plot=False)
best = ds.p[ds.p.fillna(-1).argmax(...)]
print(f"best: p = {float(best):.2f} at x = {float(best.x_mm):g} mm, y = {float(best.y_mm):g} mm")
page = pegrasp.report("out/gear")
print(f"map.png and {page} show it")

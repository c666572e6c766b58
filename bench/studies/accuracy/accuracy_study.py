#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the error and its order in the step of each phase of motion, against closed forms.

    bench/studies/accuracy/accuracy_study.py [--program build/pegrasp] [--only WORD] [--puck] [--json FILE] [--update]

Small scenes go through `pegrasp run` with steps of 10, 5, 2.5 and 1.25 ms. A row of the table is one phase: the largest
error over its variants (speeds, frictions, heights), for each step. Where no formula is known, a Runge-Kutta method
with 20,000 steps integrates the equations of motion. The order is the slope of the errors over the steps on
logarithmic scales. --only takes the phases whose names hold WORD. --puck also computes the map of examples/puck with
20,000 samples a cell, and compares its success rate with the exact one. --json writes the numbers to a file. --update
fills the tables `accuracy` and `accuracy_puck` of the pages that have them. Returns 1 if a bound is missed."""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import update_tables  # noqa: E402
from accuracy_phases import CREEP, GRAVITY, PHASES, Runner  # noqa: E402

STEPS = [0.01, 0.005, 0.0025, 0.00125]  # [s]
# Errors up to this [m], [rad] at every step are those of the solver, whose tolerance is 1e-6 m/s, and not of the step.
NOTHING = 2e-6
# Smaller errors say nothing of the order.
SOLVED = 1e-7
# Four steps do not give the order more closely where an event ends a motion.
LEAST_ORDER = 1.8
PUCK_SAMPLES = 20000


def order_of(errors):
    """The slope of log(error) over log(step); None where the step makes no error."""
    points = [(math.log(h), math.log(error)) for h, error in zip(STEPS, errors) if error > SOLVED]
    if max(errors) <= NOTHING or len(points) < 2:
        return None
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def met(asked, errors, order):
    """Whether what is asked holds; None if nothing is."""
    if asked is None:
        return None
    if isinstance(asked, dict):
        return all(error <= asked[h] for h, error in zip(STEPS, errors) if h in asked)
    if max(errors) <= NOTHING:
        return True
    return asked == "order" and order is not None and order >= LEAST_ORDER


def measure(runner, name, unit, asked, error):
    errors = [error(runner, h) for h in STEPS]
    order = order_of(errors)
    return {"phase": name, "unit": unit[0], "errors": [unit[1] * value for value in errors], "order": order,
            "asked": asked if not isinstance(asked, dict) else
            {f"{h:g}": unit[1] * bound for h, bound in asked.items()}, "met": met(asked, errors, order)}


def asked_text(row):
    if row["asked"] is None:
        return ""
    if isinstance(row["asked"], str):
        text = {"exact": "exact", "order": "order 2"}[row["asked"]]
    elif len(set(row["asked"].values())) == 1:
        text = f'{next(iter(row["asked"].values())):g}'
    else:
        text = ", ".join(f"{bound:g} at {1e3 * float(h):g} ms" for h, bound in row["asked"].items())
    return f'{text}: {"yes" if row["met"] else "**no**"}'


def order_text(row):
    if row["unit"] == CREEP[0] or row["order"] is None:
        return "" if row["unit"] == CREEP[0] else "exact"
    return f'{row["order"]:.1f}'


def accuracy_table(rows):
    head = ["phase", "error in", *[f">{1e3 * h:g} ms" for h in STEPS], ">order", "asked"]
    lines = []
    for row in rows:
        errors = [f"{value:.0e}" if value < 1e-4 else f"{value:.2g}" for value in row["errors"]]
        lines.append([row["phase"], row["unit"], *errors, order_text(row), asked_text(row)])
    return update_tables.table(head, lines)


def exact_puck():
    """How often v <= sqrt(2 mu g d), for v [m/s] and mu uniform as in examples/puck/puck.toml, and d = 10 mm."""
    low, high, slowest, fastest = 0.1, 0.6, 0.1, 0.4
    reach = math.sqrt(2 * GRAVITY * 0.01)
    assert reach * math.sqrt(low) > slowest and reach * math.sqrt(high) < fastest
    mean = reach * (high ** 1.5 - low ** 1.5) / 1.5 / (high - low)
    return (mean - slowest) / (fastest - slowest)


def puck(runner):
    """The success rate of the puck's map at 5 ms against the exact one."""
    folder = runner.folder / "puck"
    command = [str(runner.program), "map", str(ROOT / "examples/puck/puck.toml"), "--samples", str(PUCK_SAMPLES),
               "--no-plot", "--quiet", "--no-step-check", "--out", str(folder)]
    subprocess.run(command, check=True)
    with open(folder / "map.csv", newline="") as source:
        rate = float(next(csv.DictReader(source))["p"])
    exact = exact_puck()
    error = math.sqrt(exact * (1 - exact) / PUCK_SAMPLES)
    return {"samples": PUCK_SAMPLES, "exact": exact, "p": rate, "standard_errors": (rate - exact) / error,
            "met": abs(rate - exact) <= 3 * error}


def puck_table(found):
    head = ["map of the puck, 5 ms", ">samples", ">p", ">exact", ">difference in standard errors", "within 3"]
    return update_tables.table(head, [["`examples/puck/puck.toml`", f'{found["samples"]:,}', f'{found["p"]:.4f}',
                                       f'{found["exact"]:.4f}', f'{found["standard_errors"]:+.1f}',
                                       "yes" if found["met"] else "**no**"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/pegrasp")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--puck", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if not arguments.program.exists():
        sys.exit(f"{arguments.program} is not there: build it (scripts/build.sh) or name it with --program")
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.program, folder)
        rows = [measure(runner, *phase) for phase in PHASES if arguments.only in phase[0]]
        found = puck(runner) if arguments.puck else None
    results = {"steps_s": STEPS, "phases": rows, **({"puck": found} if found else {})}
    print(accuracy_table(rows))
    if found:
        print("\n" + puck_table(found))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    if arguments.update and not arguments.only:
        update_tables.fill("accuracy", accuracy_table(rows))
        if found:
            update_tables.fill("accuracy_puck", puck_table(found))
    missed = [row["phase"] for row in rows if row["met"] is False] + (["puck"] if found and not found["met"] else [])
    print(f'\n{runner.count} runs; missed: {", ".join(missed) or "none"}')
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

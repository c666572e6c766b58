#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures and draws the cost of a scene-step against the number of scenes in a batch, the step and the contacts.

    bench/studies/scaling/cost_curves.py [--out FOLDER] [--program build-bench/pegrasp_bench] [--backend cpu|cuda]
                                         [--most N] [--repeat N] [--cases gear_map,stack_10,pile_20]
                                         [--bodies 5,10,20,...] [--draw]
                                         [-- OPTION...]

Runs pegrasp_bench many times and writes cost.csv and cost.png to the folder (bench/studies/scaling). Batches grow
tenfold from 1 to --most scenes (10,000 on a CPU, 1,000,000 on a GPU). --bodies: polygons poured into a box, with each
strategy, for the curve over contacts (8 scenes at a time on a CPU, 512 on a GPU; h = 4 ms; the column `bodies` also
counts the three parts of the box). Options after -- go to every run, for example --team-size 32 --workspaces shared. A
GPU is timed as a whole, a CPU with all its threads. --draw only draws cost.csv again. """
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    sys.exit(f"{error}; install python3-matplotlib")

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEPS = [0.001, 0.002, 0.004, 0.008, 0.016]  # [s]
STRATEGIES = ("per-scene", "batched")
FIELDS = ["curve", "benchmark", "strategy", "arithmetic", "bodies", "scenes", "h_s", "backend", "device", "threads",
          "time_s",
          "time_median_s", "scene_steps", "scene_steps_per_s", "contacts_mean", "unresolved", "version", "revision",
          "date"]
POURED = "pour_200"


def bench(arguments, curve, case, scenes, h=None, more=()):
    """The row of one run."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "bench.csv"
        command = [arguments.program, case, "--backend", arguments.backend, "--scenes", scenes, "--repeat",
                   arguments.repeat,
                   "--csv", report, "--no-phases", *(["--h", h] if h else []), *more, *arguments.options]
        done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"cost_curves: {' '.join(map(str, command))}\n{done.stderr}")
        with report.open(newline="") as file:
            return next(csv.DictReader(file)) | {"curve": curve}


def measure(arguments):
    """The rows of all curves."""
    rows = []

    def add(*words, **options):
        row = bench(arguments, *words, **options)
        rows.append(row)
        print(f"{row['benchmark']}: {row['scenes']} scenes, h {1e3 * float(row['h_s']):g} ms, {row['strategy']}, "
              f"{float(row['scene_steps_per_s']):,.0f} scene-steps/s", flush=True)
        return row

    for case in arguments.cases:
        scenes, quick = 1, 1
        while scenes <= arguments.most:
            seconds = float(add("batches", case, scenes)["time_s"])
            if seconds <= arguments.longest / 10:
                quick = scenes
            if seconds > arguments.longest:
                break
            scenes *= 10
        # Steps are measured with the largest batch that is quick, since every step takes a run.
        for h in STEPS:
            add("steps", case, quick, h)
    for bodies in arguments.bodies:
        for strategy in STRATEGIES:
            add("contacts", POURED, 8 if arguments.backend == "cpu" else 512,
                more=["--bodies", bodies, "--strategy", strategy, "--duration", 1.2])
    return rows


def draw(rows, picture):
    figure, (by_batch, by_step, by_contacts) = plt.subplots(1, 3, figsize=(13, 4), constrained_layout=True)

    def line(axes, chosen, x, y, label):
        axes.loglog([x(row) for row in chosen], [y(float(row["scene_steps_per_s"])) for row in chosen], "o-",
                    label=label)

    for case in dict.fromkeys(row["benchmark"] for row in rows if row["curve"] == "batches"):
        of_case = [row for row in rows if row["benchmark"] == case]
        line(by_batch, [row for row in of_case if row["curve"] == "batches"], lambda row: int(row["scenes"]),
             lambda rate: rate, case)
        line(by_step, [row for row in of_case if row["curve"] == "steps"], lambda row: 1e3 * float(row["h_s"]),
             lambda rate: 1e6 / rate, case)
    for strategy in STRATEGIES:
        chosen = [row for row in rows if row["curve"] == "contacts" and row["strategy"] == strategy]
        line(by_contacts, chosen, lambda row: float(row["contacts_mean"]), lambda rate: 1e6 / rate,
             f"poured polygons, {strategy}")
    by_batch.set(xlabel="scenes in the batch", ylabel="scene-steps/s", title="batch")
    by_step.set(xlabel="h [ms]", ylabel="µs a scene-step", title="step")
    by_contacts.set(xlabel="contacts in a step, mean", ylabel="µs a scene-step", title="contacts")
    for axes in (by_batch, by_step, by_contacts):
        axes.grid(True, which="both", alpha=0.3)
        axes.legend()
    revisions = " and ".join(dict.fromkeys(row["revision"] for row in rows))
    figure.suptitle(f"{rows[0]['device']}, {rows[0]['arithmetic']} arithmetic, pegrasp {rows[0]['version']} "
                    f"{revisions}", fontsize=9)
    figure.savefig(picture, dpi=100)


def main():
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/studies/scaling")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build-bench" / "pegrasp_bench")
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--most", type=int, default=None, help="scenes in the largest batch")
    parser.add_argument("--longest", type=float, default=20.0,
                        help="no larger batch once one takes longer than this [s]")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--cases", type=lambda text: text.split(","), default=["gear_map", "stack_10", "pile_20"])
    parser.add_argument("--bodies", type=lambda text: [int(word) for word in text.split(",")],
                        default=[5, 10, 20, 40, 80, 160, 320])
    parser.add_argument("--draw", action="store_true", help="draw cost.csv again, without measuring")
    arguments = parser.parse_args(words[:cut])
    arguments.options = words[cut + 1:]
    arguments.program = arguments.program.resolve()
    arguments.most = arguments.most or (10_000 if arguments.backend == "cpu" else 1_000_000)
    table = arguments.out / "cost.csv"
    if not arguments.draw:
        arguments.out.mkdir(parents=True, exist_ok=True)
        with table.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(measure(arguments))
    with table.open(newline="") as file:
        draw(list(csv.DictReader(file)), arguments.out / "cost.png")
    print(arguments.out / "cost.png")


if __name__ == "__main__":
    main()

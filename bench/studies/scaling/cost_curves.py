#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a scene-step costs against the number of scenes in a batch, the contacts and the step.

    scripts/cost_curves.py OUTDIR [--program build-bench/pegrasp_bench] [--backend cpu|cuda] [--most N] [--repeat N]
                           [--cases gear_map,stack_10,pile_20] [--bodies 5,10,20,...] [-- OPTION...]

Runs pegrasp_bench again and again and writes OUTDIR/cost.json, cost.csv and cost.png. --most: scenes in the largest
batch (10,000 on a CPU, 1,000,000 on a GPU); batches grow tenfold from 1. --bodies: polygons in the pours whose contacts are drawn, on either road
(8 scenes at a time on a CPU, 512 on a GPU; h = 4 ms; `bodies` in cost.csv has the box's three parts too). What follows -- goes to every run, for example
--team-size 32 --workspaces shared. A GPU is timed as a whole, a CPU with all its threads."""
import argparse
import csv
import json
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEPS = [0.001, 0.002, 0.004, 0.008, 0.016]  # [s]
FIELDS = ["name", "curve", "road", "bodies", "scenes", "h_s", "wall_min_s", "wall_median_s", "scene_steps", "scene_steps_per_s", "contacts_mean", "unresolved",
          "backend", "device", "threads", "processor", "git", "date"]
POUR = "pour_200"


def bench(arguments, case, scenes, h=None, more=()):
    """One run's record, and what ran it."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "bench.json"
        command = [arguments.program, case, "--backend", arguments.backend, "--scenes", scenes, "--repeat", arguments.repeat,
                   "--json", report, "--no-phases", *(["--h", h] if h else []), *more, *arguments.options]
        done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"cost_curves: {' '.join(map(str, command))}\n{done.stderr}")
        told = json.loads(report.read_text())
    record = told["benchmarks"][0]
    record.update(processor=told["hardware"]["processor"], git=told["pegrasp"]["git"], date=told["date"])
    return record, {name: told[name] for name in ("pegrasp", "hardware", "date", "arithmetic")}


def measure(arguments):
    batches, steps, about = [], [], None
    for case in arguments.cases:
        scenes = 1
        while scenes <= arguments.most:
            record, about = bench(arguments, case, scenes)
            batches.append(record)
            print(f"{case}: {scenes} scenes, {record['scene_steps_per_s']:,.0f} scene-steps/s", flush=True)
            if record["wall_min_s"] > arguments.longest:
                break
            scenes *= 10
        # Steps by the largest batch that is quick: a long one would be measured for every step.
        quick = [r["scenes"] for r in batches if r["name"] == case and r["wall_min_s"] <= arguments.longest / 10]
        for h in STEPS:
            record, about = bench(arguments, case, max(quick, default=1), h)
            steps.append(record)
            print(f"{case}: h {1e3 * h:g} ms, {record['scene_steps_per_s']:,.0f} scene-steps/s", flush=True)
    contacts = []
    for bodies in arguments.bodies:
        for road in ("fused", "sparse"):
            record, about = bench(arguments, POUR, 8 if arguments.backend == "cpu" else 512, more=["--bodies", bodies, "--road", road, "--duration", 1.2])
            contacts.append(record)
            print(f"{bodies} polygons, {road}: {record['contacts_mean']:.1f} contacts, {record['us_per_scene_step']:,.0f} µs a scene-step", flush=True)
    return {**about, "batches": batches, "steps": steps, "contacts": contacts}


def draw(measured, file):
    figure, (by_batch, by_step, by_contacts) = plt.subplots(1, 3, figsize=(13, 4), constrained_layout=True)
    for case in dict.fromkeys(record["name"] for record in measured["batches"]):
        rows = [r for r in measured["batches"] if r["name"] == case]
        by_batch.loglog([r["scenes"] for r in rows], [r["scene_steps_per_s"] for r in rows], "o-", label=case)
        rows = [r for r in measured["steps"] if r["name"] == case]
        by_step.loglog([1e3 * r["h_s"] for r in rows], [1e6 / r["scene_steps_per_s"] for r in rows], "o-", label=case)
    for road in ("fused", "sparse"):
        rows = [r for r in measured["contacts"] if r["road"] == road]
        by_contacts.loglog([r["contacts_mean"] for r in rows], [1e6 / r["scene_steps_per_s"] for r in rows], "o-", label=f"pours, {road} road")
    by_batch.set(xlabel="scenes in the batch", ylabel="scene-steps/s", title="batch")
    by_step.set(xlabel="h [ms]", ylabel="µs a scene-step", title="step")
    by_contacts.set(xlabel="contacts in a step, mean", ylabel="µs a scene-step", title="contacts")
    for axes in (by_batch, by_step, by_contacts):
        axes.grid(True, which="both", alpha=0.3)
        axes.legend()
    first = measured["batches"][0]
    figure.suptitle(f"{first['device']}, {measured['arithmetic']} arithmetic, pegrasp {measured['pegrasp']['version']}"
                    f" {measured['pegrasp']['git']}", fontsize=9)
    figure.savefig(file, dpi=120)


def main():
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build-bench" / "pegrasp_bench")
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--most", type=int, default=None)
    parser.add_argument("--longest", type=float, default=20.0, help="seconds: no larger batch once one takes longer")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--cases", type=lambda text: text.split(","), default=["gear_map", "stack_10", "pile_20"])
    parser.add_argument("--bodies", type=lambda text: [int(word) for word in text.split(",")], default=[5, 10, 20, 40, 80, 160, 320])
    arguments = parser.parse_args(words[:words.index("--")] if "--" in words else words)
    arguments.options = options
    arguments.most = arguments.most or (10_000 if arguments.backend == "cpu" else 1_000_000)
    arguments.out.mkdir(parents=True, exist_ok=True)
    measured = measure(arguments)
    (arguments.out / "cost.json").write_text(json.dumps(measured, indent=2) + "\n")
    with open(arguments.out / "cost.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, extrasaction="ignore")
        writer.writeheader()
        for curve in ("batches", "steps", "contacts"):
            writer.writerows({**record, "curve": curve} for record in measured[curve])
    draw(measured, arguments.out / "cost.png")
    print(arguments.out / "cost.png")


if __name__ == "__main__":
    main()

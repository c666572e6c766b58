#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the small scenes of the theses and papers and prints each number beside the source's.

    bench/studies/thesis/experiments.py [NAME ...] [--program build/pegrasp] [--tests build] [--page]

experiments.toml lists all figures and tables: rows with a key `run` name an experiment of this file, whose values fill
`ours`; rows with a key `test` name tests, which --tests runs. --page writes the tables into experiments.md, if every
row that should agree does. Without names all experiments run.
"""

import argparse
import csv
import json
import math
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SCENES = ROOT / "examples/scenes"
CONTACTS = ["peg", "standard", "corrective"]
GEAR_SAMPLES, GEAR_SAMPLES_STANDARD = 6, 2  # a cell, of the 30 in examples/gear/gear.toml

sys.path.insert(0, str(ROOT / "scripts"))
from update_tables import fill, table  # noqa: E402


class Program:
    """Runs pegrasp in a folder of its own."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def call(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        if done.returncode > 1:  # 1: some step is unresolved, which the standard model's are
            sys.exit(f"experiments.py: pegrasp {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}")
        return done.stdout

    def run(self, scene, *arguments):
        """One scene, a file or an object: the report."""
        if isinstance(scene, dict):
            path = self.folder / "scene.json"
            path.write_text(json.dumps(scene))
            scene = path
        return json.loads(self.call("run", scene, "--json", *arguments))

    def rows(self, scene, option, *arguments):
        """The rows of the CSV file that --trajectory or --contacts writes; texts that are numbers as numbers."""
        self.run(scene, option, "rows.csv", *arguments)
        with (self.folder / "rows.csv").open(newline="") as file:
            return [{key: number(cell) for key, cell in row.items()} for row in csv.DictReader(file)]

    def map(self, *arguments):
        return json.loads(self.call("map", *arguments, "--out", "map", "--json", "--no-plot", "--quiet",
                                    "--no-step-check"))


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def scene_of(name):
    return json.loads((SCENES / f"{name}.json").read_text())


def of_body(rows, body):
    return [row for row in rows if row["body"] == body]


def turned(row, v):
    """v in the world, given in the frame of the row's body."""
    w, x, y, z = row["qw"], row["qx"], row["qy"], row["qz"]
    t = [2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def hinge_errors(program, scene, *arguments):
    """Distance [m] of the rod's end from its hinge, step by step."""
    hinge, end = scene["joints"][0]["anchor"], [0.0, 0.0, 0.25]
    return [math.dist(hinge, [row[axis] + part for axis, part in zip("xyz", turned(row, end))])
            for row in program.rows(scene, "--trajectory", *arguments)]


# ---------------------------------------------------------------------------------------------- Williams, chapter 2


def pendulum(program):
    """W 2.6: a revolute pendulum, 4000 steps of 5 ms."""
    scene = scene_of("hanging_rod")
    scene["joints"][0] |= {"kind": "revolute", "axis": [0, 1, 0]}
    errors = hinge_errors(program, scene, "--h", "0.005", "--t-end", "20")
    first, last = max(errors[:1000]), max(errors[-1000:])
    return {"holds": max(errors) <= 1e-5 and len(errors) == 4000, "first": first, "last": last}


# ---------------------------------------------------------------------------------------------- Williams, chapter 5


def corner(program):
    """W 4.1, 5.1, 5.2: speed [m/s] of the block 0.25 s after it begins to slide at 1 m/s."""
    speed = {contact: program.rows(SCENES / "corner_approach.json", "--trajectory", "--contact", contact, "--h", 0.01,
                                   "--t-end", 0.25)[-1]["vx"] for contact in ["peg", "peg-features", "standard"]}
    holds = abs(speed["peg"] - 1.0) < 1e-6 and abs(speed["peg-features"] - 1.0) < 1e-6 and abs(speed["standard"]) < 0.5
    return {"holds": holds, "peg": speed["peg"], "features": speed["peg-features"], "standard": speed["standard"]}


def triangle(program):
    """W 5.5, 5.6: the farthest [m] that the falling triangle is from its path at h = 0.1 ms, at h = 1 to 16 ms."""
    fine = 1e-4

    def path(h, contact):
        rows = program.rows(SCENES / "triangle_drop.json", "--trajectory", "--h", h, "--contact", contact,
                            "--set", f"simulation.detect_distance_mm={10000 * h:g}")
        return of_body(rows, 1)

    exact = path(fine, "peg")
    off = {}
    for contact in CONTACTS + ["peg-features"]:
        off[contact] = []
        for ms in [1, 2, 4, 8, 16]:
            rows = path(1e-3 * ms, contact)
            at = [exact[min(round(row["time"] / fine), len(exact)) - 1] for row in rows]
            off[contact].append(max(math.hypot(a["x"] - b["x"], a["y"] - b["y"]) for a, b in zip(rows, at)))
    values = {contact.replace("-", "_"): max(list_of) for contact, list_of in off.items()}
    holds = values["peg"] < 0.25 and min(off["standard"]) > 0.3 and values["corrective"] > 2.0 * values["peg"]
    return values | {"holds": holds, "peg_1": off["peg"][0], "standard_least": min(off["standard"])}


def stack(program):
    """W 5.7 to 5.9: ten boxes, 4 s of steps of 5 ms: how far [m] a box moves sideways."""
    values = {}
    for contact in CONTACTS:
        rows = program.rows(SCENES / "stack.json", "--trajectory", "--contact", contact, "--h", 0.005, "--t-end", 4,
                            "--set", "simulation.detect_distance_mm=70")
        drift = 0.0
        for body in sorted({row["body"] for row in rows}):
            own = of_body(rows, body)
            drift = max(drift, max(abs(row["x"] - own[0]["x"]) for row in own))
        values[contact] = drift
    return values | {"holds": values["peg"] < 1e-3 and min(values["standard"], values["corrective"]) > 0.01}


def pour(program, name):
    """Overlap over the size of all bodies: its median over steps, at three steps; and the processor time of a step."""
    values, steps = {}, [0.002, 0.01, 0.016]
    for contact in ["peg", "corrective"]:
        for h in steps:
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            report = program.run(SCENES / f"{name}.json", "--friction", 0, "--contact", contact, "--h", h)
            spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            key = f"{contact}_{round(1e3 * h)}"
            values |= {key: report["overlap_median"], f"{key}_max": report["overlap_max"],
                       f"{key}_unresolved": report["unresolved_steps"], f"{key}_ms": 1e3 * spent / report["steps"]}
    worst = max(values[f"peg_{round(1e3 * h)}_max"] for h in steps)
    unresolved = sum(values[f"peg_{round(1e3 * h)}_unresolved"] for h in steps)
    holds = worst < 1e-5 and unresolved == 0 and values["corrective_16_max"] > 1e3 * values["peg_16_max"]
    return values | {"worst": worst, "unresolved": unresolved, "holds": holds}


def polygons(program):
    """W 5.10, 5.23, WLT 20, 21: one box of 20 polygons; and the standard model, with a bound on its iterations."""
    report = program.run(SCENES / "polygon_box.json", "--friction", 0, "--contact", "standard", "--h", 0.016, "--set",
                         "simulation.max_iterations=200", "--set", "simulation.max_substep_level=0")
    values = pour(program, "polygon_box")
    values |= {"standard": report["overlap_median"], "standard_unresolved": report["unresolved_steps"]}
    for h in [0.002, 0.01, 0.016]:  # which linearises once
        report = program.run(SCENES / "polygon_box.json", "--friction", 0, "--contact", "peg-features", "--h", h)
        key = f"features_{round(1e3 * h)}"
        values |= {key: report["overlap_median"], f"{key}_max": report["overlap_max"]}
    return values | {"holds": values["holds"] and values["standard_unresolved"] > 0}


def polyhedra(program):
    """W 5.14, 5.16, WLT 23, 24: one box of ten polyhedra."""
    return pour(program, "polyhedron_box")


def rotation(program):
    """W 5.25: area [m²] by which two blocks overlap after one step in which both turn at 1 rad/s."""
    area = 1.5  # of both blocks [m²]
    source = {0.01: 0.000025, 0.1: 0.0025, 0.2: 0.01, 0.3: 0.0223, 0.4: 0.0395, 0.5: 0.0612}
    left = {contact: [area * program.run(SCENES / "rotation_overlap.json", "--contact", contact, "--h", h, "--t-end", h,
                                         "--set", "simulation.max_substep_level=0")["overlap_max"] for h in source]
            for contact in ["peg", "peg-features"]}
    holds = all(abs(ours - theirs) <= 0.51 * 10.0 ** (math.floor(math.log10(theirs)) - 1 if theirs < 0.02 else -4)
                for ours, theirs in zip(left["peg-features"], source.values()))
    return {"holds": holds, "list": ", ".join(f"{value:.3g}" for value in left["peg-features"]),
            "peg": left["peg"][0], "peg_last": left["peg"][-1]}


def momentum(program):
    """W 5.27: the momentum [kg m/s] of five bodies that hit each other, and how far it strays."""
    scene = scene_of("momentum")
    mass = [body["mass"] for body in scene["bodies"]]
    sums, changes, last = {}, 0, None
    for row in program.rows(scene, "--trajectory"):
        sums[row["step"]] = sums.get(row["step"], 0.0) + mass[int(row["body"])] * row["vx"]
        if row["body"] == 0:
            changes += last is not None and abs(row["vx"] - last) > 1e-3
            last = row["vx"]
    astray = max(abs(total - 2.0 * mass[0]) for total in sums.values())
    return {"holds": astray < 1e-9 and abs(last - 3.0 / sum(mass)) < 1e-6, "astray": astray, "end": last,
            "common": 3.0 / sum(mass), "changes": changes}


def grasp(_program):
    """W 5.20, 5.22: medians of the position error [m] in finger_grasp.csv, which pegrasp_finger_grasp writes."""
    with (HERE / "finger_grasp.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    values = {}
    for friction, key in [("0", "smooth"), ("0.25", "rough")]:
        for contact in CONTACTS:
            own = [float(row["gripped_median_m"]) for row in rows
                   if row["friction"] == friction and row["contact"] == contact]
            values[f"{key}_{contact}"] = statistics.median(own)
        values[f"{key}_unresolved"] = sum(int(row["unresolved_steps"]) for row in rows if row["friction"] == friction)
    holds = all(values[f"{key}_peg"] < min(values[f"{key}_standard"], values[f"{key}_corrective"])
                for key in ["smooth", "rough"])
    return values | {"holds": holds, "revision": rows[0]["revision"].split("-")[0]}


# ---------------------------------------------------------------------------------------------- Williams, chapter 6


def hanging_rod(program):
    """W 6.3, 6.4: the rod on a spherical joint, 5 s of steps of 10 ms, in which it falls to 0.191 m below the start."""
    errors = hinge_errors(program, scene_of("hanging_rod"), "--h", "0.01")
    return {"holds": max(errors) < 7e-5, "worst": max(errors)}


# ---------------------------------------------------------------------------------------------- Berard, chapters 2 to 4


def rattle(program):
    """B 2.7: a box is set onto the ground, tilted by 0.1: what is left [rad/s] after 8 s, and turns back a second."""
    scene = {"format": "peg-scene-1", "dim": 3, "name": "rattling box", "gravity": [0, 0, -9.81], "t_end": 10,
             "friction": 0.3, "bodies": [
                 {"name": "ground", "static": True, "parts": [{"half_space": {"normal": [0, 0, 1], "offset": 0}}]},
                 {"name": "box", "mass": 1, "inertia_diag": [0.3125 / 12, 0.3125 / 12, 0.5 / 12],
                  "position": [0, 0, 0.25], "quaternion_wxyz": [math.cos(0.05), 0, math.sin(0.05), 0],
                  "vertices": [[x, y, z] for x in (-0.25, 0.25) for y in (-0.25, 0.25) for z in (-0.125, 0.125)]}]}
    values = {}
    for contact in ["penalty-deepest", "penalty", "peg"]:
        rows = program.rows(scene, "--trajectory", "--contact", contact, "--h", 1e-3)
        turning = [row["wy"] for row in of_body(rows, 1) if row["time"] > 8.0]
        key = contact.replace("-", "_")
        values |= {key: math.sqrt(statistics.fmean(w * w for w in turning)),
                   f"{key}_back": sum(a * b < 0.0 for a, b in zip(turning, turning[1:])) / 2.0}
    holds = values["penalty_deepest"] > 0.01 and values["penalty_deepest_back"] > 100.0
    return values | {"holds": holds and max(values["penalty"], values["peg"]) < 1e-6}


def hole(program):
    """B 3.1: a block slides at 1 m/s over a hole whose right side slopes up to its corner: how often it keeps that
    speed, within 2 %, from 25 starts 0.4 mm apart."""
    def box(x, y, width, height):
        return {"position": [x, y, 0], "vertices": [[-width / 2, -height / 2], [width / 2, -height / 2],
                                                    [width / 2, height / 2], [-width / 2, height / 2]]}

    def speed(start, contact, h):
        right = {"name": "right", "static": True, "vertices": [[0.1, -0.5], [3, -0.5], [3, 0], [0.3, 0]]}
        scene = {"format": "peg-scene-1", "dim": 2, "name": "block over a hole", "gravity": [0, -9.81], "t_end": 1.2,
                 "bodies": [box(-1, -0.25, 2, 0.5) | {"name": "left", "static": True}, right,
                            box(start, 0.25, 1, 0.5) | {"name": "block", "mass": 1, "velocity": [1, 0, 0],
                                                        "inertia_diag": [0, 0, 1.25 / 12]}]}
        return of_body(program.rows(scene, "--trajectory", "--contact", contact, "--h", h), 2)[-1]["vx"]

    values, starts, fastest = {}, [-0.6 + 4e-4 * k for k in range(25)], 0.0
    for contact in ["peg", "peg-features", "standard"]:
        kept = []
        for h in [0.01, 0.02]:
            speeds = [speed(start, contact, h) for start in starts]
            kept.append(sum(abs(v - 1.0) <= 0.02 for v in speeds))
            fastest = max(speeds) if contact == "standard" and max(speeds) > fastest else fastest
        values[contact.replace("-", "_")] = " and ".join(str(count) for count in kept)
    holds = values["peg"] == values["peg_features"] == "25 and 25" and values["standard"] == "0 and 0"
    return values | {"holds": holds, "fastest": fastest}


def rolling(program, edges, h, *arguments):
    """The unit disc of B 3.6, or a regular polygon in its stead: times [s] and kinetic energies [J], of 6.75 J."""
    if edges:
        turns = [2.0 * math.pi * (k + 0.5) / edges - 0.5 * math.pi for k in range(edges)]
        shape = {"vertices": [[math.cos(turn), math.sin(turn)] for turn in turns]}
    else:
        shape = {"parts": [{"disc": {"centre": [0, 0], "radius": 1}}]}
    height = math.cos(math.pi / edges) if edges else 1.0
    wheel = shape | {"name": "wheel", "mass": 1, "inertia_diag": [0.5, 0.5, 0.5], "position": [0, height, 0],
                     "velocity": [-3, 0, 0], "angular_velocity": [0, 0, 3]}
    ground = {"name": "ground", "static": True, "parts": [{"half_plane": {"normal": [0, 1], "offset": 0}}]}
    scene = {"format": "peg-scene-1", "dim": 2, "name": "rolling", "gravity": [0, -9.81], "t_end": 4.0,
             "friction": 0.4, "bodies": [ground, wheel]}
    rows = of_body(program.rows(scene, "--trajectory", "--h", h, *arguments), 1)
    return ([row["time"] for row in rows],
            [0.5 * (row["vx"] ** 2 + row["vy"] ** 2 + 0.5 * row["wz"] ** 2) for row in rows])


ROLLING_EDGES, ROLLING_STEPS = [10, 30, 100, 300, 1000], [0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001]


def disc(program):
    """B 3.6: kinetic energy [J] of a unit disc, of 6.75 J, and of regular polygons in its stead, after 4 s."""
    def energy(*arguments):
        return rolling(program, *arguments)[1][-1]

    edges = [energy(n, 0.01, "--contact", "standard") for n in ROLLING_EDGES]
    steps = edges[-1:] + [energy(1000, h, "--contact", "standard") for h in ROLLING_STEPS[1:]]
    exact = energy(0, 0.01)
    default = energy(1000, 0.01)
    numbers = lambda list_of: ", ".join(f"{value:.2f}" for value in list_of)  # noqa: E731
    return {"holds": abs(exact - 6.75) < 1e-6 and sorted(edges) == edges and edges[-1] - edges[-2] < 0.1,
            "steps_hold": sorted(steps) == steps and steps[-1] - steps[-2] < 0.05,
            "exact": abs(exact - 6.75), "edges": numbers(edges),
            "steps": numbers(steps), "default": default}


def spheres(program):
    """B 3.9: when the sphere slides on nine, and leaves both [s]; friction over mu times the normal force."""
    rows = program.rows(SCENES / "sphere_on_spheres.json", "--contacts", "--h", 0.01)
    closed = [row for row in rows if row["kind"] == "contact" and row["normal_force"] > 0.0]
    on = {name: [row for row in closed if row["body_a"] == name] for name in ["ten", "nine"]}

    def slip(row):
        return math.hypot(row["slip_x"], row["slip_y"], row["slip_z"])

    def friction(row):  # of force and moment about the normal, with the arm of 0.3 m
        normal = [row[axis] for axis in ("nx", "ny", "nz")]
        force = [row[axis] for axis in ("force_x", "force_y", "force_z")]
        along = sum(a * b for a, b in zip(force, normal))
        return math.dist(force, [along * n for n in normal])

    first = next(row["time"] for row in on["nine"] if slip(row) > 0.05)
    def moment(row):
        return math.hypot(row["moment_x"], row["moment_y"], row["moment_z"])

    whole = [math.hypot(friction(row), moment(row) / 0.3) / (0.2 * row["normal_force"]) for row in on["ten"]]
    sliding = [friction(row) / (0.2 * row["normal_force"]) for row in on["ten"] if slip(row) > 0.2]
    rolling = [friction(row) / (0.2 * row["normal_force"]) for row in on["nine"] if row["time"] < 2.5]
    leaves = {name: on[name][-1]["time"] for name in on}
    holds = abs(leaves["ten"] - 3.2) < 0.05 and abs(first - 3.0) < 0.15 and abs(leaves["nine"] - 3.7) < 0.05
    return {"holds": holds and max(rolling) < 1.0, "slides": first, "ten": leaves["ten"], "nine": leaves["nine"],
            "ratio_low": min(sliding), "ratio_high": max(sliding), "whole_low": min(whole[:-1]),
            "whole_high": max(whole[:-1]), "rolling": max(rolling)}


def gear(program):
    """B 3.14, 4.8, 4.9: share of successful grasps, and of those with a standard model in place of the exact one."""
    def rate(*arguments, samples=GEAR_SAMPLES):
        summary = program.map(ROOT / "examples/gear/gear.toml", "--samples", samples, *arguments)
        return summary["successes"] / summary["trials"], summary["trials"], summary["unresolved"]

    medium, trials, unresolved = rate()
    high = rate("--set", "uncertain.gripper_friction.group=high")
    standard = rate("--contact", "standard", "--set", "simulation.max_iterations=500", samples=GEAR_SAMPLES_STANDARD)
    return {"holds": medium > high[0] > 0.1 and standard[0] < 0.02 and unresolved + high[2] == 0, "medium": medium,
            "high": high[0], "standard": standard[0], "trials": trials, "standard_trials": standard[1]}


def tripods(program):
    """B 4.9: the same maps with fixed support points, on the circle of the example, with equal loads."""
    def rate(turn, *arguments):
        return program.map(ROOT / "examples/gear/gear.toml", "--samples", GEAR_SAMPLES, "--set",
                           f"body.gear.support.turn_deg={turn}", *arguments)

    maps = {group: [rate(turn, "--set", f"uncertain.gripper_friction.group={group}") for turn in (0, 40, 80)]
            for group in ("medium", "high")}
    share = {group: [each["successes"] / each["trials"] for each in found] for group, found in maps.items()}
    holds = all(m > h > 0.1 for m, h in zip(share["medium"], share["high"]))
    return {"holds": holds and not any(each["unresolved"] for found in maps.values() for each in found),
            "trials": maps["medium"][0]["trials"],
            **{group: ", ".join(f"{p:.3f}" for p in found) for group, found in share.items()}}


EXPERIMENTS = {f.__name__: f for f in (pendulum, corner, triangle, stack, polygons, polyhedra, rotation, momentum,
                                       grasp, hanging_rod, rattle, hole, disc, spheres, gear, tripods)}


# --------------------------------------------------------------------------------------------------------- the page


def passes(folder, pattern):
    """Whether tests are there whose names begin with one of those in `pattern`, apart by |, and all of them pass."""
    found = 0
    for name in ["pegrasp_tests", "pegrasp_reference_tests"]:
        chosen = ":".join(part + "*" for part in pattern.split("|"))
        done = subprocess.run([folder / name, f"--gtest_filter={chosen}", "--gtest_brief=1"], cwd=ROOT,
                              capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stdout)
            return False
        found += int(done.stdout.rsplit("[  PASSED  ]", 1)[1].split()[0])
    if found == 0:
        print(f"no test's name begins with {pattern}", file=sys.stderr)
    return found > 0


def complete(row, results, tests):
    """Command, number of ours and verdict of a row of experiments.toml; None where what it needs did not run."""
    commands, ours, verdict = [row["command"]] if "command" in row else [], row.get("ours", ""), row["verdict"]
    holds = True
    if "run" in row:
        if row["run"] not in results:
            return None
        values = results[row["run"]]
        commands, ours = [f"`experiments.py {row['run']}`"], ours.format(**values)
        holds = values[row.get("holds", "holds")]
    if "test" in row:
        if tests is None and "run" not in row:
            return None
        commands += [f"`ctest -R {name}`" for name in row["test"].split("|")]
        holds = holds and (tests is None or passes(tests, row["test"]))
    if not holds:
        verdict = "DOES NOT HOLD"
    why = row.get("why", "")
    between = "" if not why else " " if why.startswith(("(", "because", "as ", "but ", "in ", "with ")) else ": "
    return [row["figure"], row["shows"], ", ".join(commands), row.get("source", ""), ours, verdict + between + why]


HEAD = ["figure", "shows", "command", "the source says", "here", "verdict"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments to run (all): " + ", ".join(EXPERIMENTS))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/pegrasp")
    parser.add_argument("--tests", type=pathlib.Path, metavar="FOLDER", help="run named tests of this build, too")
    parser.add_argument("--page", action="store_true", help="write the tables of experiments.md; needs --tests")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in EXPERIMENTS]:
        parser.error(f"no experiment {unknown[0]}; known here: {', '.join(EXPERIMENTS)}")
    if given.page and (given.names or given.tests is None):
        parser.error("--page takes all experiments, and needs --tests FOLDER")
    if not given.program.is_file():
        sys.exit(f"experiments.py: {given.program} is not there: build it (scripts/build.sh) or name it with --program")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        program = Program(given.program.resolve(), pathlib.Path(folder))
        version = program.call("--version").strip()
        for name in given.names or EXPERIMENTS:
            print(f"{name} ...", file=sys.stderr, flush=True)
            results[name] = EXPERIMENTS[name](program)
    tests = given.tests.resolve() if given.tests else None
    tables, failed = {}, 0
    for row in tomllib.loads((HERE / "experiments.toml").read_text())["row"]:
        if given.names and row.get("run") not in given.names:
            continue
        if (cells := complete(row, results, tests)) is None:
            continue
        tables.setdefault(row["table"], []).append([cell.strip() for cell in cells])
        failed += "DOES NOT HOLD" in cells[-1]
    for name, rows in tables.items():
        if not given.page:
            print(f"\n{name}\n\n{table(HEAD, rows)}")
        elif not failed:
            fill(f"experiments_{name}", table(HEAD, rows))
    if given.page and not failed:
        fill("experiments_version", f"Numbers by {version}.")
    if failed:
        sys.exit(f"experiments.py: {failed} rows no longer agree")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pours ten polyhedra into a box with pegrasp and with other engines, and compares the overlap of the bodies and the
time.

    bench/studies/engines/compare_engines_3d.py [--build build] [--engines mujoco bullet drake] [--minutes 9]
                                                [--seeds 3 | --scenes FILE ...] [--json FILE] [--update]

Needs numpy and the engines: pip install mujoco pybullet drake, in an environment of its own. An engine that is not
installed is reported and left out. The folder of --build has pegrasp, pegrasp_pour_study and pegrasp_pose_overlap
(build with -DPEGRASP_BUILD_STUDIES=ON). Every engine gets the bodies that pegrasp_pose_overlap prints: vertices about
the centre of mass, mass and inertia. A body that has not appeared yet is in no engine's world. pegrasp_pose_overlap
measures all engines as pegrasp_pour_study measures pegrasp: the exact volume of all intersections divided by the
bodies' volume after every step, of which the largest counts, bodies that left the box, and the gap between bodies at
rest. Time is processor time of the steps alone, of all threads.

With --scenes scene files take the place of seeds, and --update fills the second table of the page.

The settings are in engines_3d/. Those marked "sweep" run with all seeds from 16 ms down to 0.05 ms, until a run takes
more than 2.5 s of processor time. The others run with the first seed at 16, 4 and 1 ms, which shows whether they are
worth more. A setting with "other_shape" makes bodies larger than they are. They rest apart and their overlap means
little, so such rows are not compared with the others.

With --json rows are stored as they come, and a later call continues where this one stopped. After --minutes the script
stops by itself with exit code 3. Rows of other versions or of another machine are dropped. """
import argparse
import csv
import hashlib
import importlib
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import update_tables  # noqa: E402

ENGINES = {"mujoco": "mujoco", "bullet": "pybullet", "drake": "drake"}  # module of engines_3d: its package
POUR = "hulls"
FRICTIONS = (0.3, 0.0)
STEPS_MS = (16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05)
TRIED_STEPS_MS = (16.0, 4.0, 1.0)
PEGRASP_STEPS_MS = (16.0, 8.0, 4.0, 2.0, 1.0)
MOST_SECONDS = 2.5  # of processor time for one run: fifty times what pegrasp takes at 16 ms
UNFINISHED = 3


class Rows:
    """The measurements, which are written to the file after every row."""

    def __init__(self, path, origin):
        self.path, self.origin, self.rows = path, origin, []
        if path and path.exists():
            before = json.loads(path.read_text())
            if before.get("origin") == origin:
                self.rows = before["rows"]

    def find(self, **key):
        return next((row for row in self.rows if all(row[name] == value for name, value in key.items())), None)

    def add(self, row):
        self.rows.append(row)
        if self.path:
            lines = ",\n".join(json.dumps(row) for row in self.rows)
            self.path.write_text(f'{{"origin": {json.dumps(self.origin)},\n"rows": [\n{lines}\n]}}\n')


def load_engines(names):
    engines = {}
    for name in names:
        try:
            engines[name] = importlib.import_module(f"engines_3d.{name}_engine")
        except ImportError as error:
            print(f"{name} is left out: {error}; try pip install {ENGINES[name]}", file=sys.stderr)
    return engines


def pegrasp_row(given, h_ms, friction):
    file = given.build / "engines_3d_pegrasp.csv"
    what = ["--scene", *map(str, given.scenes)] if given.scenes else [POUR, "--seeds", str(given.seeds)]
    subprocess.run([str(given.build / "pegrasp_pour_study"), *what, "--friction", repr(friction), "--h-ms", repr(h_ms),
                    "--csv", str(file)],
                   check=True, stdout=subprocess.DEVNULL)
    with file.open(newline="") as table_file:
        rows = list(csv.DictReader(table_file))
    file.unlink()
    overlaps = sorted(float(row["overlap_worst"]) for row in rows)
    return {"us_a_step": sum(float(row["us_per_step"]) for row in rows) / len(rows), "overlap": overlaps[-1],
            "overlap_median_run": overlaps[len(overlaps) // 2] if given.scenes else float(rows[0]["overlap_median"]),
            "gap_m": max(float(row["gap_at_rest_m"]) for row in rows),
            "left": sum(int(row["runs_left"]) for row in rows), "failed": None}


def engine_row(engine, setting, pours, h):
    """All seeds of one setting and step."""
    seconds, measured = [], []
    for pour in pours:
        from engines_3d.scene import Recorder
        record = Recorder(pour, h)
        try:
            engine.run(pour, h, setting, record)
        except (RuntimeError, ValueError) as error:  # an engine that gave up
            return {"failed": str(error).splitlines()[0]}
        pour.check_start(record.rows, h)
        seconds.append(record.seconds)
        measured.append(pour.measure(record.rows))
    steps = sum(pour.steps(h) for pour in pours)
    overlaps = sorted(one["overlap_max"] for one in measured)
    return {"us_a_step": 1e6 * sum(seconds) / steps, "overlap": overlaps[-1],
            "overlap_median_run": overlaps[len(overlaps) // 2],
            "gap_m": max(one["gap_at_rest_m"] for one in measured), "left": sum(not one["inside"] for one in measured),
            "failed": None}


def seconds_of(row):
    """Processor time of one run, on average over the seeds [s]."""
    return 1e-6 * row["us_a_step"] * row["duration_s"] / (1e-3 * row["h_ms"])


class Comparison:
    def __init__(self, given, rows, engines):
        from engines_3d.scene import PouredScene
        self.given, self.rows, self.engines = given, rows, engines
        self.end = time.monotonic() + 60.0 * given.minutes
        meter = given.build / "pegrasp_pose_overlap"
        whats = [["--scene", str(file)] for file in given.scenes] or [[POUR, "--seed", str(seed)]
                                                                      for seed in range(1, given.seeds + 1)]
        if given.scenes and len({PouredScene(meter, what, 0.3).duration for what in whats}) > 1:
            raise SystemExit("the scenes last for different times: compare them one by one")
        self.pours = {mu: [PouredScene(meter, what, mu) for what in whats] for mu in FRICTIONS}

    def measured(self, key, pours, measure):
        """The row, from the file or new; None when time is up."""
        row = self.rows.find(**key)
        if row is None and time.monotonic() < self.end:
            print(f"{key['engine']}, {key['setting']}, mu {key['friction']:g}, {key['h_ms']:g} ms ...", file=sys.stderr,
                  flush=True)
            row = key | {"seeds": len(pours), "duration_s": pours[0].duration} | measure()
            self.rows.add(row)
        return row

    def measure(self):
        """Whether all rows are measured."""
        tasks = [(self.pegrasp, mu) for mu in FRICTIONS]
        tasks += [(self.engine, mu, name, setting) for mu in FRICTIONS for name in self.engines
                  for setting in self.engines[name].SETTINGS]
        return all([task(*words) for task, *words in tasks])

    def pegrasp(self, mu):
        pours = self.pours[mu]
        return all([self.measured({"engine": "pegrasp", "setting": "strict", "friction": mu, "h_ms": h}, pours,
                                  lambda: pegrasp_row(self.given, h, mu)) for h in PEGRASP_STEPS_MS])

    def engine(self, mu, name, label):
        engine = self.engines[name]
        setting = engine.SETTINGS[label]
        sweep = setting.get("sweep", False)
        pours = self.pours[mu] if sweep else self.pours[mu][:1]
        for h in STEPS_MS if sweep else TRIED_STEPS_MS:
            key = {"engine": engine.NAME, "setting": label, "friction": mu, "h_ms": h}
            row = self.measured(key, pours, lambda: {"sweep": sweep, "other_shape": setting.get("other_shape", False)} |
                                engine_row(engine, setting, pours, 1e-3 * h))
            if row is None:
                return False
            if not row["failed"] and seconds_of(row) > MOST_SECONDS:
                break
        return True


def length(metres):
    if metres < 1e-6:
        return "0"
    return f"{1e3 * metres:.1f} mm" if metres > 1e-4 else f"{1e6 * metres:.0f} µm"


def ratio(overlap):
    return f"{overlap:.0e}" if overlap else "0"


def cell(row):
    if row is None:
        return "-"
    if row["failed"]:
        return "fails"
    return f"{ratio(row['overlap'])}, {seconds_of(row):.2g} s" + (f", {row['left']} of {row['seeds']} leave"
                                                                  if row["left"] else "")


def table(rows, friction):
    """One line for each setting that was run with all seeds."""
    lines = []
    settings = dict.fromkeys((r["engine"], r["setting"]) for r in rows if r.get("sweep", True)
                             and r["friction"] == friction)
    for engine, setting in settings:
        of = {r["h_ms"]: r for r in rows if (r["engine"], r["setting"], r["friction"]) == (engine, setting, friction)}
        finest = of[min(of)]
        lines.append([engine if engine == "pegrasp" else f"{engine}, {setting}",
                      *(cell(of.get(h)) for h in TRIED_STEPS_MS),
                      f"{cell(finest)} at {finest['h_ms']:g} ms", "-" if finest["failed"] else length(finest["gap_m"])])
    return update_tables.table(["engine", *(f">{h:g} ms" for h in TRIED_STEPS_MS), ">finest", ">apart at rest"], lines)


def verdict(rows, engine, friction, reference):
    """A sentence with the time that the engine takes to overlap as little as that row of pegrasp."""
    fair = [r for r in rows if (r["engine"], r["friction"]) == (engine, friction) and r["sweep"]
            and not r["other_shape"] and not r["failed"] and not r["left"]]
    reached = [r for r in fair if r["overlap"] <= reference["overlap"]]
    if reached:
        best = min(reached, key=seconds_of)
        return (f"{engine} reaches this with \"{best['setting']}\" at {best['h_ms']:g} ms, "
                f"in {seconds_of(best) / seconds_of(reference):.1f} times the time")
    if not fair:
        return f"{engine} has no run with all bodies in the box"
    best = min(fair, key=lambda r: r["overlap"])
    return (f"{engine} never reaches this: least {best['overlap']:.0e}, with \"{best['setting']}\" at {best['h_ms']:g} "
            f"ms, in "
            f"{seconds_of(best) / seconds_of(reference):.0f} times the time")


def cushioned(rows, engine, friction, reference):
    """The same for bodies that the engine makes larger than they are; empty if it does not reach that overlap."""
    other = [r for r in rows if (r["engine"], r["friction"]) == (engine, friction) and r["other_shape"]
             and not r["failed"] and not r["left"]]
    reached = [r for r in other if r["overlap"] <= reference["overlap"]]
    if not reached:
        return ""
    best = min(reached, key=seconds_of)
    seeds = "" if best["sweep"] else ", with the first alone"
    return (f"{engine}, \"{best['setting']}\", at {best['h_ms']:g} ms in "
            f"{seconds_of(best) / seconds_of(reference):.1f} times the time, bodies up to "
            f"{length(best['gap_m'])} apart{seeds}")


def tried(rows, engine):
    """Settings that were tried with the first seed or scene: the least overlap of bodies that have their own shape."""
    mine = [r for r in rows if r["engine"] == engine and not r["sweep"] and not r["failed"]]
    names = list(dict.fromkeys(r["setting"] for r in mine))
    fair = [r for r in mine if not r["other_shape"] and not r["left"]]
    if not fair:
        return ""
    best = min(fair, key=lambda r: r["overlap"])
    return (f"{engine}: {'; '.join(names)}. Least {best['overlap']:.0e} (\"{best['setting']}\", mu "
            f"{best['friction']:g}, {best['h_ms']:g} ms, "
            f"{seconds_of(best):.2g} s)")


def summary(rows):
    text = [f"Friction 0.3: largest overlap of any step and run, and processor time for "
            f"{rows[0]['duration_s'] if rows else 0:g} s.\n\n{table(rows, 0.3)}"]
    engines = list(dict.fromkeys(r["engine"] for r in rows if r["engine"] != "pegrasp"))
    for friction in FRICTIONS:
        reference = next((r for r in rows if (r["engine"], r["friction"], r["h_ms"]) == ("pegrasp", friction, 16.0)),
                         None)
        if reference and engines:
            text.append(f"Friction {friction:g}, pegrasp at 16 ms: {reference['overlap']:.1e} in "
                        f"{seconds_of(reference):.3f} s. "
                        + ". ".join(verdict(rows, engine, friction, reference) for engine in engines) + ".")
            inflated = [words for words in (cushioned(rows, engine, friction, reference) for engine in engines)
                        if words]
            if inflated:
                text[-1] += " With bodies made larger, so that they rest apart: " + "; ".join(inflated) + "."
    also = [words for words in (tried(rows, engine) for engine in engines) if words]
    if also:
        text.append("Also tried, with the first seed or scene at 16, 4 and 1 ms. " + ". ".join(also) + ".")
    return "\n\n".join(text)


def origin_of(given, engines):
    info = json.loads(subprocess.run([str(given.build / "pegrasp"), "info", "--json"], check=True,
                                     stdout=subprocess.PIPE, text=True).stdout)
    versions = [f"pegrasp {info['version']} {info['git']} ({info['compiler']} {info['build_type']})"]
    versions += [f"{engine.NAME} {engine.version()}" for engine in engines.values()]
    what = " and ".join(f"{file.stem} ({hashlib.sha256(file.read_bytes()).hexdigest()[:8]})"
                        for file in given.scenes) or f"seeds 1 to {given.seeds}"
    missing = [name for name in given.engines if name not in engines]
    return (f"{info['backends']['cpu']['detail'].split(' of ')[-1]}, one thread each, {what}; {', '.join(versions)}"
            + (f"; not installed: {', '.join(missing)}" if missing else "") + ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="folder with the programs")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    pours = parser.add_mutually_exclusive_group()
    pours.add_argument("--seeds", type=int, default=3, help="number of seeds, from seed 1 on")
    pours.add_argument("--scenes", type=pathlib.Path, nargs="+", default=[], help="scene files in place of seeds")
    parser.add_argument("--minutes", type=float, default=9.0,
                        help="stop after this time; with --json the next call goes on")
    parser.add_argument("--json", type=pathlib.Path, help="keep the rows in this file")
    parser.add_argument("--update", action="store_true", help="put the table into bench/studies/engines/README.md")
    given = parser.parse_args()
    for name in ("pegrasp", "pegrasp_pour_study", "pegrasp_pose_overlap"):
        if not (given.build / name).exists():
            raise SystemExit(f"{given.build / name} is not there: build it (-DPEGRASP_BUILD_STUDIES=ON), or give "
                             f"another --build")
    engines = load_engines(given.engines)
    origin = origin_of(given, engines)
    rows = Rows(given.json, origin)
    finished = Comparison(given, rows, engines).measure()
    text = f"{summary(rows.rows)}\n\n{origin}"
    print(text)
    if not finished:
        print("time is up: call again" + ("" if given.json else " with --json"), file=sys.stderr)
        sys.exit(UNFINISHED)
    if given.update:
        update_tables.fill("engines-given" if given.scenes else "engines", text)


if __name__ == "__main__":
    main()

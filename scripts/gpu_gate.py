#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the checks of scripts/gpu_gate.sh on binaries that are already built. Needs Python's standard library only.

With --backend cpu a second run on the CPU takes the place of the GPU. That tests the gate on a machine without a GPU,
and shows nothing about a GPU. """

import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from gpu_gate_table import STAGES, parts_of, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Lanes that share a scene, where the scenes' workspaces lie, and where the model does (pegrasp_bench --help).
SHAPES = [(size, memory, "global") for size in (1, 2, 8, 32, 128)
          for memory in ("global", "shared")] + [(8, "global", "shared"), (32, "global", "shared"),
                                                 (8, "shared", "shared"), (1, "interleaved", "global")]
# [s] for one measurement, one comparison of a shape, or one sanitized run
RUN_LIMIT = float(os.environ.get("PEGRASP_GATE_RUN_LIMIT", 240))
# [s] after which a stage is cut off. Its results until then are kept, and the rest is listed as not shown. A budget for
# all stages is shared out in proportion to these.
STAGE_LIMITS = {"tests": 1800, "maps": 1800, "scenes": 3600, "bench": 1800, "shapes": 7200, "fast": 1800,
                "batched": 2400, "sanitize": 3600}
MAP_SAMPLES = 30  # a cell
MAP_SAMPLES_WITHOUT_GRID = 3000
PROBLEM_TRIALS = 50  # of each example problem, for pegrasp_agree
# The scenes on which a shape is compared, with their contact models and solvers: 2D scenes, and in 3D rods that are
# compared on their way, round parts and joints, and a gripper.
SHAPE_SCENES = [("gear_map", ["peg/newton", "peg/aj", "peg-features/aj", "standard/aj", "corrective/aj"]),
                ("pile_20,stack_10", ["peg/newton"]),
                ("rods_3d,mixed_3d", ["peg/newton", "peg/aj", "standard/aj"]),
                ("box_3d,stack_3d,lift_trials", ["peg/newton"])]
# On every example a shape is compared as well: trials of each problem, steps of each scene at most, and the number of
# times at which a scene is compared before its end.
SHAPE_TRIALS, SHAPE_STEPS, SHAPE_CUTS = 21, 200, 3
SHAPE_EXAMPLE_CHOICES = ["peg/newton", "peg/aj"]
# How a batch is given to the backend: a few scenes at a time, in another order of its queue.
ARRANGEMENTS = [("as given", []), ("five at a time", ["--split", 5]), ("shuffled", ["--shuffle"]),
                ("both", ["--split", 5, "--shuffle"])]
FAST_TRIALS = 4000  # of each example problem, strict and fast
# The benchmarks of a shape. 3D scenes are measured in strict arithmetic.
SHAPE_BENCHMARKS = [(name, arithmetic) for name in ("gear_map", "pile_20", "stack_10")
                    for arithmetic in ("strict", "fast")]
SHAPE_BENCHMARKS += [(name, "strict") for name in ("box_3d", "stack_3d", "lift_trials")]
# racecheck looks at shared memory only, initcheck at global memory only. With teams of 32 in shared memory a block has
# one workspace, and what is written beyond it leaves the allocation.
SANITIZED = [("memcheck", 8, "global", "newton", "per-scene", "gear_step"),
             ("memcheck", 32, "shared", "newton", "per-scene", "gear_step"),
             ("memcheck", 8, "global", "aj", "per-scene", "gear_step"),
             ("racecheck", 8, "shared", "newton", "per-scene", "gear_step"),
             ("racecheck", 32, "shared", "newton", "per-scene", "gear_step"),
             ("initcheck", 8, "global", "newton", "per-scene", "gear_step"),
             ("synccheck", 8, "global", "newton", "per-scene", "gear_step"),
             ("synccheck", 32, "global", "newton", "per-scene", "gear_step"),
             ("synccheck", 128, "global", "newton", "per-scene", "gear_step"),
             ("racecheck", 128, "shared", "newton", "per-scene", "gear_step"),
             # one kernel for each phase: teams and workspaces have no effect here
             ("memcheck", 8, "global", "aj", "batched", "gear_step"),
             ("initcheck", 8, "global", "aj", "batched", "gear_step"),
             # in 3D: joints and motors, round parts and unions, substeps
             ("memcheck", 8, "global", "newton", "per-scene", "lift_3d"),
             ("memcheck", 32, "shared", "newton", "per-scene", "lift_3d"),
             ("initcheck", 8, "global", "newton", "per-scene", "lift_3d"),
             ("memcheck", 8, "global", "newton", "per-scene", "mixed_3d"),
             ("racecheck", 32, "shared", "newton", "per-scene", "rods_3d"),
             ("racecheck", 128, "shared", "newton", "per-scene", "rods_3d"),
             ("synccheck", 8, "global", "newton", "per-scene", "rods_3d"),
             ("synccheck", 128, "global", "newton", "per-scene", "rods_3d"),
             ("memcheck", 8, "global", "aj", "batched", "mixed_3d"),
             ("initcheck", 8, "global", "aj", "batched", "mixed_3d"),
             ("memcheck", 8, "global", "aj", "batched", "lift_3d")]
# Maps, whose samples the device draws.
SANITIZED_MAPS = [("memcheck", "examples/gear/gear.toml"), ("initcheck", "examples/gear/gear.toml"),
                  ("memcheck", "examples/lift/lift.toml")]


def end_with_children(process):
    """Ends a process with its children, which would otherwise go on using the device."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Stage:
    """A stage at work: its results so far, and its time limit."""

    def __init__(self, arguments, scratch, seconds, save):
        self.build, self.out, self.quick, self.scratch = arguments.build, arguments.out, arguments.quick, scratch
        self.backend = arguments.backend  # the one that is checked
        self.against = ["--against", "cpu"] if self.backend == "cpu" else []  # for pegrasp_agree
        self.end = time.monotonic() + seconds
        self.seconds = seconds
        self.result = {"passed": False}
        self.not_shown = []  # in words
        self.save = save  # writes all results so far; to be called after each new result

    def hide(self, what):
        if what not in self.not_shown:
            self.not_shown.append(what)

    def conclude(self, verdicts, shown, allowed=()):
        """Passed: something was shown and nothing went wrong. A comparison that is too slow shows nothing, and is no
        failure."""
        verdicts = list(verdicts)
        self.result["passed"] = shown in verdicts and all(one in (shown, "too slow", *allowed) for one in verdicts)

    def run(self, command, log, limit=None, env=None):
        """Runs a command in the repository root, with both streams in the log. Returns its exit code, or None if time
        ran out."""
        left = self.end - time.monotonic()
        allowed = left if limit is None else min(limit, left)
        with open(log, "a") as sink:
            print("$", *command, file=sink, flush=True)
            if left <= 0:
                print(f"not begun: the stage's {self.seconds:g} s are over", file=sink)
                return None
            process = subprocess.Popen([str(word) for word in command], cwd=ROOT, stdout=sink, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, env=env, start_new_session=True)
            try:
                return process.wait(timeout=allowed)
            except subprocess.TimeoutExpired:
                print(f"ended after {allowed:.0f} s", file=sink)
                return None
            finally:
                if process.poll() is None:
                    end_with_children(process)


def tail(log, lines):
    log = pathlib.Path(log)
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else ""


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_json(path):
    """The document; None for a file that does not exist or is incomplete because its program was ended."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def run_tests(stage):
    """Runs every test, sharded over the cores. With PEGRASP_TEST_BACKEND=cuda tests that step scenes through a Backend
    use the GPU (tests/test_backend.hpp)."""
    shards = min(8, os.cpu_count() or 1)

    def shard(index):
        log = stage.scratch / f"tests{index}.log"
        environment = dict(os.environ, PEGRASP_TEST_PROGRAM=str(stage.build / "pegrasp"),
                           GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX=str(index),
                           PEGRASP_TEST_BACKEND=stage.backend)
        code = stage.run([stage.build / "pegrasp_tests"] + (["--gtest_filter=*Cuda*:*Backend*"] if stage.quick else []),
                         log, env=environment)
        return code, tests_in(log), log

    # Tests are counted from the output of each process, so that a process that is cut off counts with its finished
    # tests.
    tests, lost, slow, cut = {}, [], 0, []
    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        for code, ended, log in pool.map(shard, range(shards)):
            if code is None:
                slow += 1
                cut += test_at_work(log, ended)
            tests.update(ended)
            if code not in (0, None) and (code != 1 or "FAILED" not in ended.values()):
                lost.append(f"ended with {code}")
                print(f"a test process ended with {code}:\n{tail(log, 30)}")
            elif "FAILED" in ended.values():
                print(tail(log, 60))
    if slow:
        stage.hide(f"tests after the {len(tests)} that ended in time ({slow} of {shards} processes were cut off, at "
                   f"{', '.join(cut) or 'none'})")
    failures = sorted(name for name, verdict in tests.items() if verdict == "FAILED")
    stage.result.update({"passed": not lost and not failures and bool(tests), "run": len(tests),
                         "failed": len(failures),
                         "skipped": sum(verdict == "SKIPPED" for verdict in tests.values()), "failures": failures,
                         "processes": shards,
                         "processes_lost": lost})


def tests_in(log):
    """The tests that GoogleTest reports as ended, each with OK, FAILED or SKIPPED."""
    if not log.exists():
        return {}
    found = re.findall(r"\[ +(OK|FAILED|SKIPPED) +\] (\S+?)(?:, where .*)? \(\d+ ms\)$",
                       log.read_text(errors="replace"), re.MULTILINE)
    return {name: verdict for verdict, name in found}


def test_at_work(log, ended):
    """The test that a process was cut off at, in a list. One that had failed by then is among those that ended."""
    text = log.read_text(errors="replace")
    begun = re.findall(r"^\[ RUN +\] (\S+)$", text, re.MULTILINE)
    if not begun or begun[-1] in ended:
        return []
    if re.search(r": Failure$", text[text.rindex(begun[-1]):], re.MULTILINE):
        ended[begun[-1]] = "FAILED"
    return [begun[-1]]


def compare_hdf5(first, second):
    """"equal", or what differs, or why nothing was compared. Only results are compared, not the
    record of the run."""
    try:
        import h5py
    except ImportError:
        return "not compared (no h5py)"
    differing = []
    with h5py.File(first) as a, h5py.File(second) as b:
        names = []
        a.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        for name in names:
            # Numbers only: text says, for instance, which backend wrote the file.
            if a[name].dtype.kind in "biufV" and (name not in b or a[name][()].tobytes() != b[name][()].tobytes()):
                differing.append(name)
    return "differs: " + ", ".join(differing) if differing else "equal" if names else "not compared (no dataset)"


def has_grid(path):
    return any(line.strip().startswith("[grid") for line in path.read_text().splitlines())


# In the message of a problem that the CUDA backend refuses (src/backend/cuda_backend.cpp).
CPU_ALONE = "simulated on a CPU alone"


def example_problems():
    return sorted((ROOT / "examples").rglob("*.toml"))


def compare_map(stage, problem, options):
    """One problem mapped on both backends. map.csv and, where h5py is, the numbers of map.h5 must be the same bytes."""
    name = " ".join([str(problem.relative_to(ROOT)), *options])
    stem = "".join([problem.stem, *options])
    row = {"problem": name, "verdict": "FAILED"}
    samples = MAP_SAMPLES if has_grid(problem) else MAP_SAMPLES_WITHOUT_GRID
    if stage.quick or options:
        samples = 2
    for side, backend in (("cpu", "cpu"), ("cuda", stage.backend)):
        out, log = stage.scratch / f"{stem}-{side}", stage.scratch / f"{stem}-{side}.log"
        threads = ["--threads", 1] if side == "cuda" and backend == "cpu" else []
        begin = time.monotonic()
        code = stage.run([stage.build / "pegrasp", "map", problem, "--backend", backend, "--strict", "--out", out,
                          "--samples", samples, "--no-plot", "--quiet", *threads, *options], log)
        row[f"{side}_s"] = round(time.monotonic() - begin, 3)
        if side == "cuda" and code == 2 and CPU_ALONE in log.read_text():
            row["verdict"] = "refused"
            return row
        if not (out / "map.csv").exists():
            row["verdict"] = "too slow" if code is None else "FAILED"
            print(f"{name} on {backend} {'was too slow' if code is None else f'ended with {code}'} and left no "
                  f"map:\n{tail(log, 10)}")
            return row
        row[f"{side}_sha256"] = sha256(out / "map.csv")
    first, second = (stage.scratch / f"{stem}-{side}" / "map.h5" for side in ("cpu", "cuda"))
    row["hdf5"] = compare_hdf5(first, second) if first.exists() and second.exists() else "not compared (no map.h5)"
    same = row["cpu_sha256"] == row["cuda_sha256"] and not row["hdf5"].startswith("differs")
    row["verdict"] = "equal" if same else "DIFFERS"
    return row


def compare_maps(stage):
    """Every example problem, and the gear in 3D, mapped on both backends."""
    rows = stage.result["maps"] = []
    for problem, options in [(path, []) for path in example_problems()] + [(ROOT / "examples/gear/gear.toml",
            ["--space"])]:
        rows.append(compare_map(stage, problem, options))
        if rows[-1]["verdict"] == "too slow":
            stage.hide(f"{rows[-1]['problem']} (too slow)")
        if rows[-1].get("hdf5", "").startswith("not compared"):
            stage.hide(f"residuals and poses in map.h5: {rows[-1]['hdf5']}")
        stage.conclude((row["verdict"] for row in rows), "equal", allowed=("refused",))
        stage.save()


def hide_skipped(stage, rows):
    for row in rows:
        if row["verdict"] == "skipped":
            stage.hide(f"{row['scene']} ({row['why']})")


def example_files():
    return sorted((ROOT / "examples").rglob("*.json")) + example_problems()


def compare_scenes(stage):
    """pegrasp_agree: outcomes, residuals among them, and poses of the test scenes, the example scenes, and trials of
    the example problems, at the end and on the way, for every solver and contact model."""
    report, log = stage.scratch / "agree.json", stage.scratch / "agree.log"
    code = stage.run([stage.build / "pegrasp_agree", "--json", report, "--scale", 0.1 if stage.quick else 1, "--trials",
                      PROBLEM_TRIALS,
                      *(["--steps", 50, "--cuts", 2] if stage.quick else []), *stage.against, *example_files()], log)
    stage.result.update(read_json(report) or {"comparisons": []})
    rows = stage.result["comparisons"]
    if code != 0:
        print(tail(log, 60))
    if code is None:
        stage.hide(f"comparisons after the {len(rows)} that were made in time")
    hide_skipped(stage, rows)
    stage.result["ended_with"] = "too slow" if code is None else code
    stage.conclude((row["verdict"] for row in rows), "equal", allowed=("refused", "skipped"))
    stage.result["passed"] &= code in (0, None)


def comparison_verdict(code, compared):
    """The verdict of a run of pegrasp_agree, including comparisons that it made before it was ended."""
    for bad, verdict in (("differs", "DIFFERS"), ("failed", "failed")):
        if any(one["verdict"] == bad for one in compared):
            return verdict
    return {0: "equal", 1: "DIFFERS", None: "too slow"}.get(code, f"ended with {code}")


def compare_examples(stage, name, options):
    """Every example on the CPU and on the backend as these options have it, bit by bit."""
    report, log = stage.scratch / f"examples-{name}.json", stage.scratch / f"examples-{name}.log"
    code = stage.run([stage.build / "pegrasp_agree", "--json", report, "--files-only", "--trials", 5 if stage.quick
                      else SHAPE_TRIALS,
                      "--steps", 20 if stage.quick else SHAPE_STEPS, "--cuts", SHAPE_CUTS, "--choices",
                      ",".join(SHAPE_EXAMPLE_CHOICES),
                      *options, *stage.against, *example_files()], log, RUN_LIMIT)
    compared = (read_json(report) or {}).get("comparisons", [])
    if code != 0:
        print(f"examples, {name}:\n{tail(log, 20)}")
    hide_skipped(stage, compared)
    return {"scenes": "examples", "choices": SHAPE_EXAMPLE_CHOICES, "verdict": comparison_verdict(code, compared),
            "equal": sum(one["verdict"] == "equal" for one in compared), "comparisons": len(compared),
            "differing": [f"{one['scene']} {one['choice']}: {one['why']}" for one in compared
                          if one["verdict"] == "differs"]}


def measure_shape(stage, size, memory, model):
    """One shape: the same bits as the CPU on every example and on a part of the test scenes, and how fast strict and
    fast arithmetic are."""
    options = ["--team-size", size, "--workspaces", memory, "--model-memory", model] if stage.backend == "cuda" else []
    log = stage.scratch / f"shape-{size}-{memory}-{model}.log"
    row = {"team_size": size, "workspaces": memory, "model": model, "comparisons": [], "measured": []}
    row["comparisons"].append(compare_examples(stage, f"teams of {size}, {memory}, {model}", options))
    for index, (names, choices) in enumerate(SHAPE_SCENES):
        report = stage.scratch / f"shape-{size}-{memory}-{model}-{index}.json"
        code = stage.run([stage.build / "pegrasp_agree", "--json", report, "--scale", 0.02, "--names", names,
                          "--choices",
                          ",".join(choices), *(["--steps", 20, "--cuts", 2] if stage.quick else []), *options,
                          *stage.against], log, RUN_LIMIT)
        compared = (read_json(report) or {}).get("comparisons", [])
        row["comparisons"].append({"scenes": names, "choices": choices, "verdict": comparison_verdict(code, compared)})
    for name, arithmetic in SHAPE_BENCHMARKS:
        report = stage.scratch / f"shape-{size}-{memory}-{model}-{name}-{arithmetic}.json"
        code = stage.run([stage.build / "pegrasp_bench", name, "--backend", stage.backend, "--repeat", 2, "--no-phases",
                          "--json", report, *options]
                         + (["--fast"] if arithmetic == "fast" else []) + (["--quick"] if stage.quick else []), log,
                         RUN_LIMIT)
        record = measured_in(report)
        taken = record.get("shape", "")
        row["measured"].append({"name": name, "arithmetic": arithmetic, "ended": code == 0, "shape": taken,
                                "as_asked": f"bytes in {memory} memory, the model" in taken
                                and taken.endswith(f"in {model} memory"), "unresolved": record.get("unresolved"),
                                "successes": record.get("successes"),
                                "scene_steps_per_s": record.get("scene_steps_per_s")})
    row["equal"] = all(one["verdict"] == "equal" for one in row["comparisons"])
    if not row["equal"]:
        print(f"shape {size}, {memory}, model {model}:\n{tail(log, 20)}")
    return row


def measured_in(report):
    """The first measurement in a report of pegrasp_bench; nothing where there is none."""
    return ((read_json(report) or {}).get("benchmarks") or [{}])[0]


def compare_shapes(stage):
    """All launch shapes, from which the defaults are to be chosen. A workspace that does not fit into shared memory is
    reported to be elsewhere. The default shape comes first, with batches that are split and queues in another order. A
    CPU has one shape."""
    arranged, rows = [], []
    stage.result["arrangements"], stage.result["shapes"] = arranged, rows

    def found():
        compared = arranged + [one for row in rows for one in row["comparisons"]]
        stage.result["passed"] = (all(one["verdict"] in ("equal", "too slow") for one in compared)
                                  and any(one["verdict"] == "equal" for one in arranged)
                                  and any(row["equal"] for row in rows))
        (stage.out / "shapes.json").write_text(json.dumps(stage.result, indent=2) + "\n")
        stage.save()

    for name, options in ARRANGEMENTS:
        arranged.append({"arrangement": name, **compare_examples(stage, name, options)})
        if arranged[-1]["verdict"] == "too slow":
            stage.hide(f"batches {name} (too slow)")
        found()
    for size, memory, model in SHAPES if stage.backend == "cuda" else [(1, "cpu", "cpu")]:
        row = measure_shape(stage, size, memory, model)
        rows.append(row)
        slow = [one["scenes"] for one in row["comparisons"] if one["verdict"] == "too slow"]
        if slow:
            stage.hide(f"teams of {size}, {memory}, model {model}: {', '.join(slow)} (too slow)")
        found()


def compare_fast(stage):
    """pegrasp_agree --fast: trials of every example problem, and the example scenes, in strict and in fast arithmetic
    on the same backend, outcome by outcome. Changed outcomes are counted and are no failure."""
    report, log = stage.scratch / "fast.json", stage.scratch / "fast.log"
    trials = FAST_TRIALS if stage.backend == "cuda" and not stage.quick else 20
    code = stage.run([stage.build / "pegrasp_agree", "--json", report, "--fast", "--files-only", "--trials", trials,
                      *(["--repeat", 1] if stage.quick else []), *stage.against, *example_files()], log)
    rows = stage.result["fast"] = (read_json(report) or {}).get("fast", [])
    if code != 0:
        print(tail(log, 30))
    if code is None:
        stage.hide(f"fast arithmetic after the {len(rows)} examples that were compared in time")
    hide_skipped(stage, rows)
    stage.result["ended_with"] = "too slow" if code is None else code
    stage.conclude((row["verdict"] for row in rows), "compared", allowed=("skipped", "refused"))
    stage.result["passed"] &= code in (0, None)


def measure_batched(stage):
    """Large scenes with both strategies, in 2D and 3D, strict and fast. The stage scenes compares their bits with the
    CPU's."""
    rows = stage.result["runs"] = []
    both = ("per-scene", "batched")
    for name, strategies in (("pour_200", both), ("pour_10000", both[1:]), ("box_3d", both),
                             ("pour_2000_3d", both[1:])):
        for strategy in strategies:
            for arithmetic in ("strict", "fast"):
                label = f"{name}-{strategy}-{arithmetic}"
                report, log = stage.scratch / f"{label}.json", stage.scratch / f"{label}.log"
                code = stage.run([stage.build / "pegrasp_bench", name, "--backend", stage.backend, "--strategy",
                                  strategy, "--solver", "aj", "--no-phases", "--json", report]
                                 + (["--fast"] if arithmetic == "fast" else []) + (["--quick"] if stage.quick else []),
                                 log, RUN_LIMIT)
                record = measured_in(report)
                if code not in (0, None):
                    print(f"{name}, {strategy}, {arithmetic} ended with {code}:\n{tail(log, 20)}")
                if code is None:
                    stage.hide(f"{name}, {strategy} strategy, {arithmetic} (too slow)")
                rows.append({"name": name, "strategy": strategy, "arithmetic": arithmetic,
                             "verdict": {0: "ran", None: "too slow"}.get(code, "FAILED"),
                             "shape": record.get("shape", ""), "unresolved": record.get("unresolved"),
                             "scene_steps_per_s": record.get("scene_steps_per_s")})
                stage.conclude((row["verdict"] for row in rows), "ran")
                stage.save()


def sanitize(stage):
    """Runs compute-sanitizer over a few scenes. If the tool is missing or does not support the device, nothing is
    checked. That is reported and is no failure."""
    stage.result.update({"passed": True, "runs": [], "planned": len(SANITIZED) + len(SANITIZED_MAPS)})
    if stage.backend == "cpu":
        return stage.hide("anything: there is no device code on a CPU")
    tool = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    if tool is None:
        return stage.hide("anything: no compute-sanitizer on this machine")
    log = stage.scratch / "sanitizer-probe.log"
    # The probe runs a kernel, because only a context shows whether the sanitizer supports the device. The first run
    # below repeats what it may find.
    code = stage.run([tool, stage.build / "pegrasp_bench", "gear_step", "--backend", "cuda", "--scenes", 1, "--repeat",
                      1,
                      "--quick", "--no-phases"], log, RUN_LIMIT)
    if code != 0:
        return stage.hide("anything: compute-sanitizer " + ("is too slow to begin" if code is None
                                                            else f"does not run here ({tail(log, 1)})"))
    rows = stage.result["runs"]

    def look(name, command, what, **row):
        log = stage.scratch / (re.sub(r"[^a-z0-9.]+", "-", what) + ".log")
        # Sorts and scans of the CUDA toolkit read uninitialised values and discard them.
        excluded = ["--kernel-name-exclude", "kns=cub"] if name == "initcheck" else []
        code = stage.run([tool, "--tool", name, "--error-exitcode", 9, *excluded, *command], log, RUN_LIMIT)
        verdict = {0: "clean", 9: "FINDING", None: "too slow"}.get(code, "did not run")
        if verdict != "clean":
            print(f"{what}: {verdict}\n{tail(log, 30)}")
        if verdict == "too slow":
            stage.hide(f"{what} (too slow)")
        rows.append({"tool": name, **row, "verdict": verdict})
        stage.result["passed"] = all(one["verdict"] in ("clean", "too slow") for one in rows)
        stage.save()

    for name, size, memory, solver, strategy, scene in SANITIZED:
        look(name, [stage.build / "pegrasp_bench", scene, "--backend", "cuda", "--scenes", 4, "--repeat", 1,
                    "--team-size", size,
                    "--workspaces", memory, "--solver", solver, "--strategy", strategy, "--no-phases"],
             f"{name}, {scene}, {strategy} strategy, teams of {size}, {memory}, {solver}",
             team_size=size, workspaces=memory, solver=solver, strategy=strategy, scene=scene)
    for index, (name, problem) in enumerate(SANITIZED_MAPS):
        look(name, [stage.build / "pegrasp", "map", problem, "--backend", "cuda", "--out",
                    stage.scratch / f"sanitized-{index}", "--samples", 4,
                    "--set", "grid.x_mm=[0]", "--set", "grid.y_mm=[0]", "--no-plot"],
             f"{name}, map of {problem}", problem=problem)


def rows_of(path, table, with_head):
    """Lines of a CSV file of pegrasp_bench with a first column `table`, as the files of bench/results/ have them."""
    if not path.exists():
        return []
    head, *rows = path.read_text().splitlines(keepends=True)
    return ([f"table,{head}"] if with_head else []) + [f"{table},{row}" for row in rows]


def run_benchmarks(stage):
    """Runs pegrasp_bench on both backends. Phases on a GPU are a run of their own: a failure there leaves the times."""
    fine, measured, lines = True, False, []
    passes = {backend: (backend, []) for backend in ("cpu", stage.backend)}
    if stage.backend == "cuda":
        passes = {"cuda": ("cuda", ["--no-phases"]), "cpu": passes["cpu"], "cuda_phases": ("cuda", ["--repeat", 1])}
    for index, (name, (backend, options)) in enumerate(passes.items()):
        share = (stage.end - time.monotonic()) / (len(passes) - index)
        report, log = stage.scratch / f"bench-{name}.json", stage.scratch / f"bench-{name}.log"
        rows = stage.scratch / f"bench-{name}.csv"
        code = stage.run([stage.build / "pegrasp_bench", "--backend", backend, "--json", report, "--csv", rows,
                          *options]
                         + (["--quick"] if stage.quick else []), log, share)
        lines += rows_of(rows, name, with_head=not lines)
        (stage.out / "bench.csv").write_text("".join(lines))
        if code != 0:
            print(tail(log, 20))
        reported = stage.result[name] = read_json(report)
        for left in (reported or {}).get("skipped", []):
            stage.hide(f"{left['name']} ({left['why']})")
        if code is None:
            stage.hide(f"benchmarks ({name}) after the {len((reported or {}).get('benchmarks', []))} that ended in "
                       f"time")
        fine &= code in (0, None)
        measured |= bool((reported or {}).get("benchmarks"))
        stage.result["passed"] = fine and measured
        stage.save()


CHECKS = {"tests": run_tests, "maps": compare_maps, "scenes": compare_scenes, "shapes": compare_shapes,
          "fast": compare_fast,
          "batched": measure_batched, "sanitize": sanitize, "bench": run_benchmarks}


class Gate:
    """All results so far, which are also written to disk: a gate that is ended early leaves them."""

    def __init__(self, arguments, device):
        self.arguments = arguments
        self.begin = time.monotonic()
        self.known = {"device": device, "backend": arguments.backend,
                      "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                      "cores": os.cpu_count(), "passed": False, "not_shown": []}
        self.bench = None

    def save(self):
        parts = parts_of(self.known, self.bench)
        self.known["passed"] = all(result["passed"] for _, result in parts)
        self.known["not_shown"] = [f"{name}: {what}" for name, result in parts for what in result.get("not_shown", [])]
        self.write("gate.json", self.known)
        if self.bench:
            self.write("bench.json", self.bench)

    def write(self, name, document):
        unfinished = self.arguments.out / (name + ".unfinished")
        unfinished.write_text(json.dumps(document, indent=2) + "\n")
        unfinished.replace(self.arguments.out / name)

    def limit_of(self, name, later):
        """Time limit of a stage [s], if the stages `later` are still to come."""
        limit = self.arguments.stage_limit or STAGE_LIMITS[name]
        if self.arguments.budget is None:
            return limit
        left = max(0.0, self.arguments.budget - (time.monotonic() - self.begin))
        return min(limit, left * STAGE_LIMITS[name] / sum(STAGE_LIMITS[one] for one in [name, *later]))

    def run(self, name, later, scratch):
        limit = self.limit_of(name, later)
        stage = Stage(self.arguments, scratch, limit, self.save)
        if name == "bench":
            self.bench = stage.result
        else:
            self.known[name] = stage.result
        stage.result["not_shown"] = stage.not_shown
        stage.result["state"] = "under way"
        begin = time.monotonic()
        try:
            CHECKS[name](stage)
        except Exception as error:  # the later stages still run
            stage.result.update({"passed": False, "error": f"{type(error).__name__}: {error}"})
        stage.result["state"] = "ended"
        stage.result["seconds"] = round(time.monotonic() - begin, 1)
        print(f"{name}: {stage.result['seconds']} s", flush=True)
        self.save()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of the binaries")
    parser.add_argument("--out", type=pathlib.Path, required=True,
                        help="folder for gate.json, bench.json and bench.csv")
    parser.add_argument("--stages", default=",".join(STAGES), help="which of " + ",".join(STAGES))
    parser.add_argument("--stage-limit", type=float, help="[s] for each stage; by default each has its own")
    parser.add_argument("--budget", type=float, help="[s] for all stages together: each has a share, and what an "
                                                     "earlier one leaves of its own")
    parser.add_argument("--backend", choices=["cuda", "cpu"], default="cuda",
                        help="cpu: a machine without a GPU tries the gate itself out")
    parser.add_argument("--quick", action="store_true", help="little of everything, to try the gate itself out")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    stages = arguments.stages.split(",")
    if unknown := set(stages) - set(STAGES):
        parser.error(f"no stage {', '.join(sorted(unknown))}")
    for binary in ("pegrasp", "pegrasp_tests", "pegrasp_bench", "pegrasp_agree"):
        if not os.access(arguments.build / binary, os.X_OK):
            print(f"gpu_gate: {arguments.build / binary} is not there: build the preset prebuilt-gate", file=sys.stderr)
            return 2
    try:
        probe = subprocess.run([arguments.build / "pegrasp_agree", "--probe", "--against", arguments.backend],
                               capture_output=True, text=True, timeout=RUN_LIMIT)
    except subprocess.TimeoutExpired:
        print(f"gpu_gate: the CUDA device does not answer within {RUN_LIMIT} s; nothing was checked", file=sys.stderr)
        return 2
    if probe.returncode != 0:
        print(f"gpu_gate: no CUDA device ({(probe.stdout + probe.stderr).strip()}); nothing was checked",
              file=sys.stderr)
        return 3 if probe.returncode == 3 else 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    gate = Gate(arguments, probe.stdout.strip().removeprefix(arguments.backend + ": "))
    with tempfile.TemporaryDirectory() as scratch:
        stages = [name for name in STAGES if name in stages]
        for index, name in enumerate(stages):
            gate.run(name, stages[index + 1:], pathlib.Path(scratch))
    print()
    for line in table(gate.known, gate.bench):
        print(line)
    return 0 if gate.known["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of scripts/gpu_gate.sh, on binaries that are there already. Python's standard library is enough."""

import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = ["tests", "maps", "scenes", "bench", "shapes", "sparse", "sanitize"]
# Lanes that share a scene, where the scenes' workspaces lie, and where the model does (pegrasp_bench --help).
SHAPES = [(size, memory, "global") for size in (1, 8, 32, 128) for memory in ("global", "shared")] + [(8, "global", "shared"), (32, "global", "shared"), (8, "shared", "shared")]
RUN_LIMIT = 240  # [s] for one comparison, measurement or sanitized run of a shape
# What a shape is compared on, and with which contact models and solvers: in the plane, and in space rods that are looked at on their way, round
# parts and joints, a gripper.
SHAPE_SCENES = [("gear_step", ["peg/newton", "peg/aj", "peg-features/aj", "standard/aj", "corrective/aj"]), ("pile_20,stack_10", ["peg/newton"]),
                ("space_rods,space_mixed", ["peg/newton", "peg/aj", "standard/aj"]), ("space_box,space_stack,lift_trials", ["peg/newton"])]
# What it is measured on; of scenes in space strict arithmetic is.
SHAPE_BENCHMARKS = [(name, arithmetic) for name in ("gear_map", "pile_20", "stack_10") for arithmetic in ("strict", "fast")]
SHAPE_BENCHMARKS += [(name, "strict") for name in ("space_box", "space_stack", "lift_trials")]
# racecheck looks at shared memory only, initcheck at global memory only. With teams of 32 in shared memory a block has
# one workspace, and what is written beyond it leaves the allocation.
SANITIZED = [("memcheck", 8, "global", "newton", "fused", "gear_step"), ("memcheck", 32, "shared", "newton", "fused", "gear_step"),
             ("memcheck", 8, "global", "aj", "fused", "gear_step"), ("racecheck", 8, "shared", "newton", "fused", "gear_step"),
             ("racecheck", 32, "shared", "newton", "fused", "gear_step"), ("initcheck", 8, "global", "newton", "fused", "gear_step"),
             ("synccheck", 8, "global", "newton", "fused", "gear_step"), ("synccheck", 32, "global", "newton", "fused", "gear_step"),
             ("synccheck", 128, "global", "newton", "fused", "gear_step"), ("racecheck", 128, "shared", "newton", "fused", "gear_step"),
             # a kernel a phase: teams and workspaces say nothing here
             ("memcheck", 8, "global", "aj", "sparse", "gear_step"), ("initcheck", 8, "global", "aj", "sparse", "gear_step"),
             # in space: joints and motors, round parts and unions, substeps
             ("memcheck", 8, "global", "newton", "fused", "space_lift"), ("memcheck", 32, "shared", "newton", "fused", "space_lift"),
             ("initcheck", 8, "global", "newton", "fused", "space_lift"), ("memcheck", 8, "global", "newton", "fused", "space_mixed"),
             ("racecheck", 32, "shared", "newton", "fused", "space_rods"), ("racecheck", 128, "shared", "newton", "fused", "space_rods"),
             ("synccheck", 8, "global", "newton", "fused", "space_rods"), ("synccheck", 128, "global", "newton", "fused", "space_rods"),
             ("memcheck", 8, "global", "aj", "sparse", "space_mixed"), ("initcheck", 8, "global", "aj", "sparse", "space_mixed"),
             ("memcheck", 8, "global", "aj", "sparse", "space_lift")]


def run(command, log, **kwargs):
    """Runs in the repository root, both streams into the log; returns the exit code."""
    with open(log, "a") as sink:
        print("$", *command, file=sink, flush=True)
        return subprocess.run([str(word) for word in command], cwd=ROOT, stdout=sink, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, **kwargs).returncode


def tail(log, lines):
    return "\n".join(pathlib.Path(log).read_text(errors="replace").splitlines()[-lines:])


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_json(path):
    return json.loads(path.read_text()) if path.exists() else None


def run_tests(arguments, scratch):
    """Every test, sharded over the cores. With PEGRASP_TEST_BACKEND=cuda whatever steps scenes through a Backend does so
    on the GPU (tests/test_backend.hpp)."""
    shards = min(8, os.cpu_count() or 1)

    def shard(index):
        report, log = scratch / f"tests{index}.json", scratch / f"tests{index}.log"
        environment = dict(os.environ, GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX=str(index),
                           PEGRASP_TEST_BACKEND="cuda")
        code = run([arguments.build / "pegrasp_tests", f"--gtest_output=json:{report}", "--gtest_brief=1"]
                   + (["--gtest_filter=*Cuda*:*Backend*"] if arguments.quick else []), log, env=environment)
        return code, read_json(report), log

    counts = {"run": 0, "failed": 0, "skipped": 0}
    failures, crashed = [], False
    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        for code, report, log in pool.map(shard, range(shards)):
            if report is None or code not in (0, 1):
                crashed = True
                print(f"a test process ended with {code}:\n{tail(log, 30)}")
                continue
            for suite in report["testsuites"]:
                for test in suite["testsuite"]:
                    if test["status"] == "NOTRUN":
                        continue
                    counts["run"] += 1
                    counts["skipped"] += test.get("result") == "SKIPPED"
                    if test.get("failures"):
                        counts["failed"] += 1
                        failures.append(f"{suite['name']}.{test['name']}")
            if code != 0:
                print(tail(log, 60))
    passed = not crashed and counts["failed"] == 0 and counts["run"] > 0
    return {"passed": passed, **counts, "failures": failures}


def compare_hdf5(first, second):
    """Names of the datasets that differ, or None without h5py. Results are compared, not the account of the run."""
    try:
        import h5py
    except ImportError:
        return None
    differing = []
    with h5py.File(first) as a, h5py.File(second) as b:
        names = []
        a.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        for name in names:
            # Numbers only: text says, for instance, which backend wrote the file.
            if a[name].dtype.kind in "biufV" and (name not in b or a[name][()].tobytes() != b[name][()].tobytes()):
                differing.append(name)
    return differing


def is_map_problem(path):
    return any(line.strip().startswith("[grid") for line in path.read_text().splitlines())


def compare_maps(arguments, scratch):
    """Every example problem with a grid, and the gear in space, mapped on both backends: map.csv must be the same bytes."""
    rows = []
    runs = [(path, []) for path in sorted((ROOT / "examples").rglob("*.toml")) if is_map_problem(path)]
    runs.append((ROOT / "examples/gear/gear.toml", ["--space"]))
    for problem, options in runs:
        name = " ".join([str(problem.relative_to(ROOT)), *options])
        stem = "".join([problem.stem, *options])
        row = {"problem": name, "equal": False}
        for backend in ("cpu", "cuda"):
            out, log = scratch / f"{stem}-{backend}", scratch / f"{stem}-{backend}.log"
            begin = time.monotonic()
            code = run([arguments.build / "pegrasp", "map", problem, "--backend", backend, "--strict", "--out", out,
                        "--samples", 2 if arguments.quick or options else 30, "--no-plot", "--quiet", *options], log)
            row[f"{backend}_s"] = round(time.monotonic() - begin, 3)
            if not (out / "map.csv").exists():
                print(f"{name} on {backend} ended with {code} and without a map:\n{tail(log, 10)}")
                break
            row[f"{backend}_sha256"] = sha256(out / "map.csv")
        else:
            row["equal"] = row["cpu_sha256"] == row["cuda_sha256"]
            first, second = (scratch / f"{stem}-{backend}" / "map.h5" for backend in ("cpu", "cuda"))
            if first.exists() and second.exists():
                row["hdf5_differing"] = compare_hdf5(first, second)
                row["equal"] = row["equal"] and not row["hdf5_differing"]
        rows.append(row)
    return {"passed": bool(rows) and all(row["equal"] for row in rows), "maps": rows}


def compare_scenes(arguments, scratch):
    """pegrasp_agree: outcomes and poses of the test scenes, for every solver and contact model."""
    report, log = scratch / "agree.json", scratch / "agree.log"
    files = sorted((ROOT / "examples").rglob("*.json"))
    code = run([arguments.build / "pegrasp_agree", "--json", report, "--scale", 0.1 if arguments.quick else 1, *files], log)
    result = read_json(report) or {"comparisons": []}
    if code != 0:
        print(tail(log, 60))
    return {"passed": code == 0 and any(not row.get("refused") for row in result["comparisons"]), **result}


def limited(command, log):
    """run(), for so long; None where that was not enough."""
    try:
        return run(command, log, timeout=RUN_LIMIT)
    except subprocess.TimeoutExpired:
        return None


def measure_shape(arguments, scratch, size, memory, model):
    """One shape: the same bits as the CPU on a part of the test scenes, and how fast strict and fast arithmetic are."""
    options = ["--team-size", size, "--workspaces", memory, "--model-memory", model]
    log = scratch / f"shape-{size}-{memory}-{model}.log"
    row = {"team_size": size, "workspaces": memory, "model": model, "comparisons": [], "measured": []}
    for index, (names, choices) in enumerate(SHAPE_SCENES):
        report = scratch / f"shape-{size}-{memory}-{model}-{index}.json"
        code = limited([arguments.build / "pegrasp_agree", "--json", report, "--scale", 0.02, "--names", names, "--choices",
                        ",".join(choices), *options], log)
        row["comparisons"].append({"scenes": names, "choices": choices, "verdict": {0: "equal", None: "too slow"}.get(code, "DIFFERS")})
    for name, arithmetic in SHAPE_BENCHMARKS:
        report = scratch / f"shape-{size}-{memory}-{model}-{name}-{arithmetic}.json"
        code = limited([arguments.build / "pegrasp_bench", name, "--backend", "cuda", "--repeat", 2, "--json", report, *options]
                       + (["--fast"] if arithmetic == "fast" else []) + (["--quick"] if arguments.quick else []), log)
        record = (read_json(report) or {}).get("benchmarks", [{}])[0]
        taken = record.get("shape", "")
        row["measured"].append({"name": name, "arithmetic": arithmetic, "ended": code == 0, "shape": taken,
                                "as_asked": f"bytes in {memory} memory, the model" in taken and taken.endswith(f"in {model} memory"), "unresolved": record.get("unresolved"),
                                "successes": record.get("successes"), "scene_steps_per_s": record.get("scene_steps_per_s")})
    row["equal"] = all(one["verdict"] == "equal" for one in row["comparisons"])
    if not row["equal"]:
        print(f"shape {size}, {memory}, model {model}:\n{tail(log, 20)}")
    return row


def compare_shapes(arguments, scratch):
    """What is automatic is to be chosen from this. A workspace that has no room in shared memory is said to be elsewhere."""
    result = {"passed": True, "shapes": []}
    for size, memory, model in SHAPES:
        row = measure_shape(arguments, scratch, size, memory, model)
        result["shapes"].append(row)
        # What was too slow is no fault of the results, but it has shown nothing.
        result["passed"] &= all(one["verdict"] != "DIFFERS" for one in row["comparisons"])
        (arguments.out / "shapes.json").write_text(json.dumps(result, indent=2) + "\n")
    return result


def measure_sparse(arguments, scratch):
    """Large scenes on both roads, in the plane and in space, strict and fast. Its bits are compared with the CPU's among the scenes."""
    rows = []
    for name, roads in (("pour_200", ("fused", "sparse")), ("pour_10000", ("sparse",)), ("space_box", ("fused", "sparse")), ("space_sparse", ("sparse",))):
        for road in roads:
            for arithmetic in ("strict", "fast"):
                report, log = scratch / f"{name}-{road}-{arithmetic}.json", scratch / f"{name}-{road}-{arithmetic}.log"
                code = limited([arguments.build / "pegrasp_bench", name, "--backend", "cuda", "--road", road, "--solver", "aj", "--json", report]
                               + (["--fast"] if arithmetic == "fast" else []) + (["--quick"] if arguments.quick else []), log)
                record = (read_json(report) or {}).get("benchmarks", [{}])[0]
                if code not in (0, None):
                    print(f"{name}, {road}, {arithmetic} ended with {code}:\n{tail(log, 20)}")
                rows.append({"name": name, "road": road, "arithmetic": arithmetic, "verdict": {0: "ran", None: "too slow"}.get(code, "FAILED"),
                             "shape": record.get("shape", ""), "unresolved": record.get("unresolved"),
                             "scene_steps_per_s": record.get("scene_steps_per_s")})
    return {"passed": all(row["verdict"] != "FAILED" for row in rows), "runs": rows}


def sanitize(arguments, scratch):
    """compute-sanitizer over a few scenes. Where the tool is missing or does not know the device nothing was
    checked, which is said, and is no failure."""
    tool = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    if tool is None:
        return {"passed": True, "unchecked": "no compute-sanitizer on this machine", "runs": []}
    log = scratch / "sanitizer-probe.log"
    if limited([tool, "--error-exitcode", 9, arguments.build / "pegrasp_agree", "--probe"], log) != 0:
        return {"passed": True, "unchecked": f"compute-sanitizer does not run here: {tail(log, 1)}", "runs": []}
    rows = []
    for name, size, memory, solver, road, scene in SANITIZED:
        log = scratch / f"{name}-{size}-{memory}-{solver}-{road}-{scene}.log"
        code = limited([tool, "--tool", name, "--error-exitcode", 9, arguments.build / "pegrasp_bench", scene, "--backend",
                        "cuda", "--scenes", 4, "--repeat", 1, "--team-size", size, "--workspaces", memory, "--solver", solver,
                        "--road", road], log)
        verdict = {0: "clean", 9: "FINDING", None: "too slow"}.get(code, "did not run")
        if verdict != "clean":
            print(f"{name}, {scene}, {road} road, teams of {size}, {memory}, {solver}: {verdict}\n{tail(log, 30)}")
        rows.append({"tool": name, "team_size": size, "workspaces": memory, "solver": solver, "road": road, "scene": scene, "verdict": verdict})
    return {"passed": all(row["verdict"] in ("clean", "too slow") for row in rows), "runs": rows}


def run_benchmarks(arguments, scratch):
    """pegrasp_bench on both backends."""
    reports, passed = {}, True
    for backend in ("cpu", "cuda"):
        report, log = scratch / f"bench-{backend}.json", scratch / f"bench-{backend}.log"
        code = run([arguments.build / "pegrasp_bench", "--backend", backend, "--json", report]
                   + (["--quick"] if arguments.quick else []), log)
        if code != 0:
            print(tail(log, 20))
        passed = passed and code == 0
        reports[backend] = read_json(report)
    return {"passed": passed and all(reports.values()), **reports}


def table(gate, bench):
    """The short table that closes the output."""
    yield f"pegrasp GPU gate, {gate['device']}, {gate['date']}"
    verdict = {True: "passed", False: "FAILED"}
    if tests := gate.get("tests"):
        yield f"tests    {verdict[tests['passed']]:7} {tests['run']} run, {tests['failed']} failed, {tests['skipped']} skipped"
    if maps := gate.get("maps"):
        equal = sum(row["equal"] for row in maps["maps"])
        yield f"maps     {verdict[maps['passed']]:7} {equal} of {len(maps['maps'])} the same bytes on CPU and GPU"
    if scenes := gate.get("scenes"):
        rows = [row for row in scenes["comparisons"] if not row.get("refused")]
        equal = sum(row["differing"] == 0 for row in rows)
        steps = sum(row["scene_steps"] for row in rows)
        refused = len(scenes["comparisons"]) - len(rows)
        yield (f"scenes   {verdict[scenes['passed']]:7} {equal} of {len(rows)} comparisons bit by bit equal, {steps} scene-steps"
               + (f"; {refused} not run so on any backend" if refused else ""))
    if shapes := gate.get("shapes"):
        yield f"shapes   {verdict[shapes['passed']]:7} teams, workspaces, model: scene-steps/s"
        for row in shapes["shapes"]:
            rates = ", ".join(f"{one['name']} {one['arithmetic']} {one['scene_steps_per_s']:,.0f}{'' if one['as_asked'] else ' (no room in shared memory)'}"
                              for one in row["measured"] if one["scene_steps_per_s"])
            compared = "same bits" if row["equal"] else ", ".join(sorted({one["verdict"] for one in row["comparisons"]}))
            yield f"  {row['team_size']:3} {row['workspaces']:7} {row['model']:7} {compared}  {rates}"
    if sparse := gate.get("sparse"):
        yield f"sparse   {verdict[sparse['passed']]:7} large scenes: scene-steps/s"
        for row in sparse["runs"]:
            rate = f"{row['scene_steps_per_s']:,.1f}" if row["scene_steps_per_s"] else row["verdict"]
            yield f"  {row['name']:12} {row['road']:6} {row['arithmetic']:6} {rate}  {row['shape']}"
    if sanitized := gate.get("sanitize"):
        clean = sum(row["verdict"] == "clean" for row in sanitized["runs"])
        what = sanitized.get("unchecked") or f"{clean} of {len(sanitized['runs'])} runs of compute-sanitizer ended without a finding"
        yield f"sanitize {'not checked' if sanitized.get('unchecked') else verdict[sanitized['passed']]} {what}"
    if bench:
        yield f"bench    {verdict[bench['passed']]}"
        for backend in ("cpu", "cuda"):
            for row in (bench.get(backend) or {}).get("benchmarks", []):
                yield (f"  {row['name']:12} {backend:5} {row['threads']:3} threads {row['scenes']:8} scenes "
                       f"{row['scene_steps_per_s']:14,.0f} scene-steps/s  {row['wall_min_s']:8.3f} s")
    yield "gate     " + verdict[gate["passed"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of the binaries")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for gate.json and bench.json")
    parser.add_argument("--stages", default=",".join(STAGES), help="which of " + ",".join(STAGES))
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
    probe = subprocess.run([arguments.build / "pegrasp_agree", "--probe"], capture_output=True, text=True)
    if probe.returncode != 0:
        print(f"gpu_gate: no CUDA device ({(probe.stdout + probe.stderr).strip()}); nothing was checked", file=sys.stderr)
        return 3 if probe.returncode == 3 else 2
    arguments.out.mkdir(parents=True, exist_ok=True)

    gate = {"device": probe.stdout.strip().removeprefix("cuda: "),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "cores": os.cpu_count()}
    bench = None
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        checks = {"tests": run_tests, "maps": compare_maps, "scenes": compare_scenes, "shapes": compare_shapes, "sparse": measure_sparse, "sanitize": sanitize, "bench": run_benchmarks}
        for stage in STAGES:
            if stage not in stages:
                continue
            begin = time.monotonic()
            result = checks[stage](arguments, scratch)
            result["seconds"] = round(time.monotonic() - begin, 1)
            print(f"{stage}: {result['seconds']} s", flush=True)
            if stage == "bench":
                bench = result
            else:
                gate[stage] = result
            gate["passed"] = all(part["passed"] for part in [gate.get(name) for name in STAGES] + [bench] if part)
            # After every stage: a gate that is cut short leaves what it has.
            (arguments.out / "gate.json").write_text(json.dumps(gate, indent=2) + "\n")
            if bench:
                (arguments.out / "bench.json").write_text(json.dumps(bench, indent=2) + "\n")
    print()
    for line in table(gate, bench):
        print(line)
    return 0 if gate["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())

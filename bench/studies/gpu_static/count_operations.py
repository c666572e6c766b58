#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the operations of a scene-step and computes the least time that the units of a GPU would need for them.

    bench/studies/gpu_static/count_operations.py [--bench build-bench/pegrasp_bench]
                                                [--times bench/results/MACHINE.csv] [--update]

Runs benchmarks on one CPU thread under valgrind (callgrind, which counts each instruction and is slow, so with few
scenes) and finds the executed instructions in the disassembly. Counts are exact and the same on every machine. They are
of this build for x86-64. The lower bounds of a GPU follow from them: by design a scene-step on a GPU has the same
arithmetic and about the same traffic with the scene's workspace. For benchmarks with a target the counts are also made
phase by phase, beside each phase's share of a step's time on a CPU according to --times. --update puts the tables into
bench/studies/gpu_static/README.md. """
import argparse
import collections
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import update_tables  # noqa: E402

SPATIAL = "spatial"  # namespace of the kernels of 3D scenes


class Scene:
    """A benchmark with a number of scenes, at its own step or at `h` [s]."""

    def __init__(self, name, scenes, kernels="strict", h=None):
        self.benchmark, self.scenes, self.h = name, scenes, h
        self.step = f"bool pegrasp::{kernels}::advance_scene"
        self.name = name if h is None else f"{name}, {1e3 * h:g} ms"

    def arguments(self, scenes):
        return [self.benchmark, "--threads", "1", "--scenes", str(scenes), "--repeat", "1"] + (["--h", str(self.h)]
                if self.h else [])


SCENES = [Scene("gear_step", 44), Scene("pile_20", 1), Scene("stack_10", 1), Scene("box_3d", 2, SPATIAL, 0.004),
          Scene("box_3d", 2, SPATIAL, 0.016),
          Scene("stack_3d", 1, SPATIAL), Scene("lift_trials", 11, SPATIAL)]
TARGETS = {"gear_step": 1e8, "pile_20": 1e7, "box_3d, 4 ms": 1e7, "box_3d, 16 ms": 1e7}  # scene-steps/s on one H200

# In the order of bench/phase_clock.hpp. bench/phases_impl.hpp has a function for a whole step and one for each phase.
PHASES = ["islands", "find_pairs", "predict", "choose_modes", "make_rows", "solve", "accepted", "integrate"]
OTHER = "other"
WHOLE_STEP = "pegrasp::bench::(anonymous namespace)::whole_step"
IN_PHASE = re.compile(r"::in_phase<\(pegrasp::bench::\(anonymous namespace\)::Phase\)(\d)")
PHASE_SHARE = 10  # pegrasp_bench looks at the phases of every tenth scene
DEEPEST = 24  # calls from a phase to where it works

# Double precision. What packed instructions do to two numbers counts twice.
ARITHMETIC = re.compile(r"^v?(add|sub|mul|max|min)(s|p)d$")
SLOW = re.compile(r"^v?(div|sqrt)(s|p)d$")
COMPARE = re.compile(r"^v?(u?comi|cmp\w*)(s|p)d$")
MEMORY = re.compile(r"(?:%\ws:)?(?:-?0x[0-9a-f]+)?\((?:%\w+)?(?:,%\w+(?:,\d)?)?\)")
STACK = re.compile(r"\(%r[sb]p")
CONSTANT = "(%rip)"
NO_ACCESS = ("lea", "nop", "prefetch")

# One NVIDIA H200 SXM, from NVIDIA's data sheet (4.8 TB/s, 34 TFLOPS of double precision: 67 with tensor cores) and the
# Hopper tuning guide: 132 multiprocessors at 1.98 GHz at most, each with 4 schedulers of one instruction of 32 lanes a
# clock, 64 lanes of double precision and 128 bytes of shared memory a clock.
MULTIPROCESSORS, CLOCK = 132, 1.98e9
H200 = {
    "instructions issued": (MULTIPROCESSORS * 4 * 32 * CLOCK, "lane-instructions/s"),
    "double precision": (MULTIPROCESSORS * 64 * CLOCK, "operations/s"),
    "workspace in shared memory": (MULTIPROCESSORS * 128 * CLOCK, "bytes/s"),
    "workspace in global memory, no cache": (4.8e12, "bytes/s"),
}


def disassembly(program):
    """Address -> (mnemonic, operands)."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True,
                          check=True).stdout
    line = re.compile(r"^ *([0-9a-f]+):\t(?:(?:rep\w*|lock|bnd|data16|cs|notrack) )*(\S+) *([^#<\n]*)", re.M)
    return {int(m[1], 16): (m[2], m[3].strip()) for m in line.finditer(text)}


def phase_of(function):
    """Of a function with its callers, as callgrind writes them."""
    match = IN_PHASE.search(function)
    return PHASES[int(match[1])] if match else OTHER


def executed(profile, step, part=lambda function: ""):
    """Part -> address -> times, of what the program itself executed; and the calls of a step."""
    counts, steps, skip = collections.defaultdict(collections.Counter), 0, False
    ours = first = False
    here = None
    for line in profile.read_text().splitlines():
        if line.startswith("ob="):
            ours = "pegrasp" in line.rsplit("/", 1)[-1]
        elif line.startswith("fn="):
            first = line.startswith("fn=" + step)
            here = counts[part(line)]
        elif line.startswith("calls="):
            skip = True  # the next line is what the callee cost
        elif line.startswith("0x"):
            if skip:
                skip = False
                continue
            address, _, times = line.split()
            if first:
                steps = max(steps, int(times))  # its clones are called less often
                first = False
            here[int(address, 16) if ours else "elsewhere"] += int(times)
    return counts, steps


def size_of(mnemonic, operands):
    """Bytes that an access to memory moves."""
    if re.search(r"(ap|up|p)d$|dqa$|dqu$|ps$", mnemonic) and not re.search(r"(unpck|movh|movl|movd)", mnemonic):
        return 16
    if re.search(r"sd$|[hl]pd$|[hl]ps$|q$|ddup$", mnemonic):
        return 8
    if mnemonic.endswith(("ss", "l", "d")):
        return 4
    if "%r" in operands.replace("(%r", "("):
        return 8
    return 4


def classify(counts, code):
    """Of all that was executed: instructions, operations in double precision, bytes by where they are."""
    sums = collections.Counter()
    for address, times in counts.items():
        sums["instructions"] += times
        if address == "elsewhere":
            continue
        mnemonic, operands = code[address]
        for name, pattern in (("plain", ARITHMETIC), ("slow", SLOW), ("compare", COMPARE)):
            if match := pattern.match(mnemonic):
                sums[name] += times * (2 if match[match.lastindex] == "p" else 1)
        place = MEMORY.search(operands)
        if place and CONSTANT not in place[0] and not mnemonic.startswith(NO_ACCESS) and not mnemonic.startswith(("j",
                "call")):
            kind = "stack bytes" if STACK.search(place[0]) else "bytes"
            sums[kind] += times * size_of(mnemonic, operands)
            sums["accesses"] += times * (kind == "bytes")
    return sums


def profiled(bench, scene, scenes, step, folder, *options):
    """Runs a benchmark under callgrind, which counts from each call of `step` to its end."""
    profile = folder / "callgrind"
    subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
                    *options,
                    f"--toggle-collect={step}*", f"--callgrind-out-file={profile}", str(bench),
                    *scene.arguments(scenes)],
                   check=True, capture_output=True, cwd=ROOT)
    return profile


def per_step(sums, steps):
    return {key: value / steps for key, value in sums.items()} | {"steps": steps}


def count(bench, scene, code, folder):
    counts, steps = executed(profiled(bench, scene, scene.scenes, scene.step, folder), scene.step)
    return per_step(sum_of(classify(part, code) for part in counts.values()), steps)


def count_phases(bench, scene, code, folder):
    profile = profiled(bench, scene, PHASE_SHARE * scene.scenes, WHOLE_STEP, folder, f"--separate-callers={DEEPEST}")
    counts, steps = executed(profile, WHOLE_STEP, phase_of)
    return {part: per_step(classify(of_part, code), steps) for part, of_part in counts.items()}


def sum_of(all_sums):
    total = collections.Counter()
    for sums in all_sums:
        total.update(sums)
    return total


def needed(m):
    """What of a floor's units is needed."""
    return {"lane-instructions/s": m["instructions"], "operations/s": m.get("plain", 0) + m.get("slow",
            0) + m.get("compare", 0), "bytes/s": m.get("bytes", 0)}


def tables(measured):
    rows = [[name, f"{m['steps']:,.0f}", f"{m['instructions']:,.0f}", f"{m['plain']:,.0f}", f"{m['slow']:,.0f}",
             f"{m['compare']:,.0f}", f"{m['accesses']:,.0f}", f"{m['bytes'] / 1024:,.0f}"] for name,
             m in measured.items()]
    counted = update_tables.table(["a scene-step of", ">counted", ">instructions", ">+ - * max min", ">/ sqrt",
                                   ">comparisons",
                                   ">accesses to memory", ">KiB"], rows)
    rows = []
    for name, m in measured.items():
        target = TARGETS.get(name)
        limits = [rate / needed(m)[what] for rate, what in H200.values()]
        rows.append([name, f"{target:.0e}" if target else "",
                     *(f"{limit:.1e}" + (f" ({100 * target / limit:.0f} %)" if target else "") for limit in limits)])
    head = ["a scene-step of", ">target [scene-steps/s]"] + [f">{unit}, at {rate:.2g} {what}" for unit,
                                                             (rate, what) in H200.items()]
    return counted, update_tables.table(head, rows)


def phase_table(by_scene, times):
    """A row for each phase: what it needs at least of an H200 with its workspace in shared memory, and its share of
    that and of a CPU's time."""
    rows = []
    for name, by_phase in by_scene.items():
        floors = {}
        for phase, m in by_phase.items():
            nanoseconds = {unit: 1e9 * needed(m)[what] / rate for unit, (rate, what) in H200.items()
                           if "global" not in unit}
            floors[phase] = max((value, unit) for unit, value in nanoseconds.items())
        whole = sum(value for value, _ in floors.values())
        clock = times.get(name, {})
        for phase in [*PHASES, OTHER]:
            if phase not in floors:
                continue
            m, (floor, unit) = by_phase[phase], floors[phase]
            share = f"{100 * clock[phase] / sum(clock.values()):.0f} %" if phase in clock else ""
            rows.append([name, phase, f"{m['instructions']:,.0f}", f"{needed(m)['operations/s']:,.0f}",
                         f"{m.get('bytes', 0) / 1024:,.1f}", unit,
                         f"{floor:.2g}", f"{100 * floor / whole:.0f} %", share])
    return update_tables.table(["a scene-step of", "phase", ">instructions", ">double precision", ">KiB", "what limits",
                                ">floor [ns]",
                                ">of the step's floor", ">of its time on a CPU"], rows)


def phase_times(files):
    """Benchmark -> phase -> µs, from the rows of the table `measured`."""
    times = {}
    for path in files:
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                if row.get("table", "measured") == "measured" and row["phase_solve_us"]:
                    cells = {phase: row[f"phase_{phase}_us"] for phase in [*PHASES, OTHER]}
                    times[row["benchmark"]] = {phase: float(cell) for phase, cell in cells.items() if cell}
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path, default=ROOT / "build-bench" / "pegrasp_bench")
    parser.add_argument("--times", type=pathlib.Path, nargs="*", default=[],
                        help="a file of bench/results/ with times of phases")
    parser.add_argument("--update", action="store_true", help="fill bench/studies/gpu_static/README.md")
    arguments = parser.parse_args()
    bench = arguments.bench.resolve()
    code = disassembly(bench)
    times = phase_times(arguments.times)
    times = {scene.name: times[scene.benchmark] for scene in SCENES if scene.benchmark in times
             and scene.h in (None, 0.004)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        measured = {scene.name: count(bench, scene, code, folder) for scene in SCENES}
        by_phase = {scene.name: count_phases(bench, scene, code, folder) for scene in SCENES if scene.name in TARGETS}
    counted, floors = tables(measured)
    phases = phase_table(by_phase, times)
    print(counted, floors, phases, sep="\n\n")
    if arguments.update:
        update_tables.fill("operations", counted)
        update_tables.fill("floors", floors)
        update_tables.fill("phase-floors", phases)


if __name__ == "__main__":
    main()

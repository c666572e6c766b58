#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what a scene-step executes, and what a GPU's units would need for it at least.

    scripts/count_operations.py [--bench build-bench/pegrasp_bench] [--update]

Runs benchmarks of one CPU thread under valgrind (callgrind, with counts by instruction; slow, so few scenes) and looks
up in the disassembly what was executed. Counts are exact and the same on every machine; they are of this build for
x86-64, on which the floors of a GPU below rest: a scene-step on a GPU has the same arithmetic, by design, and roughly
the same traffic with the scene's workspace. --update puts the tables into docs/performance.md."""
import argparse
import collections
import pathlib
import re
import subprocess
import tempfile

import update_tables

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPACE = "spatial"  # namespace of the kernels of scenes in space


class Scene:
    """A benchmark of so many scenes, at a step of its own [s] or at this one."""

    def __init__(self, name, scenes, kernels="strict", h=None):
        self.benchmark, self.scenes, self.h = name, scenes, h
        self.step = f"bool pegrasp::{kernels}::advance_scene"
        self.name = name if h is None else f"{name}, {1e3 * h:g} ms"


SCENES = [Scene("gear_step", 44), Scene("pile_20", 1), Scene("stack_10", 1), Scene("space_box", 2, SPACE, 0.004), Scene("space_box", 2, SPACE, 0.016),
          Scene("space_stack", 1, SPACE), Scene("lift_trials", 11, SPACE)]
AIMS = {"gear_step": 1e8, "pile_20": 1e7, "space_box, 4 ms": 1e7, "space_box, 16 ms": 1e7}  # scene-steps/s on one H200

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
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    line = re.compile(r"^ *([0-9a-f]+):\t(?:(?:rep\w*|lock|bnd|data16|cs|notrack) )*(\S+) *([^#<\n]*)", re.M)
    return {int(m[1], 16): (m[2], m[3].strip()) for m in line.finditer(text)}


def executed(profile, step):
    """Address -> times, of what the program itself executed; and the calls of a step."""
    counts, steps, skip = collections.Counter(), 0, False
    ours, in_step = False, False
    for line in profile.read_text().splitlines():
        if line.startswith("ob="):
            ours = "pegrasp" in line.rsplit("/", 1)[-1]
        elif line.startswith("fn="):
            in_step = first = line.startswith("fn=" + step)
        elif line.startswith("calls="):
            skip = True  # the next line is what the callee cost
        elif line.startswith("0x"):
            if skip:
                skip = False
                continue
            address, _, times = line.split()
            if in_step and first:
                steps, first = int(times), False
            if ours:
                counts[int(address, 16)] += int(times)
            else:
                counts["elsewhere"] += int(times)
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
        if place and CONSTANT not in place[0] and not mnemonic.startswith(NO_ACCESS) and not mnemonic.startswith(("j", "call")):
            kind = "stack bytes" if STACK.search(place[0]) else "bytes"
            sums[kind] += times * size_of(mnemonic, operands)
            sums["accesses"] += times * (kind == "bytes")
    return sums


def count(bench, scene, folder):
    profile, told = folder / "callgrind", folder / "told.json"
    subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
                    f"--toggle-collect={scene.step}*", f"--callgrind-out-file={profile}", str(bench), scene.benchmark, "--threads", "1",
                    "--scenes", str(scene.scenes), "--repeat", "1", "--json", str(told)] + (["--h", str(scene.h)] if scene.h else []),
                   check=True, capture_output=True, cwd=ROOT)
    counts, steps = executed(profile, scene.step)
    sums = classify(counts, disassembly(bench))
    return {key: value / steps for key, value in sums.items()} | {"steps": steps}


def tables(measured):
    rows = [[name, f"{m['steps']:,.0f}", f"{m['instructions']:,.0f}", f"{m['plain']:,.0f}", f"{m['slow']:,.0f}",
             f"{m['compare']:,.0f}", f"{m['accesses']:,.0f}", f"{m['bytes'] / 1024:,.0f}"] for name, m in measured.items()]
    counted = update_tables.table(["a scene-step of", ">counted", ">instructions", ">+ - * max min", ">/ sqrt", ">comparisons",
                                   ">accesses to memory", ">KiB"], rows)
    rows = []
    for name, m in measured.items():
        needed = {"lane-instructions/s": m["instructions"], "operations/s": m["plain"] + m["slow"] + m["compare"], "bytes/s": m["bytes"]}
        aim = AIMS.get(name)
        limits = [rate / needed[what] for rate, what in H200.values()]
        rows.append([name, f"{aim:.0e}" if aim else "", *(f"{limit:.1e}" + (f" ({100 * aim / limit:.0f} %)" if aim else "") for limit in limits)])
    head = ["a scene-step of", ">aim [scene-steps/s]"] + [f">{unit}, at {rate:.2g} {what}" for unit, (rate, what) in H200.items()]
    return counted, update_tables.table(head, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", type=pathlib.Path, default=ROOT / "build-bench" / "pegrasp_bench")
    parser.add_argument("--update", action="store_true", help="fill docs/performance.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = {scene.name: count(arguments.bench.resolve(), scene, pathlib.Path(folder)) for scene in SCENES}
    counted, floors = tables(measured)
    print(counted, floors, sep="\n\n")
    if arguments.update:
        update_tables.fill("operations", counted)
        update_tables.fill("floors", floors)


if __name__ == "__main__":
    main()

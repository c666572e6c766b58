#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the device code without a device.

Strict PTX has no fma and nothing approximate, and no function spills more than a bound.

Every CUDA file of the build (of PEGRASP_CUDA_TEAMS: all team sizes, when none is given) is compiled for sm_90 with the
flags of a build folder's compile_commands.json (a fresh one is configured when none is given). Files with fast
arithmetic (-DPEGRASP_FAST_ARITHMETIC) may contract; all else holds for them too. Exit code 1 on a finding, 0 when all
is well or when there is nothing to check (no nvcc, no CUDA source), which it says.

usage: scripts/lint_ptx.py [--build FOLDER] [--keep FOLDER] [--kept PTX]

--kept PTX compiles nothing: nvcc has left the PTX of the build in that folder (--keep --keep-dir=PTX), and beside each
object lies what ptxas said of it (-Xptxas=-v, and scripts/keep_log.sh as the compiler's launcher), as scripts/check.sh
builds them.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHITECTURE = "90"

# What strict device code must not contain, and why. div.rn and sqrt.rn are correctly rounded: they may stay.
FORBIDDEN = [
    (re.compile(r"^\s*(?:@!?%p\d+\s+)?fma\.", re.M), "fma", "contracted on the device, not on the host"),
    (re.compile(r"^.*\.approx\b.*$", re.M), ".approx", "not correctly rounded"),
    (re.compile(r"^.*\bdiv\.full\b.*$", re.M), "div.full", "not correctly rounded"),
    (re.compile(r"^.*\.ftz\b.*$", re.M), ".ftz", "flushes denormals, the host does not"),
    (re.compile(r"^\s*(?:@!?%p\d+\s+)?(?:atom|red)\..*\.f(?:32|64)\b.*$", re.M), "float atomic", "order is not fixed"),
]
MAY_CONTRACT = {"fma"}  # in files with fast arithmetic
# [bytes] of a function. Kernels that run whole scenes get 128 registers a thread (cuda_blocks_resident), so that four
# times as many warps hide the time of memory: cuda_scenes_8_strict.cu then stores 648 and loads 812 where it chooses
# modes, cuda_scenes_8_spatial.cu 1168 and 1576 where it asks what hides a cylinder, and cuda_scenes_8_smooth.cu loads
# 3104 where it asks smooth curves. Of the batched kernels those spill that look for flush surfaces or ask curves.
MOST_SPILLS = [(re.compile(r"cuda_scenes_\d+_(spatial_)?smooth"), 4000),
               (re.compile(r"cuda_scenes_\d+_spatial(_fast)?"), 2000), (re.compile(r"cuda_scenes_\d+_.*"), 2000),
               (re.compile(r"batched_(spatial_)?smooth"), 1000), (re.compile(r"batched_.*"), 1000),
               (re.compile(r".*"), 0)]

PTXAS_FUNCTION = re.compile(r"Function properties for (\S+)")
PTXAS_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
PTXAS_REGISTERS = re.compile(r"Used (\d+) registers")


def find_nvcc():
    """The first that is new enough, as scripts/cmake/Cuda.cmake looks for one."""
    usual = ["nvcc", os.environ.get("CUDA_PATH", "/usr/local/cuda") + "/bin/nvcc", "/usr/local/cuda/bin/nvcc"]
    for name in [os.environ["CUDACXX"]] if os.environ.get("CUDACXX") else usual:
        if one := shutil.which(name):
            release = re.search(r"release (\d+)\.(\d+)", subprocess.run([one, "--version"], capture_output=True,
                    text=True).stdout)
            if release and (int(release[1]), int(release[2])) >= (12, 3):
                return one
    return None


def configure(folder):
    """Configures (not builds) the project with CUDA, to learn its flags."""
    command = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
               "-DPEGRASP_CUDA=ON", "-DPEGRASP_CUDA_TEAMS=1;2;8;32;128", "-DPEGRASP_WERROR=ON",
               "-DPEGRASP_BUILD_TESTS=OFF", "-DPEGRASP_BUILD_BENCH=OFF"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr + "lint_ptx: configuring failed")


def cuda_commands(build):
    """(source, command, folder) of every CUDA file, as the build compiles it."""
    database = build / "compile_commands.json"
    if not database.exists():
        sys.exit(f"lint_ptx: {database} not found: configure that folder, or leave out --build")
    entries = json.loads(database.read_text())
    return [(pathlib.Path(e["file"]), shlex.split(e["command"]), e["directory"])
            for e in entries if e["file"].endswith(".cu")]


def cubin_command(command, output, keep):
    """The build's command, turned into one that makes a cubin for one architecture and keeps the PTX."""
    if pathlib.Path(command[0]).name == "ccache":
        command = command[1:]
    kept, skip = [], False
    for word in command:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT"):
            skip = True
        elif word in ("-c", "-MD") or word.startswith(("--generate-code", "-gencode", "-arch")):
            pass
        else:
            kept.append(word)
    generate = f"--generate-code=arch=compute_{ARCHITECTURE},code=sm_{ARCHITECTURE}"
    return kept + [generate, "-cubin", "-Xptxas=-v", "--keep", f"--keep-dir={keep}", "-o", str(output)]


def demangle(names):
    if not names or not shutil.which("c++filt"):
        return names
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True)
    return done.stdout.splitlines()


def functions_of(log):
    """What ptxas -v says of kernels and of device functions that were not inlined: (name, registers, stack, spill
    stores, spill loads) [bytes]; registers are None for device functions, which use their caller's."""
    rows = []
    for line in log.splitlines():
        if match := PTXAS_FUNCTION.search(line):
            rows.append([match.group(1), None, 0, 0, 0])
        elif rows and (match := PTXAS_STACK.search(line)):
            rows[-1][2:] = (int(group) for group in match.groups())
        elif rows and (match := PTXAS_REGISTERS.search(line)):
            rows[-1][1] = int(match.group(1))
    return rows


def compiled(source, command, folder, scratch):
    """Compiles one file; returns (its PTX, what ptxas said, complaint or None)."""
    keep = scratch / source.stem
    keep.mkdir()
    done = subprocess.run(cubin_command(command, keep / "out.cubin", keep), cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        return "", "", f"{source.name}: does not compile\n{done.stdout}{done.stderr}"
    ptx = "".join(file.read_text() for file in keep.glob("*.ptx"))
    return ptx, done.stdout + done.stderr, None if ptx else f"{source.name}: nvcc kept no PTX"


def built(source, command, folder, kept):
    """The same of a file that the build has compiled."""
    made = pathlib.Path(folder) / command[command.index("-o") + 1]
    log, ptx = pathlib.Path(f"{made}.log"), kept / f"{source.stem}.ptx"
    for file in (made, log, ptx):
        if not file.exists():
            return "", "", f"{source.name}: {file} is missing; scripts/check.sh cuda builds it"
    said = log.read_text()  # of an object that is PTX only, nothing about kernels (scripts/keep_log.sh)
    return ptx.read_text(), said, None if "ptxas info" in said else f"{source.name}: {log} has nothing of ptxas -v"


def lint(source, command, folder, scratch, kept):
    """Judges one file; returns (rows of its functions, complaints)."""
    ptx, said, lacking = built(source, command, folder, kept) if kept else compiled(source, command, folder, scratch)
    if lacking:
        return [], [lacking]
    complaints = []
    for pattern, name, why in FORBIDDEN:
        if name in MAY_CONTRACT and "-DPEGRASP_FAST_ARITHMETIC" in command:
            continue
        found = pattern.findall(ptx)
        if found:
            complaints.append(f"{source.name}: {len(found)} x {name} in the PTX ({why}), first: {found[0].strip()}")
    rows = functions_of(said)
    for (mangled, *_, stores, loads), readable in zip(rows, demangle([row[0] for row in rows])):
        if source.resolve().is_relative_to(ROOT / "bench"):
            continue  # clocks around the phases take registers from the scenes that they time
        if max(stores, loads) > next(most for name, most in MOST_SPILLS if name.fullmatch(source.stem)):
            complaints.append(f"{source.name}: {readable} spills ({stores} bytes stored, {loads} loaded)")
    return rows, complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, help="a build folder configured with CUDA")
    parser.add_argument("--keep", type=pathlib.Path, help="leave PTX and cubins in this new folder")
    parser.add_argument("--kept", type=pathlib.Path, help="the PTX of --build, which is not compiled again")
    arguments = parser.parse_args()
    if arguments.kept and not arguments.build:
        parser.error("--kept needs --build")

    if not find_nvcc():
        print("lint_ptx: skipped, no nvcc")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        build = arguments.build
        if build is None:
            build = scratch / "build"
            configure(build)
        kept = arguments.keep or scratch / "kept"
        kept.mkdir(parents=True)
        commands = cuda_commands(build)
        if not commands:
            print("lint_ptx: nothing to check, no CUDA source")
            return 0
        complaints, kernel_count = [], 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda entry: (entry[0], *lint(*entry, kept.resolve(), arguments.kept)), commands)
            for source, rows, found in results:
                complaints += found
                kernel_count += sum(row[1] is not None for row in rows)
                for name, (_, registers, stack, stores, loads) in zip(demangle([row[0] for row in rows]), rows):
                    used = "          device" if registers is None else f"{registers:6d} registers"
                    print(f"{source.name}: {used}, {stack:6d} bytes stack, spills {stores}/{loads}  {name[:110]}")
    for complaint in complaints:
        print("lint_ptx:", complaint, file=sys.stderr)
    print(f"lint_ptx: {len(commands)} files, {kernel_count} kernels, {len(complaints)} findings")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

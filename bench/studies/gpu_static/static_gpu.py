#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists registers, shared memory, teams in flight and machine code of the kernels of the per-scene strategy, without a
GPU.

    bench/studies/gpu_static/static_gpu.py [--build FOLDER | --kept FOLDER --lint FILE]
                                           [--nvdisasm FILE] [--only PATTERN] [--json FILE] [--update]

Compiles cuda_scenes_*.cu as scripts/lint_ptx.py does, or takes the results of `lint_ptx.py --keep FOLDER > FILE`, and
disassembles them for sm_90. nvdisasm comes with the CUDA toolkit, or by `pip install nvidia-cuda-nvdisasm`. --only
takes the files whose names match (_spatial, for example) and leaves the others as --json has them. --update fills the
tables `flight` and `code` of pages that have them. Counts are of instructions in the code, not of executed ones."""
import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import lint_ptx  # noqa: E402
import update_tables  # noqa: E402

# Of a multiprocessor of compute capability 9.0 (CUDA C++ programming guide, compute capabilities).
REGISTERS, WARPS, SHARED_BYTES, RESERVED_SHARED_BYTES = 65536, 64, 228 * 1024, 1024
REGISTERS_AT_ONCE = 256  # of a warp, allocated together
BLOCK = 128  # cuda_block_size

INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[T0-9]+\s+)?([A-Z][A-Z0-9_]*)", re.M)
KINDS = {
    "double": re.compile(r"D(ADD|MUL|FMA|SETP|MNMX)$"),
    "single": re.compile(r"F(ADD|MUL|FMA|SETP|MNMX|SEL|CHK)$|MUFU$"),
    "memory": re.compile(r"(LD|ST|LDG|STG|ATOM|ATOMG|RED)$"),
    "stack": re.compile(r"(LDL|STL)$"),
    "shared": re.compile(r"(LDS|STS|ATOMS)$"),
    "descriptors": re.compile(r"R2UR$"),
    "control": re.compile(r"(BRA|BRX|CALL|RET|BREAK|BSSY|BSYNC|WARPSYNC|EXIT|BAR|BMOV|YIELD|ENDCOLLECTIVE|NOP)$"),
}


def find_nvdisasm(given):
    if given:
        return given
    module = importlib.util.find_spec("nvidia")
    folders = [pathlib.Path(place) for place in module.submodule_search_locations] if module else []
    found = [file for folder in folders for file in folder.glob("*/bin/nvdisasm")]
    return shutil.which("nvdisasm") or next((str(file) for file in found), None)


def count(nvdisasm, cubin):
    """The number of instructions of each kind."""
    listing = subprocess.run([nvdisasm, "-c", str(cubin)], check=True, capture_output=True, text=True).stdout
    counts = dict.fromkeys(["all", *KINDS, "other"], 0)
    for mnemonic in INSTRUCTION.findall(listing):
        kind = next((name for name, pattern in KINDS.items() if pattern.match(mnemonic)), "other")
        counts[kind] += 1
        counts["all"] += 1
    if not counts["all"]:
        sys.exit(f"static_gpu: {cubin}: {nvdisasm} wrote nothing that this script can read")
    return counts


def warps_in_flight(registers):
    """Warps of a multiprocessor that its registers allow, in whole blocks."""
    a_warp = -(-registers * 32 // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
    warps = min(WARPS, REGISTERS // a_warp)
    return warps // (BLOCK // 32) * (BLOCK // 32)


def look_at(nvdisasm, scratch, entry):
    source, command, folder = entry
    rows, complaints = lint_ptx.lint(source, command, folder, scratch)
    if not rows:
        sys.exit("static_gpu: " + "; ".join(complaints))
    kernel = max((row for row in rows if row[1] is not None), key=lambda row: row[1])
    return about(nvdisasm, source.name, kernel[1:], scratch / source.stem / "out.cubin")


def look_at_kept(nvdisasm, kept, lint, name):
    """The same from the results of lint_ptx.py."""
    found = re.findall(rf"^{re.escape(name)}: +(\d+) registers, +(\d+) bytes stack, spills (\d+)/(\d+)", lint, re.M)
    if not found:
        sys.exit(f"static_gpu: {name} is not in the output of lint_ptx.py")
    return about(nvdisasm, name, max([int(number) for number in kernel] for kernel in found),
                 kept / pathlib.Path(name).stem / "out.cubin")


def about(nvdisasm, name, kernel, cubin):
    """kernel: registers, bytes of stack, spilled bytes stored and loaded."""
    team = int(re.search(r"scenes_(\d+)_", name)[1])
    registers, stack, stores, loads = kernel
    warps = warps_in_flight(registers)
    return {"kernel": name, "team": team, "registers": registers, "stack_bytes": stack, "spilled_bytes": stores + loads,
            "warps_in_flight": warps, "teams_in_flight": 32 * warps // team,
            "shared_bytes_a_team": (SHARED_BYTES // (32 * warps // BLOCK) - RESERVED_SHARED_BYTES) // (BLOCK // team),
            "instructions": count(nvdisasm, cubin)}


def tables(kernels):
    rows = [[f"`{k['kernel']}`", str(k["registers"]), str(k["stack_bytes"]), str(k["spilled_bytes"]),
             f"{k['warps_in_flight']} of {WARPS}", str(k["teams_in_flight"]), f"{k['shared_bytes_a_team'] / 1024:.1f}"]
             for k in kernels]
    flight = update_tables.table(["kernel", ">registers a thread", ">stack [bytes]", ">spilled [bytes]",
                                  ">warps in flight", ">scenes in flight",
                                  ">shared memory a scene could have at that [KiB]"], rows)
    shown = [name for name in kernels[0]["instructions"] if name != "all"]
    rows = [[f"`{k['kernel']}`", f"{k['instructions']['all']:,}"] + [
        f"{100 * k['instructions'][name] / k['instructions']['all']:.0f} %" for name in shown]
            for k in kernels]
    code = update_tables.table(["kernel", ">instructions", *(f">{name}" for name in shown)], rows)
    return flight, code


# 2D strict and fast, then 3D.
KINDS_OF_KERNEL = ["strict", "fast", "spatial", "spatial_fast"]


def place(kernel):
    kind = re.match(r"cuda_scenes_\d+_(\w+)\.cu", kernel["kernel"])[1]
    return KINDS_OF_KERNEL.index(kind) if kind in KINDS_OF_KERNEL else len(KINDS_OF_KERNEL), kernel["team"]


def wanted(name, only):
    return re.match(r"cuda_scenes_\d+_", name) and re.search(only, name)


def compiled(nvdisasm, arguments):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        build = arguments.build or scratch / "build"
        if arguments.build is None:
            lint_ptx.configure(build)
        commands = [entry for entry in lint_ptx.cuda_commands(build) if wanted(entry[0].name, arguments.only)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda entry: look_at(nvdisasm, scratch.resolve(), entry), commands))


def from_lint(nvdisasm, arguments):
    lint = arguments.lint.read_text()
    names = sorted(f"{folder.name}.cu" for folder in arguments.kept.iterdir())
    return [look_at_kept(nvdisasm, arguments.kept, lint, name) for name in names if wanted(name, arguments.only)]


def revision():
    """The revision of the compiled code."""
    said = subprocess.run(["git", "-C", str(lint_ptx.ROOT), "describe", "--always", "--dirty", "--abbrev=7"],
                          capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, help="a build folder configured with CUDA")
    parser.add_argument("--kept", type=pathlib.Path, help="the folder of lint_ptx.py --keep")
    parser.add_argument("--lint", type=pathlib.Path, help="the output of the same run")
    parser.add_argument("--nvdisasm", help="the disassembler")
    parser.add_argument("--only", default="", help="files whose names match, a regular expression")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="fill the tables of the pages")
    arguments = parser.parse_args()
    nvdisasm = find_nvdisasm(arguments.nvdisasm)
    if not nvdisasm or not lint_ptx.find_nvcc():
        sys.exit("static_gpu: needs nvcc and nvdisasm (CUDA toolkit, or pip install nvidia-cuda-nvdisasm)")
    if (arguments.kept is None) != (arguments.lint is None):
        sys.exit("static_gpu: --kept and --lint go together")
    kernels = from_lint(nvdisasm, arguments) if arguments.kept else compiled(nvdisasm, arguments)
    if arguments.only and arguments.json and arguments.json.exists():
        seen = {kernel["kernel"] for kernel in kernels}
        kernels += [kernel for kernel in json.loads(arguments.json.read_text())["kernels"]
                    if kernel["kernel"] not in seen]
    kernels.sort(key=place)
    flight, code = tables(kernels)
    print(flight, code, sep="\n\n")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps({"architecture": "sm_90", "git": revision(), "kernels": kernels},
                                             indent=2) + "\n")
    if arguments.update:
        update_tables.fill("flight", flight)
        update_tables.fill("code", code)


if __name__ == "__main__":
    main()

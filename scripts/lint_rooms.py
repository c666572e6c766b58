#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which folder may include which, and how an include is written.

    scripts/lint_rooms.py            checks src, kernels, include, tests, bench and examples
    scripts/lint_rooms.py --graph    prints, for each folder, the folders that it includes

The rules:
- An include in quotes names its root: "kernels/...", "src/...", "tests/...", "bench/..." or, for the public headers,
  "pegrasp/..." and "pegrasp_reference/...". So no name can resolve in two places. Only the headers that CMake
  generates are no files of the repository.
- A folder includes no more than the table LAYERS says. Folders of the table have no cycle, with one exception that the
  table names: a phase of the step chooses between kernels/planar and kernels/spatial, which build on the phases' parts.
- No cycle of files anywhere (`#pragma once` would hide one).
- Kernels include no header of the host but the small public ones that both sides need.
- The macro of the dimension is tested in kernels/base/platform.hpp and kernels/base/dimension.hpp, and elsewhere only
  to choose between headers of kernels/planar and kernels/spatial.
- No file of src, kernels or include is longer than 600 lines.
docs/architecture.md explains the layers.
"""
import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = (".hpp", ".cpp", ".cu", ".cuh", ".inc", ".in")
GENERATED = {"pegrasp/version.hpp"}
PUBLIC = ("pegrasp/", "pegrasp_reference/")
LONGEST = 600

# Public headers that kernels and host share: enums, options, offsets into the parameters, plain vectors.
SHARED = {f"include/pegrasp/{name}.hpp" for name in ("options", "parameter_layout", "kinds", "predicate", "geometry",
                                                     "cuda_shape", "step_report")}

# The phases of a step. They and the geometry of the two dimensions build on each other, file by file without a cycle.
PHASES = [f"kernels/{name}" for name in ("planar", "spatial", "scene", "broad_phase", "contact", "joint", "integrate",
                                         "solver", "outcome")]
SCENE_CODE = ["kernels/base", "kernels/model", *PHASES]
KERNELS = [*SCENE_CODE, "kernels/step", "kernels/batch", "kernels/sampling"]
LAUNCH = ["kernels/launch", "kernels/launch/cpu", "kernels/launch/cuda"]
TEXT = ["src/text", "src/machine"]
SHAPES = ["src/geometry", "src/scene"]
API = "include/pegrasp"
REFERENCE_API = "include/pegrasp_reference"
R = "src/reference"

# Folder: the folders that it may include, besides itself.
LAYERS = {
    API: [],
    REFERENCE_API: [API],
    "kernels/base": [],
    "kernels/model": ["kernels/base"],
    **{phase: [folder for folder in SCENE_CODE if folder != phase] for phase in PHASES},
    "kernels/step": SCENE_CODE,
    "kernels/batch": [*SCENE_CODE, "kernels/step"],
    "kernels/sampling": ["kernels/base"],
    "kernels/launch": KERNELS,
    "kernels/launch/cpu": [*KERNELS, "kernels/launch"],
    "kernels/launch/cuda": [*KERNELS, "kernels/launch", API],
    "src/text": [API],
    "src/machine": [API],
    "src/geometry": [API, "kernels/base", "kernels/sampling", "src/text"],
    "src/scene": [API, *TEXT, "src/geometry"],
    "src/formats": [API, *TEXT, *SHAPES, "kernels/base"],
    "src/grasps": [API, *TEXT, *SHAPES, "src/formats"],
    "src/sampling": [API, "kernels/base", "kernels/sampling", *TEXT, "src/geometry"],
    "src/problem": [API, *TEXT, *SHAPES, "src/formats", "src/grasps", "src/sampling", "kernels/base",
                    "kernels/sampling"],
    "src/metrics": [API, *SHAPES, "kernels/base"],
    "src/model": [API, *SHAPES, "kernels/base", "kernels/model", "kernels/scene", "kernels/launch"],
    "src/penalty": [API, "src/geometry", "src/model", "kernels/model", "kernels/launch"],
    "src/backend": [API, *TEXT, *SHAPES, "src/model", "src/penalty", "kernels/base", "kernels/model", "kernels/solver",
                    *LAUNCH],
    "src/map": [API, *TEXT, "src/formats", "src/grasps"],
    "src/decide": [API, *TEXT, "kernels/base", "kernels/sampling", "src/formats"],
    "src/rare": [API, *TEXT, "kernels/base", "kernels/sampling", "src/sampling", "src/formats", "src/map",
                 "src/decide"],
    "src/rows": [API, *TEXT, "kernels/base", "kernels/sampling", "src/formats", "src/problem", "src/sampling",
                 "src/map",
                 "src/decide"],
    "src/optimise": [API, *TEXT, "src/formats", "src/problem", "src/map", "src/decide", "src/rows"],
    "src/identify": [API, *TEXT, "kernels/base", "kernels/sampling", "src/map", "src/decide", "src/rows"],
    "src/design": [API, *TEXT, "src/geometry", "kernels/base", "kernels/sampling", "src/decide"],
    "src/plan": [API, *TEXT, "src/problem", "src/decide", "src/rows", "src/optimise", "kernels/base",
                 "kernels/sampling"],
    "src/report": [API, *TEXT, *SHAPES, "src/formats", "src/decide"],
    "src/cli": [API, *TEXT, *SHAPES, "src/formats", "src/problem", "src/metrics", "src/map", "src/decide", "src/rare",
                "src/rows", "src/optimise", "src/identify", "src/design", "src/plan", "src/backend", "src/report"],
    f"{R}/mcp": [REFERENCE_API],
    f"{R}/step": [REFERENCE_API, f"{R}/mcp"],
    f"{R}/common": [API, REFERENCE_API, f"{R}/step"],
    f"{R}/planar": [API, REFERENCE_API, f"{R}/common", f"{R}/step"],
    f"{R}/spatial": [API, REFERENCE_API, f"{R}/common", f"{R}/step", f"{R}/planar"],
    R: [API, REFERENCE_API, "src/machine", f"{R}/common", f"{R}/planar", f"{R}/spatial", f"{R}/io", f"{R}/compare",
        f"{R}/validate", f"{R}/workbench"],
    f"{R}/workbench": [API, REFERENCE_API, f"{R}/mcp", f"{R}/common", f"{R}/step", f"{R}/planar", f"{R}/spatial",
                       f"{R}/io"],
    f"{R}/io": [API, REFERENCE_API, *TEXT, "src/formats", f"{R}/step", f"{R}/common", f"{R}/planar", f"{R}/spatial"],
    f"{R}/compare": [API, REFERENCE_API, *TEXT, f"{R}/mcp", f"{R}/io"],
    f"{R}/validate": [API, REFERENCE_API, "src/machine", "src/model", f"{R}/common", f"{R}/step", f"{R}/planar",
                      f"{R}/spatial", f"{R}/batch"],
    "src/python": [API, *TEXT, "src/cli"],
    "src/cli/reference": [API, REFERENCE_API, *TEXT, "src/formats", "src/map", "src/metrics", "src/cli", R],
}
# Headers that several folders of one level share, by folder they count as.
COUNTS_AS = {"src/reference/batch.hpp": f"{R}/batch", "src/reference/batch.cpp": f"{R}/batch"}
# What differs between the dimensions in kernels/step and kernels/batch.
for dimension in ("planar", "spatial"):
    COUNTS_AS[f"kernels/{dimension}/islands.hpp"] = "kernels/step"
    COUNTS_AS[f"kernels/{dimension}/batch_claims.hpp"] = "kernels/batch"
    COUNTS_AS[f"kernels/{dimension}/batch_energy.hpp"] = "kernels/batch"
LAYERS[f"{R}/batch"] = [API, "src/machine", f"{R}/common", f"{R}/planar", f"{R}/spatial"]
LAYERS[R] = [*LAYERS[R], f"{R}/batch"]
ANYTHING = ("tests", "bench", "examples")  # they may include all

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
DIMENSION_TESTED_IN = {"kernels/base/platform.hpp", "kernels/base/dimension.hpp"}


def sources():
    for top in ("include", "kernels", "src", "tests", "bench", "examples"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(ROOT).as_posix()


def target_of(name):
    """The repository's path of an include, or None where it names no root."""
    path = f"include/{name}" if name.startswith(PUBLIC) else name
    return path if (ROOT / path).is_file() else None


def folder_of(path):
    return COUNTS_AS.get(path, path.rpartition("/")[0])


def dimension_findings(path, lines):
    """Tests of the dimension's macro around anything but includes."""
    inside = 0
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*(if|ifdef|elif)\b.*PEGRASP_SPATIAL", line):
            inside = number
        elif inside and re.match(r"\s*#\s*endif", line):
            inside = 0
        elif inside and line.strip() and not re.match(r"\s*(#\s*(include|else)|//)", line):
            yield (f"{path}:{inside}: tests PEGRASP_SPATIAL around code; use if constexpr (is_spatial), or a header "
                   "of kernels/planar and kernels/spatial")
            inside = 0


def cycle_in(graph):
    """A cycle as a list of nodes, or None."""
    state = {}
    for start in sorted(graph):
        if start in state:
            continue
        stack = [(start, iter(sorted(graph.get(start, ()))))]
        state[start] = "open"
        while stack:
            node, rest = stack[-1]
            for after in rest:
                if state.get(after) == "open":
                    names = [entry for entry, _ in stack]
                    return names[names.index(after):] + [after]
                if after not in state:
                    state[after] = "open"
                    stack.append((after, iter(sorted(graph.get(after, ())))))
                    break
            else:
                state[node] = "done"
                stack.pop()
    return None


def table_findings():
    one = "the phases of a step"
    name = lambda folder: one if folder in PHASES else folder
    graph = collections.defaultdict(set)
    for folder, allowed in LAYERS.items():
        graph[name(folder)] |= {name(other) for other in allowed if name(other) != name(folder)}
    found = cycle_in(graph)
    if found:
        yield "LAYERS has a cycle: " + " -> ".join(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", action="store_true", help="print which folders each folder includes")
    arguments = parser.parse_args()
    findings = list(table_findings())
    files = collections.defaultdict(set)
    folders = collections.defaultdict(set)
    count = 0
    for path in sources():
        count += 1
        lines = (ROOT / path).read_text().splitlines()
        folder = folder_of(path)
        top = path.partition("/")[0]
        if top in ("include", "kernels", "src") and len(lines) > LONGEST:
            findings.append(f"{path}: {len(lines)} lines, more than {LONGEST}")
        if top == "kernels" and path not in DIMENSION_TESTED_IN:
            findings.extend(dimension_findings(path, lines))
        for number, line in enumerate(lines, 1):
            if re.match(r"\s*#\s*include\s+<pegrasp", line):
                findings.append(f"{path}:{number}: write the includes of pegrasp in quotes")
            included = INCLUDE.match(line)
            if not included or included.group(1) in GENERATED or "@" in line:
                continue
            target = target_of(included.group(1))
            if target is None:
                findings.append(f'{path}:{number}: "{included.group(1)}" is no path from the root of the repository')
                continue
            files[path].add(target)
            other = folder_of(target)
            if other == folder or top in ANYTHING:
                continue
            folders[folder].add(other)
            if top == "kernels" and target in SHARED:
                continue
            if top == "kernels" and other == API and path.endswith((".hpp", ".cuh")):
                findings.append(f"{path}:{number}: headers of kernels/ may not include {target}, which is the host's")
            if folder not in LAYERS:
                findings.append(f"{path}: scripts/lint_rooms.py does not know the folder {folder}")
            elif other not in LAYERS[folder]:
                findings.append(f"{path}:{number}: {folder} may not include {other} ({target})")
    loop = cycle_in(files)
    if loop:
        findings.append("files include each other: " + " -> ".join(loop))
    if arguments.graph:
        for folder in sorted(folders):
            print(f"{folder}: {', '.join(sorted(folders[folder]))}")
    print("\n".join(dict.fromkeys(findings)) if findings else f"{count} files, every include allowed: passed")
    return 1 if findings or not count else 0


if __name__ == "__main__":
    sys.exit(main())

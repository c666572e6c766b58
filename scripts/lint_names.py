#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One definition of each class: two of one name in one namespace compile, link, and then destroy each other's members.

    scripts/lint_names.py        every class of src, kernels, include, tests and bench, by its full name

Reads the layout that clang-format gives: namespaces and classes begin lines, "}  // namespace" ends one. Classes in
namespaces without a name are their file's own.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Kernels compiled for 3D have a namespace of their own (kernels/base/platform.hpp): what these files define is defined
# once more, for 2D, in kernels/planar/.
SPATIAL = re.compile(r"kernels/spatial/\w+\.hpp$")
FOLDERS = ("src", "kernels", "include", "tests", "bench")
CLASS = re.compile(r"^(?:template <.*> )?(?:struct|class|enum class|union) (?:alignas\([^)]*\) )?([A-Za-z_]\w*)(?: "
                   r"final)?(?: :[^:].*)? ?\{")


def classes(path):
    """(full name, line) of the classes that `path` defines outside of namespaces without a name."""
    scopes = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        opened = re.match(r"^namespace ?([\w:]*) ?\{", line)
        if opened:
            scopes.append(opened.group(1))
            if "}" in line:
                scopes.pop()
        elif re.match(r"^\}  // namespace", line):
            scopes.pop()
        else:
            defined = CLASS.match(line)
            if defined and "" not in scopes:
                yield "::".join([*scopes, defined.group(1)]), number


def main():
    places = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp", ".cu", ".cuh"):
                spatial = SPATIAL.search(str(path))
                for name, number in classes(path):
                    if spatial:
                        name = name.replace("PEGRASP_ARITHMETIC", "PEGRASP_ARITHMETIC (3D)")
                    places[name].append(f"{path.relative_to(ROOT)}:{number}")
    twice = {name: at for name, at in places.items() if len(at) > 1}
    for name, at in sorted(twice.items()):
        print(f"{name} is defined twice: {', '.join(at)}")
    print(f"{len(places)} classes, each defined once: passed" if not twice else f"{len(twice)} findings")
    return 1 if twice or not places else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines have at most 120 columns in code and 100 in prose.

    scripts/lint_lines.py        checks every tracked file

clang-format breaks C++, but neither comments nor text in quotes, so of C++ this reads lines without quotes. In
Markdown, tables and blocks of code are not prose, and neither is a line that is one long link. Data files (.json, .csv,
meshes) and the inputs of tests are not read.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPP = {".hpp", ".cpp", ".cu", ".cuh", ".inc"}
CODE = CPP | {".py", ".sh", ".cmake", ".toml", ".txt", ".yml"}
CODE_COLUMNS = 120
PROSE_COLUMNS = 100


def prose(lines):
    """(number, line) of the lines that are neither table nor code nor a single link."""
    in_code = False
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*(```|~~~)", line):
            in_code = not in_code
        elif not in_code and not line.lstrip().startswith("|") and not re.fullmatch(r"\s*!?\[[^\]]*\]\(\S*\)\S*", line):
            yield number, line


def code(lines, is_cpp):
    """(number, line) of the lines of a file of code, without those that hold text in quotes."""
    in_raw_text = False
    for number, line in enumerate(lines, 1):
        opens = is_cpp and 'R"' in line
        if not (is_cpp and (in_raw_text or '"' in line)):
            yield number, line
        in_raw_text = (in_raw_text or opens) and ')"' not in line


def main():
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout.split("\n")
    checked = 0
    findings = []
    for name in filter(None, tracked):
        path = ROOT / name
        markdown = path.suffix == ".md"
        if not path.is_file() or path.is_symlink() or not (markdown or path.suffix in CODE):
            continue
        if re.match(r"tests/.*\.toml$", name):
            continue
        checked += 1
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        limit = PROSE_COLUMNS if markdown else CODE_COLUMNS
        for number, line in prose(lines) if markdown else code(lines, path.suffix in CPP):
            if len(line) > limit:
                findings.append(f"{name}:{number}: {len(line)} columns, at most {limit}; break the line")
    print("\n".join(findings + [f"{checked} files, no line too long: passed" if not findings and checked
                                else f"{len(findings)} findings"]))
    return 1 if findings or not checked else 0


if __name__ == "__main__":
    sys.exit(main())

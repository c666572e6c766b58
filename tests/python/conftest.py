# SPDX-License-Identifier: Apache-2.0
"""PEGRASP_CLI names the program whose files the package's must equal; scripts/test_python.sh sets it."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
# Of times and places, which no two runs share.
PASSING = ("timing", "summary.json")


@pytest.fixture(scope="session")
def cli():
    program = os.environ.get("PEGRASP_CLI")
    assert program, "set PEGRASP_CLI to the program pegrasp of the same build"

    def call(*words, code=0, cwd=None):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, cwd=cwd)
        assert done.returncode == code, done.stderr
        return done

    return call


@pytest.fixture
def gear():
    """A map of 4 cells, 2 trials each: some 10 ms."""
    return EXAMPLES / "gear" / "gear.toml", {
        "grid.x_mm": [-1.0, 1.0],
        "grid.y_mm": [-12.0, -10.0],
        "map.samples": 2,
    }


def words_of(sets):
    return [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]


def assert_same_files(a, b, names):
    for name in names:
        assert (Path(a) / name).read_bytes() == (Path(b) / name).read_bytes(), name

# SPDX-License-Identifier: Apache-2.0
"""The reference has every public name, each with words."""

import inspect
import runpy

from conftest import ROOT

import pegrasp

PAGE = ROOT / "src" / "python" / "REFERENCE.md"


def test_every_public_name_is_explained():
    text = PAGE.read_text()
    for name in pegrasp.__all__:
        value = getattr(pegrasp, name)
        if inspect.ismodule(value) or isinstance(value, str):
            continue
        assert f"## pegrasp.{name}\n" in text and inspect.getdoc(value), name
    for method in ("poses", "contacts", "run"):
        assert f"### pegrasp.Simulation.{method}\n" in text
    assert "## pegrasp.dask.map" in text and "## pegrasp.scene.box" in text


def test_the_page_is_that_of_the_docstrings():
    made = runpy.run_path(str(ROOT / "scripts" / "python_reference.py"))["reference"]()
    assert PAGE.read_text() == made, "run scripts/python_reference.py with PYTHONPATH=build-python/python"


def test_the_page_is_linked():
    assert "../src/python/REFERENCE.md" in (ROOT / "docs" / "README.md").read_text()


def test_stubs_are_there():
    from pathlib import Path

    package = Path(pegrasp.__file__).parent
    assert (package / "py.typed").is_file()
    assert "def call(" in (package / "_core.pyi").read_text()

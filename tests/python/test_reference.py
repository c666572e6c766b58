# SPDX-License-Identifier: Apache-2.0
"""The reference has every public name, each with words."""

import inspect
import runpy

from conftest import ROOT

import pegrasp


def test_every_public_name_is_explained(capsys):
    runpy.run_path(str(ROOT / "scripts" / "python_reference.py"), run_name="__main__")
    text = capsys.readouterr().out
    for name in pegrasp.__all__:
        value = getattr(pegrasp, name)
        if inspect.ismodule(value) or isinstance(value, str):
            continue
        assert f"## pegrasp.{name}\n" in text and inspect.getdoc(value), name
    for method in ("poses", "contacts", "run"):
        assert f"### pegrasp.Simulation.{method}\n" in text
    assert "## pegrasp.dask.map" in text and "## pegrasp.scene.box" in text


def test_stubs_are_there():
    from pathlib import Path

    package = Path(pegrasp.__file__).parent
    assert (package / "py.typed").is_file()
    assert "def call(" in (package / "_core.pyi").read_text()

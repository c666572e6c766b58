# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/notebooks run, cell by cell, as they are committed."""

import shutil

import pytest
from conftest import EXAMPLES

nbformat = pytest.importorskip("nbformat")
NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    place = shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("out")) / "notebooks"
    monkeypatch.chdir(place)
    content = nbformat.read(notebook, as_version=4)
    nbformat.validate(content)
    names = {"__name__": notebook.stem}
    for k, cell in enumerate(cell for cell in content.cells if cell.cell_type == "code"):
        assert not cell.outputs, "commit notebooks without outputs"
        exec(compile(cell.source, f"{notebook.name}, code cell {k + 1}", "exec"), names)

# SPDX-License-Identifier: Apache-2.0
"""The README's lines of Python make the gear map."""

import re
import runpy
import sys

import numpy as np
from conftest import EXAMPLES, ROOT


def test_the_lines_of_the_readme_run(tmp_path, monkeypatch):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    (tmp_path / "examples").symlink_to(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(code.replace("samples=10", "samples=2"), "README.md", "exec"), names)
    assert names["ds"].sizes == {"y_mm": 21, "x_mm": 21} and len(names["trials"]) == 2 * 441
    assert 0.25 < np.nanmean(names["ds"].p) < 0.35
    assert (tmp_path / "out" / "gear" / "map.csv").is_file()


def test_the_script_of_the_gear_makes_map_picture_and_report(tmp_path, monkeypatch, capsys):
    script = EXAMPLES / "gear" / "gear_map.py"
    assert len(script.read_text().splitlines()) <= 15
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script), "2"])
    runpy.run_path(str(script), run_name="__main__")
    out = tmp_path / "out" / "gear"
    assert (out / "map.png").stat().st_size > 10_000 and "<html" in (out / "report.html").read_text()[:2000].lower()
    said = capsys.readouterr().out
    assert "best: p = 1.00" in said and "report.html" in said

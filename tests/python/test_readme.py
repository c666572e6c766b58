# SPDX-License-Identifier: Apache-2.0
"""The README's lines of Python make the gear map."""

import re

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

# SPDX-License-Identifier: Apache-2.0
"""The lines of Python in the tutorials print what the pages say, as their commands do."""

import contextlib
import io
import re
import shutil

import pytest
from conftest import EXAMPLES, ROOT

import pegrasp

PAGES = ("first-map", "your-own-problem", "why-did-this-trial-fail")


@pytest.mark.parametrize("page", PAGES)
def test_the_lines_say_what_the_page_says(page, tmp_path, monkeypatch):
    text = (ROOT / "docs" / "tutorials" / f"{page}.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    (tmp_path / "examples").symlink_to(EXAMPLES)
    shutil.copy(EXAMPLES / "push" / "push.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {"pegrasp": pegrasp}
    if page == "why-did-this-trial-fail":  # the map of the page's command
        pegrasp.map("examples/gear/gear.toml", solver="pgs", samples=5, out="out/pgs", quiet=True)
    for block in blocks:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(block, f"{page}.md", "exec"), names)
        expected = re.findall(r"^print\(.*\)  # (.*)$", block, re.M)
        if expected:
            assert said.getvalue().split("\n")[:-1] == expected
    if page == "first-map":
        assert (tmp_path / "trial.csv").is_file() and names["report"]["status"] == "ok"
        assert "out/gear" in text and (tmp_path / "out" / "gear" / "map.csv").is_file()
    if page == "why-did-this-trial-fail":
        trials = names["trials"]
        unresolved = trials[trials.status != 0]
        assert len(unresolved) == 17 and "17 lines" in text
        assert "165 1 1" in [" ".join(map(str, row)) for row in unresolved[["cell", "sample", "status"]].values]

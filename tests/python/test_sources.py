# SPDX-License-Identifier: Apache-2.0
"""Commands write to their console, so that Python gets their words and threads do not mix them."""

import re

from conftest import ROOT


def test_commands_write_to_their_console():
    for file in sorted((ROOT / "src" / "cli").rglob("*.cpp")):
        if file.name in ("console.cpp", "main.cpp"):
            continue
        found = re.findall(r"std::cout|std::cerr|std::printf|std::puts", file.read_text())
        assert not found, f"{file.relative_to(ROOT)}: {found[0]}; use console() of src/cli/console.hpp"

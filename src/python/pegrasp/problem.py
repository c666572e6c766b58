# SPDX-License-Identifier: Apache-2.0
"""Problems that are in memory."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

from ._toml import toml_text
from .errors import InputError


class Problem:
    """A problem file that is in memory: a mapping with the keys of docs/reference/problem-file.md, or its TOML text.

    folder: where relative paths in it begin (the current folder by default). name: what messages and the usual output
    folder call it. Units are those of the keys (`mass_kg`, `x_mm`).

    A problem that was made of a mapping can be changed by `problem["grid"]["x_mm"] = ...`.
    """

    def __init__(
        self,
        content: Union[str, Mapping[str, Any]],
        *,
        folder: Union[str, os.PathLike[str], None] = None,
        name: str = "problem",
    ):
        if not name or "/" in name:
            raise InputError(f"name: {name!r} is no name of a file; choose one without a slash")
        self._text = content if isinstance(content, str) else None
        self._tree = None if isinstance(content, str) else copy.deepcopy(dict(content))
        self.folder = Path(folder) if folder is not None else Path()
        self.name = name

    @classmethod
    def load(cls, file: Union[str, os.PathLike[str]]) -> Problem:
        """Reads a problem file into a mapping that can be changed. Raises OSError, or InputError for bad TOML."""
        import tomllib

        path = Path(file)
        try:
            tree = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: is no TOML: {error}") from None
        return cls(tree, folder=path.parent, name=path.stem)

    @property
    def tree(self) -> dict[str, Any]:
        """The mapping. Raises TypeError for a problem that was made of a text."""
        if self._tree is None:
            raise TypeError("this problem is a text; Problem.load(file) or Problem(mapping) can be changed by key")
        return self._tree

    def __getitem__(self, key: str) -> Any:
        return self.tree[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.tree[key] = value

    def to_toml(self) -> str:
        """The text of a problem file."""
        if self._text is not None:
            return self._text
        try:
            return toml_text(self.tree)
        except TypeError as error:
            raise InputError(f"{self.name}: {error}") from None

    def place(self) -> str:
        """The path that stands for it on a command line."""
        return str(self.folder / (self.name + ".toml"))


ProblemLike = Union[str, os.PathLike[str], Mapping[str, Any], Problem]


def placed(problem: Any) -> tuple[str, dict[str, str]]:
    """The file that a command is given for a problem, and the texts of problems and scenes in memory by such files."""
    if isinstance(problem, (Problem, Mapping)):
        made = problem if isinstance(problem, Problem) else Problem(problem)
        return made.place(), {made.place(): made.to_toml()}
    if isinstance(problem, str) and "\n" in problem:
        made = Problem(problem)
        return made.place(), {made.place(): problem}
    if hasattr(problem, "to_json") and hasattr(problem, "place"):  # a scene
        return problem.place(), {problem.place(): problem.to_json()}
    if isinstance(problem, (str, os.PathLike)):
        return os.fspath(problem), {}
    raise TypeError(f"a problem is a path, a TOML text, a mapping or a pegrasp.Problem, not {type(problem).__name__}")

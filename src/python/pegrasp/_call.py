# SPDX-License-Identifier: Apache-2.0
"""Calls a command of the command line in this process."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Optional, Union

from . import _core
from ._toml import toml_value
from .errors import PegraspWarning, error_of

_QUIET = 1.0  # [s] what takes less shows no bar

Progress = Union[bool, Callable[[int, int, str], None], None]


def _word(value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    return toml_value(value)


def place_of(file: Any) -> str:
    """A path as a positional argument: none looks like an option."""
    path = os.fspath(file)
    return f"./{path}" if path.startswith("-") else path


def words_of(options: Mapping[str, Any]) -> list[str]:
    """Options of a command line. None and False are left out, True is a flag, a list several values."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            for key, item in value.items():
                words += [option, f"{key}={toml_value(item)}"]
        elif isinstance(value, (list, tuple)) or hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:
            words += [option, *(_word(item) for item in value)]
        else:
            words.append(f"{option}={_word(value)}")
    return words


class _Bar:
    """tqdm's bar where tqdm is there, else a line on standard error every few seconds."""

    def __init__(self, name: str):
        self._name = name
        self._bar: Any = None
        self._make: Any = None
        self._told = time.monotonic()
        try:
            from tqdm.auto import tqdm

            self._make = tqdm
        except ImportError:
            pass

    def __call__(self, done: int, total: int, what: str) -> None:
        if self._make is not None:
            if self._bar is None or self._bar.total != total or done < self._bar.n:
                self.close()
                self._bar = self._make(total=total, initial=done, desc=self._name, unit=" " + what, delay=_QUIET)
            self._bar.update(done - self._bar.n)
        elif time.monotonic() - self._told > 5.0:
            self._told = time.monotonic()
            print(f"pegrasp {self._name}: {done} of {total} {what}", file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


@contextlib.contextmanager
def progress_of(progress: Progress, name: str) -> Iterator[Optional[Callable[[int, int, str], None]]]:
    """What is told how far a call is: a bar, the caller's function, or None."""
    bar = _Bar(name) if progress is True or (progress is None and sys.stderr.isatty()) else None
    try:
        yield bar if bar is not None else (progress if callable(progress) else None)
    finally:
        if bar is not None:
            bar.close()


def warn(text: str, stacklevel: int = 4) -> None:
    """Lines of standard error, each as a warning."""
    for line in text.splitlines():
        line = line.removeprefix("pegrasp: ").removeprefix("warning: ")
        if line:
            warnings.warn(line, PegraspWarning, stacklevel=stacklevel)


def call(
    command: str,
    positional: Iterable[Any],
    options: Mapping[str, Any],
    texts: Mapping[str, str],
    progress: Progress = False,
    read: Optional[Callable[[str], Any]] = None,
) -> Any:
    """Runs a command; returns `read` of its output. Raises what errors.error_of() makes of an exit code."""
    words = [command, *map(place_of, positional), *words_of(options)]
    with progress_of(progress, command) as tell:
        code, message, out, err = _core.call(words, dict(texts), tell)
    warn(err)
    result = read(out) if read is not None and code in (0, 1) else out
    if code != 0:
        raise error_of(code, message, result, command)
    return result

# SPDX-License-Identifier: Apache-2.0
"""Writes TOML: values of --set, and problems that were put together in Python."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._arrays import on_host

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def _key(name: str) -> str:
    return name if name and set(name) <= _BARE else json.dumps(name, ensure_ascii=False)


def toml_value(value: Any) -> str:
    """A value on one line; a mapping becomes an inline table. Raises TypeError for what TOML has no value for."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isnan(number):
            return "nan"
        return ("inf" if number > 0 else "-inf") if math.isinf(number) else repr(number)
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    value = on_host(value, "a value")
    if isinstance(value, np.ndarray):
        return toml_value(value.tolist())
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(str(k))} = {toml_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    raise TypeError(f"TOML has no value for {type(value).__name__}: {value!r}")


def _is_table_list(value: Any) -> bool:
    listed = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
    return listed and len(value) > 0 and all(isinstance(item, Mapping) for item in value)


def _write(table: Mapping[str, Any], path: str, lines: list[str]) -> None:
    for name, value in table.items():
        if not isinstance(value, Mapping) and not _is_table_list(value):
            lines.append(f"{_key(name)} = {toml_value(value)}")
    for name, value in table.items():
        whole = f"{path}.{_key(name)}" if path else _key(name)
        if isinstance(value, Mapping):
            lines.append(f"\n[{whole}]")
            _write(value, whole, lines)
        elif _is_table_list(value):
            for item in value:
                lines.append(f"\n[[{whole}]]")
                _write(item, whole, lines)


def toml_text(document: Mapping[str, Any]) -> str:
    """A document, tables as [sections]."""
    lines: list[str] = []
    _write(document, "", lines)
    return "\n".join(lines) + "\n"

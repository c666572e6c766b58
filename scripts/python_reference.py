#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference of the Python package, from its docstrings, as Markdown on standard output.

PYTHONPATH=build/python scripts/python_reference.py > build/python/reference.md
"""

import inspect

import pegrasp
import pegrasp.scene


def signature(value):
    try:
        return str(inspect.signature(value)).replace("'", "")
    except (TypeError, ValueError):
        return ""


def entry(name, value, level):
    words = inspect.getdoc(value) or ""
    yield f"{'#' * level} {name}\n"
    if inspect.isroutine(value) or inspect.isclass(value):
        yield f"```python\n{name.rsplit('.', 1)[-1]}{signature(value)}\n```\n"
    yield words + "\n"


def entries(names, module, prefix):
    for name in sorted(names, key=str.lower):
        value = getattr(module, name)
        if inspect.ismodule(value) or isinstance(value, str):
            continue
        yield from entry(prefix + name, value, 2)
        if inspect.isclass(value) and not issubclass(value, BaseException):
            for member, what in vars(value).items():
                public = not member.startswith("_") and (inspect.isroutine(what) or isinstance(what, property))
                if public or isinstance(what, classmethod):
                    yield from entry(f"{prefix}{name}.{member}", getattr(value, member), 3)


def main():
    print(f"# Python reference\n\n{inspect.getdoc(pegrasp)}\n")
    print(inspect.getdoc(pegrasp.commands) + "\n")
    print("\n".join(entries(pegrasp.__all__, pegrasp, "pegrasp.")))
    shapes = [name for name in pegrasp.scene.__all__ if name not in pegrasp.__all__]
    print("\n".join(entries(shapes, pegrasp.scene, "pegrasp.scene.")))
    from pegrasp import dask, mjcf, results

    print("\n".join(entries(["map"], dask, "pegrasp.dask.")))
    print("\n".join(entries(["from_mjcf"], mjcf, "pegrasp.mjcf.")))
    print("\n".join(entries(["MapAccessor"], results, "pegrasp.results.")))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference of the Python package, src/python/REFERENCE.md, from its docstrings.

PYTHONPATH=build/python scripts/python_reference.py          writes the file
PYTHONPATH=build/python scripts/python_reference.py --print  prints it
"""

import inspect
import pathlib
import re
import sys
import textwrap

import pegrasp
import pegrasp.scene

TARGET = pathlib.Path(__file__).resolve().parent.parent / "src" / "python" / "REFERENCE.md"
GUIDE = "../../examples/notebooks/README.md"
CODE_COLUMNS, PROSE_COLUMNS = 110, 100


def parameter_text(parameter):
    marks = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    text = marks.get(parameter.kind, "") + parameter.name
    if parameter.annotation is not parameter.empty:
        text += f": {parameter.annotation}"
    if parameter.default is not parameter.empty:
        text += f" = {parameter.default!r}" if ":" in text else f"={parameter.default!r}"
    return text


def signature_text(name, value):
    """The call, on as many lines as it takes; empty for what has no signature."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    words, named_only = [], False
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind == parameter.KEYWORD_ONLY and not named_only:
            words.append("*")
            named_only = True
        words.append(parameter_text(parameter))
    end = "" if inspect.isclass(value) or signature.return_annotation is signature.empty else (
        f" -> {signature.return_annotation}"
    )
    if len(f"{name}({', '.join(words)}){end}") <= CODE_COLUMNS:
        return f"{name}({', '.join(words)}){end}"
    whole = ", ".join(word.replace(" ", "\0") for word in words)  # no parameter is broken
    inside = textwrap.fill(whole, CODE_COLUMNS, initial_indent="    ", subsequent_indent="    ",
                           break_long_words=False, break_on_hyphens=False)  # fmt: skip
    return f"{name}(\n{inside}\n){end}".replace("\0", " ")


def prose(words):
    """A docstring as Markdown: paragraphs are filled again, what is indented is code."""
    for paragraph in re.sub(r"^(    .*)\n\n(?=    )", r"\1\n    \n", words, flags=re.M).split("\n\n"):
        lines = paragraph.split("\n")
        if all(line.startswith("    ") for line in lines):
            yield "```python\n" + textwrap.dedent(paragraph) + "\n```\n"
        else:
            yield textwrap.fill(" ".join(lines), PROSE_COLUMNS, break_long_words=False, break_on_hyphens=False) + "\n"


def entry(name, value, level):
    yield f"{'#' * level} {name}\n"
    is_error = inspect.isclass(value) and issubclass(value, BaseException)
    if is_error:
        yield f"Of {', '.join(base.__name__ for base in value.__bases__)}.\n"
    elif inspect.isroutine(value) or inspect.isclass(value):
        yield f"```python\n{signature_text(name.rsplit('.', 1)[-1], value)}\n```\n"
    yield from prose(inspect.getdoc(value) or "")


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


def reference():
    from pegrasp import dask, mjcf, results

    shapes = [name for name in pegrasp.scene.__all__ if name not in pegrasp.__all__]
    pieces = [
        "# Python reference\n",
        *prose(f"Made from the docstrings by `scripts/python_reference.py`. [How to use it]({GUIDE})."),
        *prose(inspect.getdoc(pegrasp)),
        *prose(inspect.getdoc(pegrasp.commands)),
        *entries(pegrasp.__all__, pegrasp, "pegrasp."),
        *entries(shapes, pegrasp.scene, "pegrasp.scene."),
        *entries(["map"], dask, "pegrasp.dask."),
        *entries(["from_mjcf"], mjcf, "pegrasp.mjcf."),
        *entries(["MapAccessor"], results, "pegrasp.results."),
    ]
    return "\n".join(pieces)


def main():
    if sys.argv[1:] == ["--print"]:
        sys.stdout.write(reference())
    else:
        TARGET.write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()

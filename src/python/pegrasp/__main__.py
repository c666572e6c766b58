# SPDX-License-Identifier: Apache-2.0
"""The command line where only the package is installed: python -m pegrasp, or pegrasp.

Words come when a command has ended, without colours; all else is as the program has it.
"""

from __future__ import annotations

import sys
from typing import Optional

from . import _core
from ._call import _Bar


def main(words: Optional[list[str]] = None) -> int:
    """Runs a command; returns its exit code."""
    words = sys.argv[1:] if words is None else words
    silent = "--quiet" in words or "--json" in words or not sys.stderr.isatty()
    bar = None if silent else _Bar(words[0] if words else "")
    try:
        code, message, out, err = _core.call(words, {}, bar)
    except KeyboardInterrupt:
        return 130
    finally:
        if bar is not None:
            bar.close()
    sys.stdout.write(out)
    sys.stdout.flush()
    sys.stderr.write(err)
    if message:
        print(f"pegrasp: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

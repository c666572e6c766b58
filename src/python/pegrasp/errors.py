# SPDX-License-Identifier: Apache-2.0
"""One type of exception for each way in which a command ends, as the command line has an exit code for each."""

from __future__ import annotations

from typing import Any


class PegraspError(Exception):
    """Of all faults that pegrasp reports. `exit_code` is what the command line would end with."""

    exit_code = 3


class UnacceptedError(PegraspError):
    """The command has done its work, but found something that is not accepted (exit code 1).

    `result` is what the function would have returned.
    """

    exit_code = 1

    def __init__(self, message: str, result: Any = None):
        super().__init__(message)
        self.result = result


class UnresolvedError(UnacceptedError):
    """The scene has steps without a solution to the tolerance (`run`). `result` is the report."""


class ToleranceError(UnacceptedError):
    """The two sides do not agree within the tolerances (`validate`, `solve`). `result` is the report."""


class InputError(PegraspError, ValueError):
    """Bad input (exit code 2): one line that names the file, the key and the remedy. Do not try again unchanged."""

    exit_code = 2


class InternalError(PegraspError, RuntimeError):
    """A fault of pegrasp itself (exit code 3)."""

    exit_code = 3


class TryAgainError(PegraspError, OSError):
    """What may go well when tried again (exit code 75): a full disk, or a folder that another run is writing."""

    exit_code = 75


class Stopped(KeyboardInterrupt):
    """Ctrl-C (exit code 130). The message says whether `resume=True` continues what was begun."""

    exit_code = 130


class PegraspWarning(UserWarning):
    """What the command line writes to standard error as a warning."""


def error_of(exit_code: int, message: str, result: Any = None, command: str = "") -> BaseException:
    """The exception for an exit code of the command line other than 0."""
    if exit_code == 1:
        if command == "run":
            status = result.get("status", "") if isinstance(result, dict) else ""
            return UnresolvedError(f"run: the scene has unresolved steps ({status}); `result` is the report", result)
        return ToleranceError(f"{command}: not all is accepted; `result` is the report", result)
    if exit_code == 130:
        return Stopped(message)
    kinds: dict[int, type[PegraspError]] = {2: InputError, 75: TryAgainError}
    return kinds.get(exit_code, InternalError)(message)

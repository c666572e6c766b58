# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries, by DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InputError

_HOST = frozenset({1, 3, 11, 13})  # DLDeviceType: CPU, and what CUDA, ROCm and both processors reach there
_CPU = (1, 0)
_VERSIONS = tuple(int(n) for n in np.__version__.split(".")[:2]) >= (2, 1)  # NumPy takes capsules that say theirs


class _Capsule:
    """What the producer handed out, in the way that NumPy asks for it."""

    def __init__(self, capsule: Any):
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def _copied(values: Any, what: str, device: str) -> _Capsule:
    """A copy on the host, made by the producer of an array on a device."""
    asked: dict[str, Any] = {"dl_device": _CPU}
    if _VERSIONS:
        asked["max_version"] = (1, 0)
    try:
        return _Capsule(values.__dlpack__(**asked))
    except Exception as error:  # whatever a producer raises who cannot
        said = f" ({type(error).__name__}: {' '.join(str(error).split())})" if str(error) else ""
        raise InputError(
            f"{what}: lie on {device}, and their library hands out no copy on the host{said}; make one, as "
            "tensor.cpu() does"
        ) from None


def on_host(values: Any, what: str) -> Any:
    """Values as NumPy reads them on the host: what comes by DLPack as an array, anything else as it is.

    An array on the host is not copied. Of one on a device its library is asked for a copy, the one that is made.
    """
    if isinstance(values, np.ndarray) or not hasattr(values, "__dlpack__"):
        return values
    kind, number = (int(n) for n in values.__dlpack_device__())
    if kind not in _HOST:
        values = _copied(values, what, f"device {number} (of type {kind} in DLPack)")
    try:
        return np.from_dlpack(values)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"{what}: cannot be read by DLPack: {' '.join(str(error).split())}") from None


def array_of(values: Any, what: str, dtype: Any = float) -> np.ndarray:
    """The same as an array of numbers."""
    return np.asarray(on_host(values, what), dtype=dtype)

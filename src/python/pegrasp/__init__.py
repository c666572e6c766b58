# SPDX-License-Identifier: Apache-2.0
"""Success-probability maps of uncertain grasps, with contact that respects exact geometry.

    import pegrasp

    ds = pegrasp.map("examples/gear/gear.toml", samples=10)
    ds.p.plot()

`import pegrasp` needs NumPy alone. What needs more says so: pip install 'pegrasp[xarray]'.
"""

from __future__ import annotations

from typing import Any

from . import _core, errors
from .commands import (
    best,
    check,
    compare,
    convexify,
    design,
    dump,
    evaluate,
    explain,
    identify,
    info,
    map,
    merge,
    optimise,
    plan,
    rare,
    replay,
    report,
    run,
    show,
    solve,
    validate,
)
from .errors import (
    InputError,
    InternalError,
    PegraspError,
    PegraspWarning,
    Stopped,
    ToleranceError,
    TryAgainError,
    UnacceptedError,
    UnresolvedError,
)
from .problem import Problem
from .results import open_map, samples, summary, to_parquet, to_zarr
from .scene import Batch, BatchResult, Scene, Simulation

__version__: str = _core.version
revision: str = _core.revision


def from_mjcf(path: Any, **options: Any) -> Scene:
    """Reads an MJCF file by MuJoCo's own parser: pegrasp.mjcf.from_mjcf."""
    from .mjcf import from_mjcf as read

    return read(path, **options)


__all__ = [
    "Batch", "BatchResult", "InputError", "InternalError", "PegraspError", "PegraspWarning", "Problem", "Scene",
    "Simulation", "Stopped", "ToleranceError", "TryAgainError", "UnacceptedError", "UnresolvedError", "best", "check",
    "compare", "convexify", "design", "dump", "errors", "evaluate", "explain", "from_mjcf", "identify", "info", "map",
    "merge", "open_map", "optimise", "plan", "rare", "replay", "report", "revision", "run", "samples", "show", "solve",
    "summary", "to_parquet", "to_zarr", "validate",
]  # fmt: skip

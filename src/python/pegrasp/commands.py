# SPDX-License-Identifier: Apache-2.0
"""The commands of the command line as functions.

Each option of a command is a keyword argument of its function, with underscores, in the units that the option has (h,
duration, t_end [s]); docs/reference/command-line.md explains all. `set` and keyword arguments with a point in them set
keys of the problem, as --set does: `pegrasp.map(problem, **{"body.gear.mass_kg": 0.05})`. The files that a function
writes are those of the command, byte by byte, except that pictures are drawn only with `no_plot=False`.

A problem is a path, a TOML text, a mapping with the keys of a problem file, or a pegrasp.Problem. progress: True shows
tqdm's bar once a call has taken a second, or a line on standard error every few seconds without tqdm; a function is
called with what is done, of how many, and what is counted; None is True at a terminal. Ctrl-C ends a call with
pegrasp.Stopped, a KeyboardInterrupt; `resume=True` then continues. Faults are exceptions of pegrasp.errors, warnings
are of PegraspWarning.

Calls may run in several threads at the same time. The interpreter is free for other threads while they do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as _Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._arrays import array_of
from ._call import Progress, call
from .errors import InputError
from .problem import ProblemLike, placed
from .results import open_map

if TYPE_CHECKING:
    import xarray

Path = Union[str, os.PathLike[str]]
_NOT_OPTIONS = frozenset({"progress", "overrides", "quiet"})


def _options(given: Mapping[str, Any], *positional: str) -> dict[str, Any]:
    """The options of a command among the arguments of its function. given: locals()."""
    options = {k: v for k, v in given.items() if k not in positional and k not in _NOT_OPTIONS}
    overrides = given.get("overrides") or {}
    wrong = [key for key in overrides if "." not in key]
    if wrong:
        raise TypeError(
            f"unexpected keyword argument {wrong[0]!r}: options are named in help(), and a key of the problem has a "
            "point, such as map.samples"
        )
    if overrides:
        options["set"] = {**(options.get("set") or {}), **overrides}
    if given.get("quiet"):
        options["quiet"] = True
    return options


def _progress(given: Mapping[str, Any]) -> Progress:
    return False if given.get("quiet") else given.get("progress")


def _folder(out: Optional[Path], file: Path) -> _Path:
    return _Path(out) if out is not None else _Path("out") / _Path(file).stem


def rows_file(rows: Any, folder: _Path) -> Any:
    """The file of rows: as given, or columns in memory, written into the folder of the map."""
    if rows is None or isinstance(rows, (str, os.PathLike)):
        return rows
    columns = {str(name): array_of(rows[name], f"samples_from: column {str(name)!r}") for name in rows}
    wrong = [name for name in columns if any(c in name for c in ',"\n\r')]
    if wrong:
        raise InputError(f"samples_from: column {wrong[0]!r} has a comma or a quotation mark; give it another name")
    if len({column.shape for column in columns.values()}) != 1 or any(c.ndim != 1 for c in columns.values()):
        raise InputError("samples_from: the columns must be lists of equal length, and there must be one")
    lines = [",".join(columns), *(",".join(_digits(row)) for row in zip(*columns.values()))]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "rows.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _digits(row: Iterable[Any]) -> list[str]:
    return [repr(float(number)) for number in row]


def _finished(given: Mapping[str, Any], command: str, file: str, texts: Mapping[str, str], positional: str) -> Any:
    """Of map and evaluate: the finished map, or what a part says."""
    options = _options(given, positional)
    folder = options["out"] = _folder(options.get("out"), file)
    options["samples_from"] = rows_file(options.get("samples_from"), folder)
    part = call(command, [file], {**options, "json": True}, texts, _progress(given), json.loads)
    return part if "part" in part and "parts" in part else open_map(folder)


def map(
    problem: ProblemLike,
    *,
    out: Optional[Path] = None,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples: Optional[int] = None,
    seed: Optional[int] = None,
    backend: str = "auto",
    threads: int = 0,
    device: Optional[int] = None,
    fallback: str = "none",
    step_check: Optional[float] = None,
    no_step_check: bool = False,
    counts_only: bool = False,
    resume: bool = False,
    shard: Optional[str] = None,
    no_plot: bool = True,
    quiet: bool = False,
    until: Optional[Mapping[str, float]] = None,
    refine: Optional[Mapping[str, Any]] = None,
    samples_from: Any = None,
    progress: Progress = None,
    **overrides: Any,
) -> xarray.Dataset:
    """Simulates every trial of a problem and returns the map of success probabilities (pegrasp.open_map).

    out: the folder for the files, out/NAME by default. until: {"half_width": 0.02} or {"decided": 0.95}.
    refine: {"levels": 2}, and what else --refine has. samples_from: a file of rows, or its columns as a mapping or a
    DataFrame, which then are written to rows.csv in `out`.
    With shard="I/N" only that part is simulated: the result is then a dict about the part, and pegrasp.merge joins.

    Raises InputError, TryAgainError and Stopped; ImportError without xarray and h5py.
    """
    file, texts = placed(problem)
    given = {k: v for k, v in locals().items() if k not in ("file", "texts")}
    return _finished(given, "map", file, texts, "problem")


def evaluate(
    grasps: Path,
    *,
    part: Path,
    gripper: Path,
    protocol: str = "lift",
    format: Optional[str] = None,
    scale: Optional[float] = None,
    hull: bool = False,
    convexify: bool = False,
    mass: float = 0.2,
    friction: tuple[float, float] = (0.3, 0.7),
    force: float = 20.0,
    torque: float = 1.0,
    approach: Optional[Iterable[float]] = None,
    closing: Optional[Iterable[float]] = None,
    pose_sd_mm: float = 1.0,
    pose_sd_deg: float = 1.0,
    out: Optional[Path] = None,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples: Optional[int] = None,
    seed: Optional[int] = None,
    backend: str = "auto",
    threads: int = 0,
    device: Optional[int] = None,
    fallback: str = "none",
    step_check: Optional[float] = None,
    no_step_check: bool = False,
    counts_only: bool = False,
    resume: bool = False,
    shard: Optional[str] = None,
    no_plot: bool = True,
    quiet: bool = False,
    until: Optional[Mapping[str, float]] = None,
    progress: Progress = None,
    **overrides: Any,
) -> xarray.Dataset:
    """Simulates every grasp of a file on a part and returns the probabilities that they hold it.

    part: a mesh. gripper: a URDF, or a file with a table [gripper]. mass [kg], force [N], torque [N m], pose_sd_mm
    [mm], pose_sd_deg [deg]; friction: least and largest coefficient; approach and closing: axes in the gripper's frame.

    Raises InputError, TryAgainError and Stopped; ImportError without xarray and h5py.
    """
    approach = None if approach is None else list(approach)
    closing = None if closing is None else list(closing)
    return _finished(locals(), "evaluate", os.fspath(grasps), {}, "grasps")


def merge(
    parts: Union[Path, Iterable[Path]],
    *,
    out: Optional[Path] = None,
    threads: int = 0,
    no_plot: bool = True,
    quiet: bool = False,
) -> xarray.Dataset:
    """Joins the parts that map(..., shard="I/N") wrote; the files are those of one run, byte by byte.

    parts: a folder with all parts in it, or several folders or files; then `out` must be given.
    """
    places = [parts] if isinstance(parts, (str, os.PathLike)) else list(parts)
    options = _options({"out": out, "threads": threads, "no_plot": no_plot, "quiet": quiet})
    call("merge", places, {**options, "json": True}, {})
    return open_map(out if out is not None else places[0])


def run(
    scene: Any,
    *,
    cell: Optional[int] = None,
    sample: Optional[int] = None,
    h: Optional[float] = None,
    t_end: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples_from: Optional[Path] = None,
    friction: Optional[float] = None,
    trajectory: Optional[Path] = None,
    loads: bool = False,
    contacts: Optional[Path] = None,
    record: Optional[Path] = None,
    steps: bool = False,
    step: Optional[int] = None,
    formulation: Optional[str] = None,
    scheme: Optional[str] = None,
    sets: Optional[str] = None,
    directions: Optional[int] = None,
    feasible_depth_ratio: Optional[float] = None,
    user_function: Optional[Path] = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Simulates one scene, or one trial of a problem (cell, sample), and returns the report.

    scene: a scene file, a pegrasp.Scene, or a problem. trajectory, contacts: CSV files to write, for every step.
    record: a page to write that plays the scene.
    steps: the table of steps in place of the report; step: one step with its contacts. progress: counts steps.
    formulation ("lcp", "mlcp", "ncp", "qp"): a scene of polygons or polyhedra is stepped as the sources write it, by
    scheme, sets, directions and feasible_depth_ratio.
    user_function: a shared library whose function is called before every step (include/pegrasp/user_function.h).

    Raises InputError, Stopped, and UnresolvedError for a scene with steps that have no solution to the tolerance; its
    `result` is the report.
    """
    given = locals()
    file, texts = placed(scene)
    options = _options(given, "scene")
    return call("run", [file], {**options, "json": True}, texts, progress, json.loads)


def check(
    problem: ProblemLike,
    *,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples: Optional[int] = None,
    seed: Optional[int] = None,
    until: Optional[Mapping[str, float]] = None,
    refine: Optional[Mapping[str, Any]] = None,
    samples_from: Optional[Path] = None,
    **overrides: Any,
) -> str:
    """Checks a problem; returns it with all defaults filled in, and its size, as text. Raises InputError."""
    file, texts = placed(problem)
    options = _options({k: v for k, v in locals().items() if k not in ("file", "texts")}, "problem")
    return call("check", [file], options, texts)


def convexify(
    mesh: Path,
    *,
    out: Optional[Path] = None,
    threshold: Optional[float] = None,
    max_parts: Optional[int] = None,
    scale: float = 1.0,
) -> dict[str, Any]:
    """Divides a mesh into convex parts by CoACD; writes an OBJ file and returns what changed (volumes [m^3])."""
    return call("convexify", [mesh], {**_options(locals(), "mesh"), "json": True}, {}, False, json.loads)


def compare(
    a: ProblemLike,
    b: ProblemLike,
    *,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples: Optional[int] = None,
    seed: Optional[int] = None,
    backend: str = "auto",
    threads: int = 0,
    resume: bool = False,
    out: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
    progress: Progress = None,
    **overrides: Any,
) -> dict[str, Any]:
    """Compares two problems, or the folders of two finished maps, trial by trial; returns `compare.json`."""
    (file_a, texts), (file_b, texts_b) = placed(a), placed(b)
    if texts.get(file_b, texts_b.get(file_b)) != texts_b.get(file_b):
        raise InputError(f"{file_b}: two problems in memory have this name; give one of them another (Problem.name)")
    given = {k: v for k, v in locals().items() if k not in ("file_a", "file_b", "texts", "texts_b")}
    options = _options(given, "a", "b")
    return call(
        "compare", [file_a, file_b], {**options, "json": True}, {**texts, **texts_b}, _progress(given), json.loads
    )


def explain(
    folder: Path,
    *,
    cell: Optional[int] = None,
    out: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
) -> dict[str, Any]:
    """Says which parameters decide about success in a finished map; returns `explain.json`."""
    return call("explain", [folder], {**_options(locals(), "folder"), "json": True}, {}, False, json.loads)


def best(
    folder: Path,
    *,
    out: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
) -> dict[str, Any]:
    """Finds the cell of a finished map whose lower bound is highest; returns `best.json`."""
    return call("best", [folder], {**_options(locals(), "folder"), "json": True}, {}, False, json.loads)


def rare(
    problem: ProblemLike,
    *,
    measure: str = "success",
    below: Optional[float] = None,
    above: Optional[float] = None,
    cell: Optional[int] = None,
    runs: int = 16,
    per_level: int = 1000,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    seed: Optional[int] = None,
    backend: str = "auto",
    threads: int = 0,
    resume: bool = False,
    out: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
    progress: Progress = None,
    **overrides: Any,
) -> dict[str, Any]:
    """Estimates the probability of rare failures of one cell by subset simulation; returns `rare.json`.

    A trial fails where the measure is below, or above, a number. Raises InputError, TryAgainError and Stopped, and
    UnacceptedError where the measure leads to no estimate.
    """
    file, texts = placed(problem)
    given = {k: v for k, v in locals().items() if k not in ("file", "texts")}
    options = _options(given, "problem")
    return call("rare", [file], {**options, "json": True}, texts, _progress(given), json.loads)


def design(
    problem: ProblemLike,
    *,
    designs: int = 200,
    levels: str = "geometric,dynamic",
    naive: bool = False,
    cell_mm: float = 1.0,
    cell_deg: float = 5.0,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples: Optional[int] = None,
    seed: Optional[int] = None,
    backend: str = "auto",
    threads: int = 0,
    device: Optional[int] = None,
    resume: bool = False,
    out: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
    progress: Progress = None,
    **overrides: Any,
) -> dict[str, Any]:
    """Draws designs of a problem and verifies them, by geometry before dynamics; returns `summary.json`.

    Each of `levels` refuses designs that the next one need not simulate; `naive` tries all by the last one, too.
    Raises InputError, TryAgainError and Stopped, and UnacceptedError where a level refuses what a later one passes.
    """
    file, texts = placed(problem)
    given = {k: v for k, v in locals().items() if k not in ("file", "texts")}
    options = _options(given, "problem")
    return call("design", [file], {**options, "json": True}, texts, _progress(given), json.loads)


def optimise(
    problem: ProblemLike,
    *,
    evaluations: int = 0,
    tolerance: float = 0.001,
    restarts: int = 0,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples: Optional[int] = None,
    seed: Optional[int] = None,
    backend: str = "auto",
    threads: int = 0,
    resume: bool = False,
    out: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
    progress: Progress = None,
    **overrides: Any,
) -> dict[str, Any]:
    """The values of a problem's `[[design]]` parameters that make its `[objective]` least (Nelder-Mead).

    Returns `optimise.json`; the folder `out` has `optimum.toml` and `evaluations.csv`, too. `evaluations` of 0: at
    most 100 for each parameter. Raises InputError, TryAgainError and Stopped.
    """
    file, texts = placed(problem)
    given = {k: v for k, v in locals().items() if k not in ("file", "texts")}
    options = _options(given, "problem")
    return call("optimise", [file], {**options, "json": True}, texts, _progress(given), json.loads)


def plan(
    problem: ProblemLike,
    *,
    plans: int = 2000,
    finalists: int = 100,
    refined: int = 10,
    evaluations: int = 60,
    fresh: int = 500,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples: Optional[int] = None,
    seed: Optional[int] = None,
    backend: str = "auto",
    threads: int = 0,
    resume: bool = False,
    out: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
    progress: Progress = None,
    **overrides: Any,
) -> dict[str, Any]:
    """Finds pushes that take a body to the pose of `[success]`, whatever is uncertain; returns `plan.json`.

    The folder `out` has `plans.csv` and `best.toml`, too. `fresh`: samples that had no part in the choice of the best
    plan, with which it is tried in the end. Raises InputError, TryAgainError and Stopped.
    """
    file, texts = placed(problem)
    given = {k: v for k, v in locals().items() if k not in ("file", "texts")}
    options = _options(given, "problem")
    return call("plan", [file], {**options, "json": True}, texts, _progress(given), json.loads)


def replay(
    scene: Any,
    *,
    html: Optional[Path] = None,
    png: Optional[Path] = None,
    at: Optional[float] = None,
    mp4: Optional[Path] = None,
    cell: Optional[int] = None,
    sample: Optional[int] = None,
    h: Optional[float] = None,
    t_end: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples_from: Optional[Path] = None,
    friction: Optional[float] = None,
    progress: Progress = None,
) -> None:
    """Simulates one scene, or one trial of a problem or of a finished map, and writes a page, a picture or a film.

    at [s]: the time of the picture. progress: counts steps, of the simulation alone. Raises InputError and Stopped.
    """
    given = locals()
    file, texts = placed(scene)
    options = _options(given, "scene")
    call("replay", [file], options, texts, progress)


def show(
    scene: Any,
    *,
    html: Optional[Path] = None,
    png: Optional[Path] = None,
    cell: Optional[int] = None,
    sample: Optional[int] = None,
    h: Optional[float] = None,
    t_end: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples_from: Optional[Path] = None,
    friction: Optional[float] = None,
) -> None:
    """Draws a scene or a problem as it begins: a page, or a picture. Raises InputError."""
    file, texts = placed(scene)
    options = _options({k: v for k, v in locals().items() if k not in ("file", "texts")}, "scene")
    call("show", [file], options, texts)


def report(
    folder: Path,
    *,
    out: Optional[Path] = None,
    samples_per_cell: int = 0,
    trials: int = 2000,
    quiet: bool = False,
    progress: Progress = None,
) -> _Path:
    """Writes a page about a finished map, or about the grasps of evaluate(); returns its path."""
    given = locals()
    call("report", [folder], {**_options(given, "folder"), "quiet": True}, {}, _progress(given))
    return _Path(out) if out is not None else _Path(folder) / "report.html"


def validate(
    file: Any,
    *,
    samples: Optional[int] = None,
    against: str = "reference",
    backend: str = "auto",
    every_step: bool = False,
    trajectory: bool = False,
    cell: Optional[int] = None,
    sample: Optional[int] = None,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    friction: Optional[float] = None,
    threads: int = 0,
    quiet: bool = False,
    progress: Progress = None,
) -> dict[str, Any]:
    """Compares the product with the reference simulator, or with another backend, on the same trials.

    Raises ToleranceError where something is outside the tolerances; its `result` is the report.
    """
    place, texts = placed(file)
    given = {k: v for k, v in locals().items() if k not in ("place", "texts")}
    options = {**_options(given, "file"), "json": True}
    return call("validate", [place], options, texts, _progress(given), json.loads)


def dump(
    scene: Any,
    *,
    steps: str,
    out: Path,
    form: Optional[str] = None,
    model: Optional[str] = None,
    cell: Optional[int] = None,
    sample: Optional[int] = None,
    h: Optional[float] = None,
    t_end: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples_from: Optional[Path] = None,
    friction: Optional[float] = None,
    quiet: bool = False,
) -> None:
    """Writes the complementarity problems of a scene's steps ("FIRST:LAST") to an HDF5 file."""
    file, texts = placed(scene)
    given = {k: v for k, v in locals().items() if k not in ("file", "texts")}
    call("dump", [file], _options(given, "scene"), texts)


def solve(
    files: Union[Path, Iterable[Path]],
    *,
    solver: Union[str, Iterable[str], None] = None,
    tolerance: Optional[float] = None,
    out: Optional[Path] = None,
    max_iterations: Optional[int] = None,
    max_pivots: Optional[int] = None,
    max_majors: Optional[int] = None,
    augmentation: Optional[float] = None,
    time_limit: Optional[float] = None,
    path_library: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
    progress: Progress = None,
) -> dict[str, Any]:
    """Solves files of complementarity problems and compares solvers; returns the summary.

    progress: counts solves.

    Raises ToleranceError where a problem was not solved; its `result` is the summary.
    """
    given = locals()
    places = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    solver = solver if solver is None or isinstance(solver, str) else ",".join(solver)
    options = {**_options(given, "files"), "solver": solver, "json": True}
    return call("solve", places, options, {}, _progress(given), json.loads)


def identify(
    problem: ProblemLike,
    *,
    data: Path,
    fit: Sequence[str],
    method: str = "batch",
    noise_mm: float = 1.0,
    noise_deg: float = 1.0,
    particles: int = 1000,
    walk: float = 0.01,
    forces: bool = False,
    h: Optional[float] = None,
    duration: Optional[float] = None,
    contact: Optional[str] = None,
    solver: Optional[str] = None,
    strategy: Optional[str] = None,
    strict: bool = False,
    fast: bool = False,
    urdf_hull: bool = False,
    space: bool = False,
    set: Optional[Mapping[str, Any]] = None,
    samples: Optional[int] = None,
    seed: Optional[int] = None,
    backend: str = "auto",
    threads: int = 0,
    resume: bool = False,
    out: Optional[Path] = None,
    no_plot: bool = True,
    quiet: bool = False,
    progress: Progress = None,
    **overrides: Any,
) -> dict[str, Any]:
    """Keys of a problem by the motion that was seen: least squares over all times or windows, or a filter.

    data: CSV with columns time [s], body, x, y [m], theta [rad]. fit: `"KEY"` or `"KEY:low:high"`. method: `"batch"`,
    `"window:K"` or `"particles"`. Returns `estimate.json`; the folder `out` has `estimate.csv`, too. Raises
    InputError, TryAgainError and Stopped.
    """
    file, texts = placed(problem)
    given = {k: v for k, v in locals().items() if k not in ("file", "texts")}
    options = _options(given, "problem")
    return call("identify", [file], {**options, "json": True}, texts, _progress(given), json.loads)


def info() -> dict[str, Any]:
    """Version, revision, compiler, build flags and the backends found."""
    return call("info", [], {"json": True}, {}, False, json.loads)

# SPDX-License-Identifier: Apache-2.0
"""Finished maps as xarray.Dataset and as tables."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from .errors import InputError

if TYPE_CHECKING:
    import pandas
    import xarray

Folder = Union[str, os.PathLike[str]]


def need(name: str, extra: str) -> Any:
    """Imports a package of an extra. Raises ImportError that names the extra."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: pip install 'pegrasp[{extra}]'") from error


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value]
    return value


def _name(dataset: str) -> str:
    return dataset.replace("%2F", "/")


def _file_of(folder: Path) -> Path:
    for name in ("map.h5", "grasps.h5"):
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"{folder}: holds no finished map; run pegrasp.map(problem, out=...) first")


def _axes(file: Any) -> list[str]:
    """Names of the axes, the slowest first: as the dimensions of the arrays."""
    given = file.attrs.get("axes")
    if given is not None:
        return [str(_plain(name)) for name in given][::-1]
    shape = file["p"].shape
    names = [name for name in file if getattr(file[name], "ndim", 0) == 1 and name not in ("p", "samples")]
    lines = sorted(_name(name) for name in names if name not in file["p"].attrs)
    coordinates = [name for name in lines if name not in _CELL_ARRAYS]
    return coordinates[::-1] if len(shape) == len(coordinates) else [f"axis_{k}" for k in range(len(shape))]


_CELL_ARRAYS = (
    "p", "ci_low", "ci_high", "samples", "successes", "unresolved", "ended", "grip_force_max", "slip_margin_min",
    "slip_margin_end",
)  # fmt: skip


# What HDF5 itself says of dimension scales.
_OF_SCALES = frozenset({"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "DIMENSION_LABELS"})


def _coordinate(file: Any, name: str, size: int) -> Any:
    stored = name.replace("/", "%2F")
    if stored not in file:
        return np.arange(size), {}
    attributes = {k: _plain(v) for k, v in file[stored].attrs.items() if k not in _OF_SCALES}
    attributes["units"] = attributes.pop("unit", "1")
    texts = attributes.pop("values", None)
    if texts is not None:
        return np.array(texts if isinstance(texts, list) else [texts]), attributes
    return file[stored][...], attributes


def _attributes(item: Any) -> dict[str, Any]:
    attributes = {k: _plain(v) for k, v in item.attrs.items() if k not in _OF_SCALES}
    attributes["units"] = attributes.pop("unit", "1")
    return attributes


def _variables(file: Any, dims: list[str]) -> dict[str, Any]:
    shape = file["p"].shape
    variables: dict[str, Any] = {}
    groups = {"": file, "step_check_": file.get("step_check", {})}
    for prefix, group in groups.items():
        for name, item in group.items():
            if getattr(item, "shape", None) == shape and (prefix or name in _CELL_ARRAYS):
                variables[prefix + _name(name)] = (dims, item[...], _attributes(item))
    return variables


def _add_grasps(dataset: Any, group: Any) -> Any:
    """Of a map whose cells are grasps: one dimension, and what the file of grasps says of each."""
    dataset = dataset.squeeze([d for d in dataset.dims if d != "grasp"], drop=True)
    for name, item in group.items():
        if item.shape[:1] != (dataset.sizes["grasp"],):
            continue
        values, attributes = item[...], _attributes(item)
        if name == "pose":
            columns = [str(c) for c in attributes.pop("columns")]
            dataset["grasp_pose"] = (("grasp", "pose"), values, attributes)
            dataset = dataset.assign_coords(pose=columns)
        elif name == "id":
            dataset = dataset.assign_coords(grasp_id=("grasp", [str(_plain(v)) for v in values]))
        elif item.ndim == 1:
            dataset["grasp_" + _name(name)] = ("grasp", values, attributes)
    return dataset


def open_map(folder: Folder) -> xarray.Dataset:
    """Reads the folder of a finished map.

    Dimensions are the axes of the map, the first axis last, so that `ds.p.values.ravel()` is in the order of the
    cells' numbers; coordinates are in the units of their attribute `units`. Variables are `p` [1] (NaN in a cell
    without a resolved trial), `ci_low` and `ci_high` (95 %), `samples`, `successes` and `unresolved` (counts), and of
    the step check `step_check_trials` and the trials whose outcome changes at half the step,
    `step_check_failed_then_succeeded` and `step_check_succeeded_then_failed`. Attributes are the resolved problem
    (`problem_toml`), `version`, `revision`, `seed`, `folder`, and of the step check `step_error` with its interval
    (`step_error_ci_low`, `step_error_ci_high`) and the `sampling_error` of the success rate. Where cells are grasps
    there is one dimension, `grasp`, with `grasp_id`, `grasp_pose` and the measures and reasons of failures of each.

    Raises InputError where there is no finished map, and ImportError without xarray and h5py.
    """
    xarray = need("xarray", "xarray")
    h5py = need("h5py", "xarray")
    _register(xarray)
    place = Path(folder)
    with h5py.File(_file_of(place), "r") as file:
        dims = _axes(file)
        coordinates = {d: ((d,), *_coordinate(file, d, n)) for d, n in zip(dims, file["p"].shape)}
        attributes = {k: _plain(v) for k, v in file.attrs.items() if k != "axes"}
        attributes["revision"] = attributes.pop("git", "")
        attributes["folder"] = str(place.absolute())
        if "step_check" in file:
            check = {k: _plain(v) for k, v in file["step_check"].attrs.items()}
            for ours, theirs in _STEP_ERROR.items():
                if theirs in check:
                    attributes[ours] = check[theirs]
        dataset = xarray.Dataset(_variables(file, dims), coordinates, attributes)
        return _add_grasps(dataset, file["grasps"]) if "grasps" in file else dataset


_STEP_ERROR = {
    "step_error": "bias",
    "step_error_ci_low": "bias_ci_low",
    "step_error_ci_high": "bias_ci_high",
    "sampling_error": "sampling_error",
    "half_step_s": "half_step_s",
}


def _pose_columns(item: Any) -> dict[str, np.ndarray]:
    bodies = [str(_plain(b)) for b in item.attrs["bodies"]]
    columns = [str(_plain(c)) for c in item.attrs["columns"]]
    values = item[...]
    return {f"{b}.{c}": values[:, i, k] for i, b in enumerate(bodies) for k, c in enumerate(columns)}


def samples(folder: Folder) -> pandas.DataFrame:
    """The trials of a finished map, a row each, in the order of the cells.

    Columns are the axes, `cell` and `sample`, `success`, `status` (0: resolved) and the other columns of
    `samples_table` in docs/reference/results.md, the sampled numbers by their names, and the final poses as
    BODY.x_m and so on; SI units.

    Raises InputError for a map that kept no trials (`counts_only`), and ImportError without pandas and h5py.
    """
    pandas = need("pandas", "pandas")
    h5py = need("h5py", "xarray")
    place = Path(folder)
    with h5py.File(_file_of(place), "r") as file:
        if "samples_table" not in file:
            raise InputError(f"{place}: kept no single trials; simulate it without counts_only")
        table = file["samples_table"]
        cell = table["cell"][...]
        shape = file["p"].shape
        columns: dict[str, np.ndarray] = {}
        for dim, index in reversed(list(zip(_axes(file), np.unravel_index(cell, shape)))):
            if "grasps" in file and dim != "grasp":
                continue
            columns[dim] = _coordinate(file, dim, int(index.max(initial=0)) + 1)[0][index]
        columns["cell"] = cell
        for name in ("sample", "success", "status", *sorted(table)):
            if name not in columns and name not in ("sampled", "final_pose"):
                columns[name] = table[name][...]
        for name in table["sampled"]:
            columns[_name(name)] = table["sampled"][name][...]
        columns.update(_pose_columns(table["final_pose"]))
    return pandas.DataFrame(columns)


def summary(folder: Folder) -> dict[str, Any]:
    """`summary.json` of a finished map."""
    return json.loads((Path(folder) / "summary.json").read_text())


def to_parquet(folder: Folder, file: Folder) -> None:
    """Writes the trials of a finished map (`samples`) as a Parquet file. Raises ImportError without pyarrow."""
    need("pyarrow", "pyarrow")
    samples(folder).to_parquet(file)


def to_zarr(folder: Folder, store: Folder) -> None:
    """Writes a finished map (`open_map`) as a Zarr store. Raises ImportError without zarr."""
    need("zarr", "zarr")
    open_map(folder).pegrasp.to_zarr(store)


_registered: Optional[type] = None


def _register(xarray: Any) -> None:
    """Makes `ds.pegrasp`."""
    global _registered
    if _registered is None:
        _registered = xarray.register_dataset_accessor("pegrasp")(MapAccessor)


class MapAccessor:
    """`ds.pegrasp` of a map: what its folder holds beside the cells."""

    def __init__(self, dataset: xarray.Dataset):
        self._dataset = dataset

    @property
    def folder(self) -> Path:
        """The folder that the map was read from."""
        return Path(self._dataset.attrs["folder"])

    def samples(self) -> pandas.DataFrame:
        """The trials: pegrasp.samples() of the folder."""
        return samples(self.folder)

    def summary(self) -> dict[str, Any]:
        """`summary.json`."""
        return summary(self.folder)

    def best(self, **options: Any) -> dict[str, Any]:
        """pegrasp.best() of the folder."""
        from .commands import best

        return best(self.folder, **options)

    def explain(self, **options: Any) -> dict[str, Any]:
        """pegrasp.explain() of the folder."""
        from .commands import explain

        return explain(self.folder, **options)

    def to_parquet(self, file: Folder) -> None:
        """The trials as a Parquet file."""
        to_parquet(self.folder, file)

    def to_zarr(self, store: Folder) -> None:
        """The map as a Zarr store, with the changes that were made to the dataset."""
        need("zarr", "zarr")
        self._dataset.to_zarr(store, mode="w", consolidated=False)

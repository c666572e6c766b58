# SPDX-License-Identifier: Apache-2.0
"""Scenes that are put together in Python, simulations that are watched step by step, and batches."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as _Path
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._arrays import array_of, on_host
from ._call import Progress, place_of, progress_of, warn, words_of
from .errors import InputError, error_of
from .problem import placed

Path = Union[str, os.PathLike[str]]
Part = Any
Vector = Union[Sequence[float], np.ndarray]


def _dtype(name: str) -> np.dtype:
    *fields, (_, _, size) = _core.record_fields()[name]
    names, formats, offsets = zip(*fields)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def _records(rows: np.ndarray, name: str) -> np.ndarray:
    return rows.view(_dtype(name))[:, 0] if len(rows) else np.empty(0, _dtype(name))


def _numbers(values: Vector) -> list[float]:
    return [float(v) for v in array_of(values, "numbers").ravel()]


def _points(values: Any) -> list[list[float]]:
    return array_of(values, "numbers").tolist()


def rotation(quaternion_wxyz: Vector) -> np.ndarray:
    """The matrix (3, 3) of a quaternion w, x, y, z of any length but 0."""
    turn = array_of(quaternion_wxyz, "quaternion_wxyz")
    w, x, y, z = turn / np.linalg.norm(turn)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def box(size: Vector, centre: Vector = (0, 0, 0), quaternion_wxyz: Vector = (1, 0, 0, 0)) -> dict[str, Any]:
    """A part: a box in 3D with these edge lengths [m], at a place of the body's frame."""
    half = 0.5 * array_of(size, "size")
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * half
    return {"vertices": _points(corners @ rotation(quaternion_wxyz).T + array_of(centre, "centre"))}


def rectangle(size: Vector, centre: Vector = (0, 0)) -> dict[str, Any]:
    """A part: a rectangle in 2D with these edge lengths [m]."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.5 * array_of(size, "size")
    return {"vertices": _points(corners + array_of(centre, "centre"))}


def sphere(radius: float, centre: Vector = (0, 0, 0)) -> dict[str, Any]:
    """A part: an exact ball [m]."""
    return {"sphere": {"radius": float(radius), "centre": _numbers(centre)}}


def disc(radius: float, centre: Vector = (0, 0)) -> dict[str, Any]:
    """A part: an exact disc in 2D [m]."""
    return {"disc": {"radius": float(radius), "centre": _numbers(centre)}}


def capsule(radius: float, start: Vector, end: Vector) -> dict[str, Any]:
    """A part: all points within `radius` of a segment, exact [m]."""
    return {"capsule": {"radius": float(radius), "from": _numbers(start), "to": _numbers(end)}}


def cylinder(
    radius: float, height: float, centre: Vector = (0, 0, 0), quaternion_wxyz: Vector = (1, 0, 0, 0), sides: int = 16,
    exact: bool = False,
) -> dict[str, Any]:
    """A part: a regular prism along z whose corners lie on a cylinder [m]; with `exact` the cylinder itself."""
    if exact:
        ends = np.array([[0, 0, -0.5 * height], [0, 0, 0.5 * height]])
        start, end = ends @ rotation(quaternion_wxyz).T + array_of(centre, "centre")
        return {"cylinder": {"radius": float(radius), "from": _numbers(start), "to": _numbers(end)}}
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    corners = np.concatenate([np.column_stack([ring, np.full(sides, z)]) for z in (-0.5 * height, 0.5 * height)])
    return {"vertices": _points(corners @ rotation(quaternion_wxyz).T + array_of(centre, "centre"))}


def ellipsoid(
    semi_axes: Vector, centre: Vector = (0, 0, 0), quaternion_wxyz: Vector = (1, 0, 0, 0), order: int = 2
) -> dict[str, Any]:
    """A part: an exact ellipsoid with these half-axes [m]; of a higher `order` a superellipsoid."""
    shape = {"semi_axes": _numbers(semi_axes), "centre": _numbers(centre), "quaternion_wxyz": _numbers(quaternion_wxyz)}
    return {"ellipsoid": shape} if order == 2 else {"superellipsoid": {**shape, "order": int(order)}}


def half_space(normal: Vector = (0, 0, 1), offset: float = 0.0) -> dict[str, Any]:
    """A part of a static or kinematic body: normal . x <= offset [m]; in 2D a half-plane."""
    name = "half_plane" if len(normal) == 2 else "half_space"
    return {name: {"normal": _numbers(normal), "offset": float(offset)}}


def mesh(source: Any, faces: Any = None, *, hull: bool = False, **keys: Any) -> dict[str, Any]:
    """A part of a mesh: a file (OBJ, STL), a trimesh.Trimesh, or vertices (n, 3) [m] and faces (m, 3).

    hull: the convex hull of the points; else a mesh must be closed and convex. keys: of `mesh` in
    docs/reference/scene-file.md for a file: scale, position, quaternion_wxyz, convexify, tolerance.
    """
    if isinstance(source, (str, os.PathLike)):
        return {"mesh": {"file": str(_Path(source).absolute()), **({"hull": True} if hull else {}), **keys}}
    if keys:
        raise TypeError(f"{next(iter(keys))!r} goes with the file of a mesh; move or scale the vertices")
    if faces is None and hasattr(source, "vertices"):
        source, faces = source.vertices, source.faces
    part: dict[str, Any] = {"vertices": _points(source)}
    if faces is not None and not hull:
        part["faces"] = np.asarray(on_host(faces, "faces")).tolist()
    return part


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Mapping):
        return dict(part)
    if isinstance(part, tuple) and len(part) == 2 and np.ndim(on_host(part[0], "vertices")) == 2:
        return mesh(part[0], part[1])
    if isinstance(part, (str, os.PathLike)) or hasattr(part, "vertices"):
        return mesh(part)
    return {"vertices": _points(part)}


class Scene:
    """One scene, put together in Python: the keys of docs/reference/scene-file.md, in SI units.

    dim: 2 or 3. gravity [m/s^2]; friction: coefficient of bodies without their own; t_end: time limit [s].
    """

    def __init__(
        self,
        dim: int = 3,
        *,
        gravity: Optional[Vector] = None,
        friction: float = 0.0,
        t_end: Optional[float] = None,
        name: str = "scene",
    ):
        if dim not in (2, 3):
            raise InputError(f"dim: is {dim}; give 2 or 3")
        default = (0.0, 0.0, -9.81) if dim == 3 else (0.0, 0.0)
        self.document: dict[str, Any] = {
            "format": "peg-scene-1",
            "dim": dim,
            "name": name,
            "gravity": _numbers(default if gravity is None else gravity),
            "friction": float(friction),
            "bodies": [],
        }
        if t_end is not None:
            self.document["t_end"] = float(t_end)
        self.folder = _Path()

    @classmethod
    def load(cls, file: Path) -> Scene:
        """Reads a scene file. Raises OSError, or InputError for bad JSON."""
        scene = cls()
        try:
            scene.document = json.loads(_Path(file).read_text(encoding="utf-8-sig"))
        except ValueError as error:
            raise InputError(f"{file}: is no JSON: {error}") from None
        scene.document.setdefault("name", _Path(file).stem)
        scene.folder = _Path(file).parent
        return scene

    def to_json(self) -> str:
        """The text of a scene file."""
        return json.dumps(self.document)

    def save(self, file: Path) -> None:
        """Writes a scene file, which `pegrasp run` takes."""
        _Path(file).write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")

    def place(self) -> str:
        """The path that stands for it on a command line."""
        return str(self.folder / (str(self.document.get("name") or "scene").replace("/", "_") + ".json"))

    def add_body(
        self,
        name: str,
        *parts: Part,
        mass: Optional[float] = None,
        density: Optional[float] = None,
        position: Optional[Vector] = None,
        quaternion_wxyz: Optional[Vector] = None,
        velocity: Optional[Vector] = None,
        angular_velocity: Optional[Vector] = None,
        inertia_diag: Optional[Vector] = None,
        friction: Optional[float] = None,
        static: bool = False,
        kinematic: bool = False,
        **keys: Any,
    ) -> str:
        """Adds a body; returns its name.

        parts: box(), sphere(), capsule(), cylinder(), ellipsoid(), half_space(), mesh(), in 2D rectangle() and disc();
        or points (n, dim) of a convex part; (vertices, faces); a trimesh.Trimesh; the file of a mesh; keys of a part as
        a dict. Their coordinates are those of the body's frame, whose origin is the centre of mass. mass [kg], density
        [kg/m^3], position [m], velocity [m/s] and angular_velocity [rad/s] in the world, inertia_diag: three moments
        [kg m^2]. keys: others of a body in docs/reference/scene-file.md.
        """
        body: dict[str, Any] = {"name": name, "parts": [_part(part) for part in parts]}
        for key, number in (("mass", mass), ("density", density), ("friction", friction)):
            if number is not None:
                body[key] = float(number)
        vectors = {
            "position": position,
            "quaternion_wxyz": quaternion_wxyz,
            "velocity": velocity,
            "angular_velocity": angular_velocity,
            "inertia_diag": inertia_diag,
        }
        body.update({key: _numbers(vector) for key, vector in vectors.items() if vector is not None})
        if static or kinematic:
            body["static" if static else "kinematic"] = True
        body.update(keys)
        self.document["bodies"].append(body)
        return name

    def _add(self, where: str, entry: Any) -> None:
        self.document.setdefault(where, []).append(entry)

    def add_joint(self, kind: str, a: Optional[str], b: str, *, name: Optional[str] = None, **keys: Any) -> None:
        """Adds a joint between two bodies, a: None for the world.

        kind and keys (axis, anchor [m], slide [m], turn [rad], swing, collide) are those of
        docs/reference/scene-file.md.
        """
        entry: dict[str, Any] = {"kind": kind, "bodies": ["world" if a is None else a, b]}
        if name is not None:
            entry["name"] = name
        host = {k: on_host(v, k) for k, v in keys.items()}
        entry.update({k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in host.items()})
        self._add("joints", entry)

    def add_actuator(self, kind: str, **keys: Any) -> None:
        """Adds an actuator; keys as in docs/reference/scene-file.md."""
        self._add("actuators", {"kind": kind, **keys})

    def add_urdf(self, file: Path, **keys: Any) -> None:
        """Adds a robot (3D); keys as in docs/reference/scene-file.md."""
        self._add("urdf", {"file": str(_Path(file).absolute()), **keys})

    def set_friction(self, a: str, b: str, mu: float, **keys: float) -> None:
        """Sets the friction coefficient of two bodies; in 3D also `torsion` and `rolling` [m]."""
        self._add("friction_pairs", {"bodies": [a, b], "mu": float(mu), **keys})

    def ignore(self, a: str, b: str) -> None:
        """Lets two bodies never touch."""
        self._add("ignored_pairs", [a, b])

    def copy(self) -> Scene:
        """A scene of its own."""
        return copy.deepcopy(self)


def _case(scene: Any, options: Mapping[str, Any]) -> Any:
    file, texts = placed(scene)
    words = [place_of(file), *words_of(options)]
    code, message, says, case = _core.case_of(words, texts)
    warn(says, 5)
    if code != 0:
        raise error_of(code, message)
    return case


def _numbers_of(values: Any, dimensions: int) -> np.ndarray:
    """Parameters as float64 in C order: the array itself where it is that, also one that comes by DLPack."""
    try:
        array = np.asarray(on_host(values, "parameters"), dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"parameters: are no array of numbers: {error}") from None
    if array.ndim != dimensions:
        raise InputError(f"parameters: must have {dimensions} dimension(s), not {array.ndim}")
    return array


_NOT_OF_CASE = frozenset({"self", "scene", "parameters", "watch", "backend", "threads", "device", "__class__"})


def _of_case(given: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in given.items() if k not in _NOT_OF_CASE}


class Simulation:
    """One scene, or one trial of a problem, step by step on the CPU: the very code that maps run.

    scene: a pegrasp.Scene, a scene file, or a problem with cell and sample. The options are those of pegrasp.run().
    parameters: a row as in Batch, for another variant of the scene. watch: keep contacts and forces of every step.

    Arrays have a row for each body in the order of `bodies`. One thread at a time uses a simulation; others wait.
    """

    def __init__(
        self,
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
        parameters: Optional[Vector] = None,
        watch: bool = True,
    ):
        self._case = _case(scene, _of_case(locals()))
        row = self._case.parameters() if parameters is None else _numbers_of(parameters, 1)
        self._stepper = _core.Stepper(self._case, row, watch)

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return self._case.body_names

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return self._case.joint_names

    @property
    def time(self) -> float:
        """[s]"""
        return self._stepper.time

    @property
    def h(self) -> float:
        """Length of a step [s]."""
        return self._case.h

    @property
    def ended(self) -> bool:
        """Whether the scene has ended: by the time limit, because it is at rest, or by a fault."""
        return self._stepper.ended

    def step(self) -> bool:
        """One step; False where the scene has ended."""
        return self._stepper.step()

    def run(
        self,
        until: float = np.inf,
        callback: Optional[Callable[[Simulation], Any]] = None,
        *,
        progress: Progress = None,
    ) -> bool:
        """Steps until the time is reached [s] or the scene has ended (then False).

        callback is called with the simulation after every step; the run stops where it returns False. progress: as of
        pegrasp.map(), counted in steps of this call.
        """
        with progress_of(progress, "simulation") as tell:
            if callback is None:
                return self._stepper.run_to(until, tell)
            total, done = self._stepper.steps_to(until), 0
            while self.time < until and self.step():
                done += 1
                if tell is not None:
                    tell(min(done, total), total, "steps")
                if callback(self) is False:
                    break
        return not self.ended

    def poses(self) -> np.ndarray:
        """(bodies, 3): x, y [m], theta [rad]; in 3D (bodies, 7): x, y, z [m] and the quaternion w, x, y, z."""
        return self._stepper.poses()

    def velocities(self) -> np.ndarray:
        """(bodies, 3): vx, vy [m/s], omega [rad/s]; in 3D (bodies, 6): of the centre of mass, and angular, world."""
        return self._stepper.velocities()

    def joint_coordinates(self) -> np.ndarray:
        """(joints, 2): slide [m] and turn [rad]."""
        return self._stepper.joints()

    def set_force(self, body: Union[int, str], wrench: Vector) -> None:
        """Pushes a dynamic body from the next step on, until it is set again; at first nothing does.

        body: its name, or its row. wrench: (3) fx, fy [N] on the centre of mass, torque [N m]; in 3D (6) force and
        torque, world. It is constant in a step, so a law of second order asks for the middle of the step: for the time
        `time` + h / 2 and positions that are velocity h / 2 ahead.
        """
        if isinstance(body, str):
            if body not in self.bodies:
                raise InputError(f"the scene has no body {body!r}, but {', '.join(self.bodies)}")
            body = self.bodies.index(body)
        self._stepper.set_force(body, np.ascontiguousarray(array_of(wrench, "wrench")).ravel())

    def contacts(self) -> np.ndarray:
        """Records of the contacts of the last step, in the world's frame (ContactReport in pegrasp/step_report.hpp).

        Fields: body_a, body_b, part_a, part_b (numbers), point [m], normal (from a to b), gap [m], friction,
        normal_impulse [N s], impulse (3) [N s] on body b, slip [m/s], state (0 no force, 1 sticks, 2 slides), margin,
        duration [s] and others. Empty with watch=False.
        """
        return _records(self._stepper.contacts(), "contact")

    def contact_forces(self) -> np.ndarray:
        """(contacts, 3): the mean force on body b of every contact of the last step [N], world."""
        records = self.contacts()
        return records["impulse"] / records["duration"][:, None]

    def loads(self) -> np.ndarray:
        """Records of joints, motors, limits, couplings and support points of the last step (LoadReport)."""
        return _records(self._stepper.loads(), "load")

    def body_loads(self) -> np.ndarray:
        """Records of all that contacts and constraints did to each body in the last step (BodyLoad)."""
        return _records(self._stepper.body_loads(), "body")

    def outcome(self) -> np.void:
        """A record of the scene so far (SceneOutcome in pegrasp/options.hpp): status, success, steps, time, ..."""
        return _records(self._stepper.outcome(), "outcome")[0]

    def last_step(self) -> dict[str, Any]:
        """How the last step was solved: status, residual [m/s], depth [m], contacts, iterations, substeps."""
        return self._stepper.last_step()

    def energy(self) -> dict[str, float]:
        """kinetic, potential, explained, unexplained [J] (EnergyReport in pegrasp/simulation.hpp)."""
        return self._stepper.energy()


@dataclass(frozen=True)
class BatchResult:
    """What became of the scenes of a batch, a row each.

    outcomes: records (n) of SceneOutcome; poses: (n, bodies, 3), in 3D (n, bodies, 7), final; device: in words. The
    arrays lie on the host. Other libraries take `poses`, and each field of the records, such as `outcomes["time"]`, by
    DLPack without a copy: torch.from_dlpack(result.poses).
    """

    outcomes: np.ndarray
    poses: np.ndarray
    device: str

    @property
    def success(self) -> np.ndarray:
        """(n) bool."""
        return self.outcomes["success"] == 1

    @property
    def resolved(self) -> np.ndarray:
        """(n) bool: every step was solved to the tolerance."""
        return self.outcomes["status"] == 0


class Batch:
    """Variants of one scene that differ in numbers, simulated together.

    scene and options as of Simulation. backend, threads, device as of pegrasp.map().
    """

    def __init__(
        self,
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
        backend: str = "auto",
        threads: int = 0,
        device: Optional[int] = None,
    ):
        self._case = _case(scene, _of_case(locals()))
        self._names = self._case.parameter_names
        self._column = {name: k for k, name in enumerate(self._names)}
        self._where = (backend, int(threads), -1 if device is None else int(device))

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return self._case.body_names

    @property
    def parameter_names(self) -> list[str]:
        """Names of the columns: BODY.mass [kg], BODY.x [m], A/B.friction, ...; SI units."""
        return list(self._names)

    def column(self, name: str) -> int:
        """The number of a column. Raises InputError for a name that there is not."""
        if name not in self._column:
            import difflib

            near = difflib.get_close_matches(name, self._names, 1)
            raise InputError(f"{name}: is no parameter" + (f"; did you mean {near[0]}?" if near else ""))
        return self._column[name]

    def rows(self, n: int, **values: Any) -> np.ndarray:
        """(n, k): the scene as it is, n times; values: columns to write over, BODY__mass for BODY.mass."""
        rows = np.tile(self._case.parameters(), (n, 1))
        for name, value in values.items():
            rows[:, self.column(name.replace("__", "."))] = on_host(value, name)
        return rows

    def run(self, parameters: Any, *, progress: Progress = None) -> BatchResult:
        """Simulates a row each; results of a row depend on that row alone. Ctrl-C raises KeyboardInterrupt.

        parameters: (n, k), an array or what has DLPack; float64 in C order on the host is used without a copy. Of what
        lies on a device its library is asked for one copy on the host, as every argument that is an array: a batch
        reads it there, whatever it runs on. progress: as of pegrasp.map(), counted in scenes.

        Raises InputError for parameters of another shape.
        """
        rows = _numbers_of(parameters, 2)
        with progress_of(progress, "batch") as tell:
            outcomes, poses, device = _core.run_batch(self._case, rows, *self._where, tell)
        return BatchResult(_records(outcomes, "outcome"), poses, device)


__all__ = [
    "Batch", "BatchResult", "Scene", "Simulation", "box", "capsule", "cylinder", "disc", "ellipsoid", "half_space",
    "mesh", "rectangle", "rotation", "sphere",
]  # fmt: skip

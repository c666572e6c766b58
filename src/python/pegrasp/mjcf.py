# SPDX-License-Identifier: Apache-2.0
"""Scenes from MJCF, by MuJoCo's own parser (pip install 'pegrasp[mujoco]')."""

from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from .errors import InputError
from .results import need
from .scene import Scene, box, capsule, cylinder, mesh, sphere


def _name(model: Any, kind: str, index: int) -> str:
    given = getattr(model, kind)(index).name
    return given.replace("/", "_").replace(".", "_") if given else f"{kind}{index}"


class _Frames:
    """Poses of the bodies at the start, in the world: of their frames, and of their centres of mass."""

    def __init__(self, mujoco: Any, model: Any):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        self.frame = data.xmat.reshape(-1, 3, 3)
        self.frame_origin = data.xpos
        self.inertial = data.ximat.reshape(-1, 3, 3)
        self.centre = data.xipos
        self.geom = data.geom_xmat.reshape(-1, 3, 3)
        self.geom_origin = data.geom_xpos


def _quaternion(mujoco: Any, matrix: np.ndarray) -> np.ndarray:
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(matrix).ravel())
    return quaternion


def _mesh_part(model: Any, geom: int, turn: np.ndarray, origin: np.ndarray) -> dict[str, Any]:
    m = model.geom_dataid[geom]
    first, count = model.mesh_vertadr[m], model.mesh_vertnum[m]
    return mesh(model.mesh_vert[first : first + count] @ turn.T + origin, hull=True)  # as MuJoCo's contacts have it


def _part(mujoco: Any, model: Any, geom: int, turn: np.ndarray, origin: np.ndarray, sides: int, file: str) -> Any:
    """A geom in the frame of its body's inertia."""
    kind = mujoco.mjtGeom(model.geom_type[geom])
    size = model.geom_size[geom]
    quaternion = _quaternion(mujoco, turn)
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return box(2.0 * size, origin, quaternion)
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return sphere(size[0], origin)
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        axis = size[1] * turn[:, 2]
        return capsule(size[0], origin - axis, origin + axis)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return cylinder(size[0], 2.0 * size[1], origin, quaternion, sides)
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        return _mesh_part(model, geom, turn, origin)
    if kind == mujoco.mjtGeom.mjGEOM_PLANE:
        normal = turn[:, 2]
        return {"half_space": {"normal": normal.tolist(), "offset": float(normal @ origin)}}
    raise InputError(
        f"{file}: geom {_name(model, 'geom', geom)!r} is of type {kind.name[7:].lower()}, which pegrasp has not; "
        "replace it by box, sphere, capsule, cylinder, mesh or plane"
    )


def _collides(model: Any, geom: int) -> bool:
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])


def _refuse(model: Any, file: str) -> None:
    """Raises for what would be lost."""
    parts = {
        "neq": "equality constraints",
        "ntendon": "tendons",
        "nu": "actuators",
        "nflex": "flexes",
        "nmocap": "mocap bodies",
        "npair": "contact pairs",
    }
    if np.any(model.body_gravcomp != 0.0) or model.opt.density > 0.0 or model.opt.viscosity > 0.0:
        raise InputError(
            f"{file}: has gravcomp, or a medium of some density or viscosity, which from_mjcf does not read"
        )
    for count, words in parts.items():
        if getattr(model, count, 0) > 0:
            raise InputError(
                f"{file}: has {words}, which from_mjcf does not read; remove them, and add them to the scene"
            )


def _check_joint(model: Any, joint: int, file: str) -> None:
    name = _name(model, "joint", joint)
    dof = model.jnt_dofadr[joint]
    for value, what in (
        (model.jnt_stiffness[joint], "stiffness"),
        (model.dof_frictionloss[dof], "frictionloss"),
        (model.dof_armature[dof], "armature"),
        (model.dof_damping[dof], "damping"),
    ):
        if np.any(np.asarray(value) != 0.0):
            raise InputError(f"{file}: joint {name!r} has {what}, which from_mjcf does not read; set it to 0")


def _add_joint(mujoco: Any, model: Any, scene: Scene, frames: _Frames, joint: int, names: list[Any], file: str) -> None:
    body = model.jnt_bodyid[joint]
    kind = mujoco.mjtJoint(model.jnt_type[joint])
    if kind == mujoco.mjtJoint.mjJNT_FREE:
        return
    _check_joint(model, joint, file)
    turn = frames.frame[body]
    keys: dict[str, Any] = {"anchor": (frames.frame_origin[body] + turn @ model.jnt_pos[joint]).tolist()}
    start = model.qpos0[model.jnt_qposadr[joint]]
    limited = bool(model.jnt_limited[joint])
    low, high = (float(v) for v in model.jnt_range[joint])
    if kind == mujoco.mjtJoint.mjJNT_BALL:
        words = "spherical"
        if limited:
            raise InputError(
                f"{file}: joint {_name(model, 'joint', joint)!r} limits a ball by its turn; pegrasp limits the swing "
                "about an axis: remove the range, and add the joint to the scene with `swing`"
            )
    else:
        hinge = kind == mujoco.mjtJoint.mjJNT_HINGE
        words = "revolute" if hinge else "prismatic"
        keys["axis"] = (turn @ model.jnt_axis[joint]).tolist()
        if limited:
            keys["turn" if hinge else "slide"] = [low - float(start), high - float(start)]
    parent = int(model.body_parentid[body])
    if parent != 0 and model.body_weldid[parent] == 0:
        keys["collide"] = True  # as MuJoCo has it for what is fixed to the world
    scene.add_joint(words, names[parent], names[body], name=_name(model, "joint", joint), **keys)


def _contact_keys(model: Any, geom: int) -> tuple[Any, ...]:
    return (*model.geom_friction[geom], int(model.geom_priority[geom]), int(model.geom_condim[geom]))


def _friction(model: Any, g: int, h: int) -> dict[str, float]:
    """Of two geoms by MuJoCo's rule: the larger of both, or those of the geom with the higher priority."""
    higher = int(model.geom_priority[g]) - int(model.geom_priority[h])
    both = [g, h] if higher == 0 else [g if higher > 0 else h]
    dim = max(int(model.geom_condim[k]) for k in both)
    slide, torsion, rolling = (float(max(model.geom_friction[k][i] for k in both)) for i in range(3))
    if dim == 1 or slide == 0.0:
        return {"mu": 0.0}
    keys = {"mu": slide}
    if dim > 3:  # MuJoCo's are moments for each unit of the normal force, these are arms of the friction
        keys["torsion"] = torsion / slide
    if dim > 4:
        keys["rolling"] = rolling / slide
    return keys


def _pair_friction(model: Any, scene: Scene, geoms: dict[int, list[int]], names: list[Any], file: str) -> None:
    for body, own in geoms.items():
        if len({_contact_keys(model, g) for g in own}) > 1:
            raise InputError(
                f"{file}: the geoms of body {names[body]!r} differ in friction, priority or condim, which pegrasp has "
                "for whole bodies; give all of them the same"
            )
    bodies = sorted(geoms)
    for i, a in enumerate(bodies):
        for b in bodies[i + 1 :]:
            scene.set_friction(names[a], names[b], **_friction(model, geoms[a][0], geoms[b][0]))


def _never_touch(model: Any, a: int, b: int) -> bool:
    """MuJoCo's rule for bodies: not if welded together, nor a body and its parent, unless that is the world's."""
    weld, parent = model.body_weldid, model.body_parentid
    wa, wb = int(weld[a]), int(weld[b])
    family = wa != 0 and wb != 0 and (weld[parent[wa]] == wb or weld[parent[wb]] == wa)
    return wa == wb or bool(family) or (a << 16) + b in {int(s) for s in model.exclude_signature}


def _ignored(model: Any, scene: Scene, geoms: dict[int, list[int]], names: list[Any], file: str) -> None:
    """Pairs that MuJoCo never lets touch: by contype and conaffinity, <exclude>, and a parent and its child."""
    kind, affinity = model.geom_contype, model.geom_conaffinity
    bodies = sorted(geoms)
    for i, a in enumerate(bodies):
        for b in bodies[i + 1 :]:
            meet = {bool(kind[g] & affinity[h] or kind[h] & affinity[g]) for g in geoms[a] for h in geoms[b]}
            if len(meet) > 1:
                raise InputError(
                    f"{file}: some geoms of the bodies {names[a]!r} and {names[b]!r} collide and others do not, by "
                    "contype and conaffinity; pegrasp decides for whole bodies"
                )
            if meet == {False} or _never_touch(model, a, b):
                scene.ignore(names[a], names[b])


def from_mjcf(
    path: Union[str, os.PathLike[str]], *, t_end: float = 1.0, cylinder_sides: int = 16, name: Union[str, None] = None
) -> Scene:
    """Reads an MJCF file, or a text that begins with `<`, by MuJoCo's own parser; returns a pegrasp.Scene in 3D.

    Bodies come with masses, inertias and poses at the start; geoms that collide become parts: boxes, spheres and
    capsules exactly, cylinders as prisms of `cylinder_sides` sides, meshes as their convex hulls (as MuJoCo has them),
    planes as half-spaces. Geoms of the world become one static body, `world_geoms`. Joints: hinge, slide, ball, free;
    a body without a joint is fixed to its parent. Friction is that of pairs of bodies by MuJoCo's rule.

    Raises InputError, one line that names the element, for what would be lost: other geoms, actuators, tendons,
    equality constraints, springs, dampers. Geoms that do not collide are for pictures and become nothing. Raises
    ImportError without MuJoCo.
    """
    mujoco = need("mujoco", "mujoco")
    file = os.fspath(path)
    text = file.lstrip().startswith("<")
    try:
        model = (mujoco.MjModel.from_xml_string if text else mujoco.MjModel.from_xml_path)(file)
    except ValueError as error:
        raise InputError(f"{'MJCF' if text else file}: {str(error).splitlines()[0]}") from None
    file = "MJCF" if text else file
    _refuse(model, file)
    frames = _Frames(mujoco, model)
    scene = Scene(3, gravity=model.opt.gravity, t_end=t_end, name=name or "mjcf")
    names: list[Any] = [None, *(_name(model, "body", b) for b in range(1, model.nbody))]
    geoms: dict[int, list[int]] = {}
    for geom in range(model.ngeom):
        if _collides(model, geom):
            geoms.setdefault(int(model.geom_bodyid[geom]), []).append(geom)
    if 0 in geoms:
        parts = [_part(mujoco, model, g, frames.geom[g], frames.geom_origin[g], cylinder_sides, file) for g in geoms[0]]
        scene.add_body("world_geoms", *parts, static=True)
    for body in range(1, model.nbody):
        _add_body(mujoco, model, scene, frames, body, geoms.get(body, []), names, cylinder_sides, file)
    for joint in range(model.njnt):
        _add_joint(mujoco, model, scene, frames, joint, names, file)
    named = ["world_geoms", *names[1:]]
    _pair_friction(model, scene, geoms, named, file)
    _ignored(model, scene, geoms, named, file)
    return scene


def _add_body(
    mujoco: Any, model: Any, scene: Scene, frames: _Frames, body: int, geoms: list[int], names: list[Any], sides: int,
    file: str,
) -> None:  # fmt: skip
    joints = int(model.body_jntnum[body])
    if joints > 1:
        raise InputError(
            f"{file}: body {names[body]!r} has {joints} joints; put a body of small mass between each two of them"
        )
    turn, centre = frames.inertial[body], frames.centre[body]
    parts = []
    for geom in geoms:
        if mujoco.mjtGeom(model.geom_type[geom]) == mujoco.mjtGeom.mjGEOM_PLANE:
            raise InputError(f"{file}: geom {_name(model, 'geom', geom)!r} is a plane that moves; make it a box")
        parts.append(
            _part(
                mujoco,
                model,
                geom,
                turn.T @ frames.geom[geom],
                turn.T @ (frames.geom_origin[geom] - centre),
                sides,
                file,
            )
        )
    pose = {"position": centre, "quaternion_wxyz": _quaternion(mujoco, turn)}
    if model.body_weldid[body] == 0:
        scene.add_body(names[body], *parts, static=True, **pose)
        return
    scene.add_body(
        names[body], *parts, mass=float(model.body_mass[body]), inertia_diag=model.body_inertia[body], **pose
    )
    if joints == 0:
        parent = names[model.body_parentid[body]]
        scene.add_joint("fixed", parent, names[body], name=f"{names[body]}_fixed", anchor=centre.tolist())


__all__ = ["from_mjcf"]

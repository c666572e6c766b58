# SPDX-License-Identifier: Apache-2.0
"""MuJoCo. A body that appears makes a new model, in which the others go on; building it is not timed."""
import mujoco

import mujoco_settings

NAME = "MuJoCo"


def version():
    return mujoco.__version__


# contact: damping and impedance, see mujoco_settings.py. margin [m]: contacts act from so far apart on, so that bodies
# lie on a cushion: that is another shape, and marked so. Several contacts a pair of convex meshes (multiccd) are the
# default of this version.
SETTINGS = {
    "default": {"sweep": True},
    "tuned": {"tuned": True, "sweep": True},
    "tuned, damping 0.7": {"tuned": True, "contact": (0.7,)},
    "tuned, damping 0.5": {"tuned": True, "contact": (0.5,)},
    "tuned, impedance 0.9999": {"tuned": True, "contact": (1.0, (0.9999, 0.9999, 0.0001))},
    "tuned, noslip": {"tuned": True, "noslip": 10},
    "tuned, cushion of 1 mm": {"tuned": True, "margin": 1e-3, "other_shape": True, "sweep": True},
    "tuned, cushion of 5 mm": {"tuned": True, "margin": 5e-3, "other_shape": True},
}


def vector(values):
    return " ".join(f"{x:.17g}" for x in values)


def mjcf(pour, moving, h, setting):
    tuned = setting.get("tuned", False)
    contact = mujoco_settings.stiff_contact(h, *setting.get("contact", ())) if tuned else ""
    option = mujoco_settings.PRECISE_SOLVER if tuned else ""
    margin = f'margin="{setting["margin"]:.17g}"' if "margin" in setting else ""
    assets, bodies = [], []
    for k in pour.fixed + moving:
        body = pour.bodies[k]
        half = pour.half_extents(k)
        if half is None:
            assets.append(f'<mesh name="m{k}" vertex="{" ".join(vector(v) for v in body["vertices"])}"/>')
            shape = f'type="mesh" mesh="m{k}"'
        else:
            shape = f'type="box" size="{vector(half)}"'
        inside = f'<geom {shape} friction="{body["friction"]:.17g} 0 0" condim="3" {contact} {margin}/>'
        if not body["fixed"]:
            xx, yy, zz, xy, xz, yz = body["inertia_xx_yy_zz_xy_xz_yz"]
            inside += (f'<freejoint/><inertial pos="0 0 0" mass="{body["mass"]:.17g}" '
                       f'fullinertia="{vector([xx, yy, zz, xy, xz, yz])}"/>')
        bodies.append(f'<body pos="{vector(body["position"])}" '
                      f'quat="{vector(body["quaternion_wxyz"])}">{inside}</body>')
    noslip = f'noslip_iterations="{setting["noslip"]}"' if "noslip" in setting else ""
    return (f'<mujoco><compiler angle="radian"/><option timestep="{h:.17g}" gravity="{vector(pour.gravity)}" {option} '
            f'{noslip}/>'
            f'<size memory="64M"/><asset>{"".join(assets)}</asset><worldbody>{"".join(bodies)}</worldbody></mujoco>')


def with_bodies(pour, moving, h, setting, before):
    """The world of these bodies; those of `before` go on as they are there, others begin."""
    model = mujoco.MjModel.from_xml_string(mjcf(pour, moving, h, setting))
    data = mujoco.MjData(model)
    for i, k in enumerate(moving):
        body = pour.bodies[k]
        data.qvel[6 * i:6 * i + 3] = body["velocity"]
        assert not any(body["angular_velocity"])  # MuJoCo's is in the body's frame
    if before is not None:
        data.qpos[:len(before.qpos)], data.qvel[:len(before.qvel)] = before.qpos, before.qvel
        data.qacc_warmstart[:len(before.qvel)] = before.qacc_warmstart
    return model, data


def run(pour, h, setting, record):
    moving, model, data = None, None, None
    for step in range(pour.steps(h)):
        there = pour.there(step, h)
        if there != moving:
            moving = there
            model, data = with_bodies(pour, moving, h, setting, data)
        record.timed(lambda: mujoco.mj_step(model, data))
        poses = data.qpos.reshape(-1, 7)
        record.add(step, moving, poses[:, :3], poses[:, 3:])

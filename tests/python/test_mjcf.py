# SPDX-License-Identifier: Apache-2.0
"""from_mjcf against MuJoCo's own model, and closed forms."""

import numpy as np
import pytest

import pegrasp

mujoco = pytest.importorskip("mujoco")

PENDULUM = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
<geom name="floor" type="plane" size="1 1 1" friction="0.7"/>
<body name="arm" pos="0 0 1"><joint name="pin" type="hinge" axis="0 1 0" range="-120 120" limited="true"/>
<geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.01" density="800" friction="0.4"/>
<geom type="box" pos="0.4 0 0.02" size="0.02 0.01 0.03" euler="0 20 0" density="800" friction="0.4"/></body>
<body name="crate" pos="2 0 0.0501"><freejoint/><geom type="box" size="0.05 0.05 0.05" friction="0.2"/>
<body name="lid" pos="0 0 0.06"><geom type="cylinder" size="0.02 0.01" friction="0.2"/></body></body>
</worldbody></mujoco>"""


def one(geom, joint="<freejoint/>", extra=""):
    body = f"<body name='b' pos='0 0 1'>{joint}{geom}</body>"
    return f"<mujoco>{extra}<worldbody>{body}</worldbody></mujoco>"


def test_bodies_masses_and_motion_are_mujocos():
    scene = pegrasp.from_mjcf(PENDULUM, t_end=0.3)
    simulation = pegrasp.Simulation(scene, h=0.0005)
    batch = pegrasp.Batch(scene)
    assert simulation.bodies == ["world_geoms", "arm", "crate", "lid"]
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    row = batch.rows(1)[0]
    for k, body in enumerate(("arm", "crate", "lid"), 1):
        assert row[batch.column(f"{body}.mass")] == pytest.approx(model.body_mass[k])
    assert row[batch.column("world_geoms/arm.friction")] == 0.7
    simulation.run()
    model.opt.timestep = 0.0005
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    while data.time < 0.3 - 1e-9:
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(simulation.poses()[1, :3], data.xipos[1], atol=1e-5)
    turn = simulation.joint_coordinates()[simulation.joints.index("pin"), 1]
    assert turn == pytest.approx(data.qpos[0], abs=1e-5) and turn > 1.0
    np.testing.assert_allclose(simulation.poses()[2, :3], [2, 0, 0.05], atol=2e-4)


def test_what_would_be_lost_is_refused():
    box = "<geom type='box' size='0.1 0.1 0.1'/>"
    cases = {
        "ellipsoid": one("<geom name='egg' type='ellipsoid' size='0.1 0.1 0.2'/>"),
        "egg": one("<geom name='egg' type='ellipsoid' size='0.1 0.1 0.2'/>"),
        "stiffness": one(box, "<joint name='j' type='hinge' stiffness='3'/>"),
        "damping": one(box, "<joint name='j' type='hinge' damping='3'/>"),
        "2 joints": one(box, "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"),
        "actuators": one(box, "<joint name='j' type='hinge'/>").replace(
            "</mujoco>", "<actuator><motor joint='j'/></actuator></mujoco>"
        ),
        "equality": one(box).replace("</mujoco>", "<equality><weld body1='b'/></equality></mujoco>"),
        "friction": one(box + "<geom type='sphere' size='0.1' friction='0.2'/>"),
        "MJCF": "<mujoco><worldbody><nothing/></worldbody></mujoco>",
    }
    for words, text in cases.items():
        with pytest.raises(pegrasp.InputError, match=words):
            pegrasp.from_mjcf(text)


def test_names_pairs_and_meshes(tmp_path):
    points = " ".join(str(0.1 * v) for v in (-1, -1, -1, 1, -1, -1, 0, 1, -1, 0, 0, 2))
    text = one("<geom name='m' type='mesh' mesh='tip'/>", extra=f"<asset><mesh name='tip' vertex='{points}'/></asset>")
    simulation = pegrasp.Simulation(pegrasp.from_mjcf(text, t_end=0.1))
    simulation.run()
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    expected = data.xipos[1] - [0, 0, 9.81 * 0.1**2 / 2]
    np.testing.assert_allclose(simulation.poses()[0, :3], expected, atol=1e-6)
    pictures = one(
        "<geom type='box' size='0.1 0.1 0.1'/><geom type='ellipsoid' size='1 1 2' contype='0' conaffinity='0'/>"
    )
    assert len(pegrasp.from_mjcf(pictures).document["bodies"][0]["parts"]) == 1

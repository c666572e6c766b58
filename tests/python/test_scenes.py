# SPDX-License-Identifier: Apache-2.0
"""Scenes from Python, simulations and batches, against closed forms."""

import json

import numpy as np
import pytest
from conftest import EXAMPLES

import pegrasp
from pegrasp import scene as parts

G = 9.81


def falling(t_end=0.1):
    scene = pegrasp.Scene(3, t_end=t_end)
    scene.add_body("ball", parts.sphere(0.01), mass=0.2, position=(0, 0, 1), velocity=(0.3, 0, 0))
    return scene


def block_on_floor(mu=0.5, t_end=0.2, speed=0.0):
    scene = pegrasp.Scene(3, t_end=t_end)
    scene.add_body("floor", parts.half_space(), static=True)
    scene.add_body("block", parts.box((0.1, 0.1, 0.04)), mass=2.0, position=(0, 0, 0.02), velocity=(speed, 0, 0))
    scene.set_friction("floor", "block", mu)
    return scene


def test_a_ball_falls_as_it_must():
    simulation = pegrasp.Simulation(falling())
    seen = []
    assert simulation.run(callback=lambda s: seen.append((s.time, *s.poses()[0, :3]))) is False
    t, x, _, z = np.array(seen).T
    assert t[-1] == pytest.approx(0.1) and len(t) == 20
    np.testing.assert_allclose(x, 0.3 * t, atol=1e-12)
    np.testing.assert_allclose(z, 1 - G * t**2 / 2, atol=1e-9)
    np.testing.assert_allclose(simulation.velocities()[0], [0.3, 0, -G * 0.1, 0, 0, 0], atol=1e-9)
    assert simulation.bodies == ["ball"] and simulation.ended and not simulation.step()


def test_contacts_carry_the_weight():
    simulation = pegrasp.Simulation(block_on_floor())
    assert simulation.run(until=0.1) and simulation.time == pytest.approx(0.1)
    forces = simulation.contact_forces()
    assert len(forces) > 0
    # The solver stops at 1e-6 m/s: for 2 kg and steps of 5 ms that is 4e-4 N.
    np.testing.assert_allclose(forces.sum(axis=0), [0, 0, 2 * G], atol=4e-4)
    contacts = simulation.contacts()
    np.testing.assert_allclose(np.abs(contacts["normal"][:, 2]), 1.0, atol=1e-12)
    assert set(contacts["body_b"]) | set(contacts["body_a"]) == {0, 1}
    load = simulation.body_loads()
    assert load["normal_impulse"][1] / load["duration"][1] == pytest.approx(2 * G, abs=4e-4)
    assert simulation.outcome()["status"] == 0 and simulation.last_step()["status"] == 0
    assert set(simulation.energy()) == {"kinetic", "potential", "explained", "unexplained"}


def test_a_force_holds_and_pushes_a_body():
    simulation = pegrasp.Simulation(falling(t_end=0.2))
    simulation.set_force("ball", (0, 0, 0.2 * G, 0, 0, 0))
    assert simulation.run(until=0.1)
    np.testing.assert_allclose(simulation.poses()[0, :3], [0.03, 0, 1], atol=1e-12)
    simulation.set_force(0, np.array([0.4, 0, 0.2 * G, 0, 0, 0]))
    simulation.run()
    np.testing.assert_allclose(simulation.velocities()[0, :3], [0.3 + 2 * 0.1, 0, 0], atol=1e-12)
    for body, wrench, words in ((0, (1, 2, 3), "6 numbers, not 3"), (1, np.zeros(6), "no body 1"), ("b", (), "ball")):
        with pytest.raises(pegrasp.InputError, match=words):
            simulation.set_force(body, wrench)


def test_arrays_outlive_their_simulation():
    simulation = pegrasp.Simulation(block_on_floor())
    simulation.step()
    poses, contacts = simulation.poses(), simulation.contacts()
    before = poses.copy(), contacts.copy()
    del simulation
    pegrasp.Simulation(falling()).run()
    assert np.array_equal(poses, before[0]) and np.array_equal(contacts["impulse"], before[1]["impulse"])


def test_a_callback_stops_the_run():
    simulation = pegrasp.Simulation(falling())
    assert simulation.run(callback=lambda s: s.time < 0.02)
    assert simulation.time == pytest.approx(0.02)


def test_a_batch_slides_as_coulomb_says():
    batch = pegrasp.Batch(block_on_floor(speed=1.0, t_end=0.1), h=0.001)
    mu = np.linspace(0.1, 0.5, 5)
    rows = batch.rows(5)
    rows[:, batch.column("floor/block.friction")] = mu
    result = batch.run(rows)
    assert result.resolved.all() and result.poses.shape == (5, 2, 7)
    np.testing.assert_allclose(result.poses[:, 1, 0], 0.1 - mu * G * 0.1**2 / 2, rtol=2e-3)
    # Results of a row depend on that row alone, and are those of the simulation.
    assert np.array_equal(batch.run(rows[3:4]).poses[0], result.poses[3])
    single = pegrasp.Simulation(block_on_floor(speed=1.0, t_end=0.1), h=0.001, parameters=rows[3])
    single.run()
    assert np.array_equal(single.poses(), result.poses[3])


def test_a_batch_of_a_problem_has_its_parameters():
    batch = pegrasp.Batch(EXAMPLES / "gear" / "gear.toml", cell=0, sample=0)
    assert len(set(batch.parameter_names)) == len(batch.parameter_names) == batch.rows(1).shape[1]
    rows = batch.rows(2, gear__mass=[0.03, 0.06])
    assert rows[:, batch.column("gear.mass")].tolist() == [0.03, 0.06]
    report = pegrasp.run(EXAMPLES / "gear" / "gear.toml", cell=0, sample=0)
    outcome = batch.run(rows).outcomes[0]
    assert outcome["steps"] == report["steps"]
    with pytest.raises(pegrasp.InputError, match="did you mean gear.mass"):
        batch.column("gear.mas")
    with pytest.raises(ValueError, match="columns"):
        batch.run(rows[:, :-1])


@pytest.mark.parametrize("name", sorted(p.name for p in (EXAMPLES / "scenes").glob("*.json")))
def test_parameter_names_fit_every_example(name):
    scene = json.loads((EXAMPLES / "scenes" / name).read_text())
    batch = pegrasp.Batch(EXAMPLES / "scenes" / name, **({} if "t_end" in scene else {"t_end": 0.1}))
    row = batch.rows(1)[0]
    assert len(batch.parameter_names) == len(row)
    for body in batch.bodies:
        if f"{body}.qw" in batch.parameter_names:
            quaternion = [row[batch.column(f"{body}.q{k}")] for k in "wxyz"]
            assert np.linalg.norm(quaternion) == pytest.approx(1.0)


def test_input_is_not_copied_and_dlpack_is_taken():
    batch = pegrasp.Batch(falling())
    rows = batch.rows(3)

    class Foreign:  # as a tensor of another library
        def __dlpack__(self, **keys):
            return rows.__dlpack__(**keys)

        def __dlpack_device__(self):
            return rows.__dlpack_device__()

    assert np.array_equal(batch.run(Foreign()).poses, batch.run(rows).poses)
    for given in (rows, Foreign()):
        assert np.shares_memory(parts._numbers_of(given, 2), rows)
    assert np.array_equal(batch.run(np.asfortranarray(rows)).poses, batch.run(rows).poses)
    rows.flags.writeable = False
    assert np.array_equal(batch.run(rows).poses, batch.run(rows.tolist()).poses)


def test_results_go_on_by_dlpack_without_a_copy():
    batch = pegrasp.Batch(block_on_floor())
    result = batch.run(batch.rows(3))
    arrays = [result.poses, result.outcomes["time"], result.outcomes["status"], result.success]
    simulation = pegrasp.Simulation(block_on_floor())
    simulation.step()
    arrays += [simulation.poses(), simulation.velocities(), simulation.contacts()["point"], simulation.contact_forces()]
    for array in arrays:
        taken = np.from_dlpack(array)
        assert np.shares_memory(taken, array) and np.array_equal(taken, array)


def test_torch_takes_results_and_gives_parameters():
    torch = pytest.importorskip("torch")
    batch = pegrasp.Batch(block_on_floor())
    rows = torch.from_dlpack(batch.rows(3))
    result = batch.run(rows)
    poses = torch.from_dlpack(result.poses)
    poses[0, 0, 0] = 7.0
    assert result.poses[0, 0, 0] == 7.0
    assert np.array_equal(batch.run(rows.float()).poses[:, 1], batch.run(batch.rows(3).astype("f4")).poses[:, 1])
    with pytest.raises(pegrasp.InputError, match="DLPack: .*grad"):
        batch.run(rows.clone().requires_grad_())


class OnADevice:
    """A tensor in the memory of the second CUDA device. hands_out: a copy on the host, to who asks for one."""

    def __init__(self, array=None, hands_out=True):
        self.array, self.hands_out, self.asked = array, hands_out, []

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.asked.append(dl_device)
        if dl_device != (1, 0) or not self.hands_out:
            raise BufferError("cannot be copied\nto another device")
        copied = np.array(self.array)
        return copied.__dlpack__() if max_version is None else copied.__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return 2, 1


class OfAnOldLibrary(OnADevice):
    """It does not know the argument by which a device is asked for."""

    def __dlpack__(self, stream=None):
        raise AssertionError("is not asked in a way that it knows")


def test_what_lies_on_a_device_is_copied_once_by_its_library():
    batch = pegrasp.Batch(falling())
    rows = batch.rows(3, ball__z=[0.1, 0.2, 0.3])
    given = OnADevice(rows)
    assert np.array_equal(batch.run(given).poses, batch.run(rows).poses)
    assert given.asked == [(1, 0)]
    single = OnADevice(rows.astype("f4"))
    assert np.array_equal(batch.run(single).poses, batch.run(rows.astype("f4")).poses)
    one = pegrasp.Simulation(falling(), parameters=OnADevice(rows[0]))
    other = pegrasp.Simulation(falling(), parameters=rows[0])
    assert one.run() == other.run() and np.array_equal(one.poses(), other.poses())


def test_every_array_may_lie_on_a_device(tmp_path):
    corners = np.array(parts.box((0.1, 0.06, 0.04))["vertices"])
    assert parts.mesh(OnADevice(corners), hull=True) == parts.mesh(corners, hull=True)
    assert parts.mesh(OnADevice(corners), OnADevice(np.array([[0, 1, 2]])))["faces"] == [[0, 1, 2]]
    assert parts.box(OnADevice([1.0, 2.0, 3.0])) == parts.box((1, 2, 3))
    scenes = []
    for of in (OnADevice, np.array):
        scene = pegrasp.Scene(3, t_end=0.1)
        scene.add_body("body", parts.sphere(0.1), mass=1.0, position=of([0.0, 0.0, 1.0]))
        scene.add_body("hull", of(corners), mass=1.0)
        scenes.append(scene.to_json())
    assert scenes[0] == scenes[1]
    batch = pegrasp.Batch(falling())
    name = batch.parameter_names[0].replace(".", "__")
    values = np.array([1.0, 2.0])
    assert np.array_equal(batch.rows(2, **{name: OnADevice(values)}), batch.rows(2, **{name: values}))
    from pegrasp.commands import rows_file

    files = [rows_file({"body.puck.mass_kg": of(values)}, tmp_path / of.__name__) for of in (OnADevice, np.array)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_parameters_that_do_not_fit_are_refused_in_one_line():
    batch = pegrasp.Batch(falling())
    width = len(batch.parameter_names)
    cases = {
        "parameters: lie on device 1 .*no copy on the host .*cannot be copied": OnADevice(hands_out=False),
        "parameters: lie on device 1 .*no copy on the host .*dl_device": OfAnOldLibrary(),
        r"must have 2 dimension\(s\), not 1": batch.rows(1)[0],
        f"must have {width} columns, not 3": np.zeros((2, 3)),
        "are no array of numbers": [["a"] * width],
        "no array of numbers: .*inhomogeneous": [[1.0], [1.0, 2.0]],
    }
    for words, given in cases.items():
        with pytest.raises(pegrasp.InputError, match=words) as caught:
            batch.run(given)
        assert "\n" not in str(caught.value)
    with pytest.raises(pegrasp.InputError, match="device 1"):
        pegrasp.Simulation(falling(), parameters=OnADevice(hands_out=False))
    assert batch.run(np.zeros((0, width))).poses.shape == (0, 1, 7)


def test_a_batch_tells_how_far_it_is():
    batch = pegrasp.Batch(falling(t_end=0.01))
    rows = batch.rows(9000)
    told = []
    result = batch.run(rows, progress=lambda *x: told.append(x))
    assert told[-1] == (9000, 9000, "scenes")
    assert np.array_equal(result.poses, batch.run(rows, progress=False).poses) and result.resolved.all()


def test_a_simulation_tells_how_far_it_is():
    for callback in (None, lambda s: None):
        simulation, told = pegrasp.Simulation(falling(t_end=0.1), h=0.001), []
        assert simulation.run(until=0.04, callback=callback, progress=lambda *x: told.append(x))
        assert told[-1] == (40, 40, "steps")
        assert not simulation.run(callback=callback, progress=lambda *x: told.append(x)) and told[-1][:2] == (60, 60)
        again = pegrasp.Simulation(falling(t_end=0.1), h=0.001)
        again.run(progress=False)
        assert np.array_equal(again.poses(), simulation.poses())
    with pytest.raises(ZeroDivisionError):
        pegrasp.Simulation(falling()).run(progress=lambda *x: 1 / 0)


def test_a_mesh_is_the_box_that_it_describes():
    trimesh = pytest.importorskip("trimesh")
    poses = []
    for part in (parts.box((0.1, 0.06, 0.04)), trimesh.creation.box((0.1, 0.06, 0.04))):
        scene = pegrasp.Scene(3, t_end=0.1)
        scene.add_body("floor", parts.half_space(), static=True)
        scene.add_body("body", part, mass=1.0, position=(0, 0, 0.03), angular_velocity=(0, 1, 0))
        simulation = pegrasp.Simulation(scene)
        simulation.run()
        poses.append(simulation.poses()[1])
    np.testing.assert_allclose(poses[0], poses[1], atol=1e-9)


def test_planar_scenes_and_joints():
    scene = pegrasp.Scene(2, gravity=(0, -G), t_end=0.5)
    scene.add_body("rod", parts.rectangle((0.4, 0.02)), mass=1.0, inertia_diag=(0, 0, 0.4**2 / 12), position=(0.2, 0))
    scene.add_joint("revolute", None, "rod", anchor=[0, 0], name="pin")
    simulation = pegrasp.Simulation(scene, h=0.001)
    simulation.run()
    assert simulation.joints == ["pin"]
    turn = simulation.joint_coordinates()[0, 1]
    x, y, theta = simulation.poses()[0]
    assert turn == pytest.approx(theta) and np.hypot(x, y) == pytest.approx(0.2, abs=1e-6)
    inertia = 0.4**2 / 12 + 0.2**2  # about the pin; energy is kept
    omega = simulation.velocities()[0, 2]
    assert 0.5 * inertia * omega**2 == pytest.approx(-G * y, rel=2e-3)


def test_urdf_and_scene_files():
    scene = pegrasp.Scene(3, t_end=0.05)
    scene.add_urdf(EXAMPLES / "grippers" / "parallel_hand.urdf")
    assert len(pegrasp.Simulation(scene).bodies) >= 3
    loaded = pegrasp.Scene.load(EXAMPLES / "scenes" / "momentum.json")
    a, b = pegrasp.run(loaded), pegrasp.run(EXAMPLES / "scenes" / "momentum.json")
    assert a["steps"] == b["steps"]
    assert loaded.copy().document == loaded.document


def test_faults_name_their_place():
    scene = pegrasp.Scene(3, t_end=0.1, name="wrong")
    scene.add_body("ball", parts.sphere(-1.0), mass=1.0)
    with pytest.raises(pegrasp.InputError, match="wrong.json.*radius"):
        pegrasp.Simulation(scene)
    with pytest.raises(pegrasp.InputError, match="cell"):
        pegrasp.Simulation(EXAMPLES / "gear" / "gear.toml")
    with pytest.raises(ValueError, match="parameters: must have"):
        pegrasp.Simulation(falling(), parameters=[1.0])

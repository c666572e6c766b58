#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the same 2D scenes in pegrasp and in MuJoCo and compares time and overlap of a step, at several steps.

    bench/studies/engines/compare_mujoco_2d.py [--program build/pegrasp] [--scene FILE ...] [--h 1,4,16]
                                               [--warp DEVICE] [--worlds N] [--json FILE] [--update]

Needs the Python packages numpy and mujoco, which pegrasp does not install (pip install mujoco, in an environment of its
own). Scenes are peg-scene-1 files of planar bodies, each a convex polygon or several (`parts`).

--warp cuda:0 adds MuJoCo Warp (pip install mujoco-warp) with N copies of the scene at once; a time is that of a step of
one copy. On the device `cpu` this only shows that it works. If `pegrasp info` names a GPU, pegrasp also runs N copies
on the first GPU, by `pegrasp_bench --backend cuda` in the folder of the program. Compare rows of a GPU with each other,
not with those of one core. pegrasp_bench returns no states. The overlap of its rows is therefore that of the states on
the CPU, if a run of one copy on the GPU has exactly the same steps, contacts, iterations, largest residual and largest
overlap. Otherwise it is left out.

In MuJoCo a body is a prism (a box where possible), or one prism for each part, that slides in a plane (two slide
joints, one hinge) with the scene's mass, inertia, friction and gravity. It has contacts and friction off the plane too,
which a 2D scene does not need. Bodies that appear later are held aside until then. A time is the fastest of three runs
in which nothing else is done (MuJoCo Warp: of one run, without its first step). Contacts are the points of contact of a
step in the mean, and contact-steps/s those that an engine takes in a second; where an edge lies on another pegrasp has
two contacts and MuJoCo, in 3D, four. The setting `default` is MuJoCo's own
except for the step; `tuned` has contacts as stiff as the step allows (solref 2 h), solimp 0.99 to 0.999, elliptic
cones, impratio 10 and 100 Newton iterations to 1e-10. Overlap is measured by one rule for both, after every step: the
least distance [m] by which two polygons must be moved apart (separating axes)."""
import argparse
import functools
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import mujoco_settings

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import update_tables  # noqa: E402

HALF_THICKNESS = 0.5  # of a prism [m]: far more than any overlap, so that none is undone out of the plane
RUNS = 3  # of which the fastest counts
WARP_CONTACTS = 500  # capacity for each copy in MuJoCo Warp
ASIDE = 1000.0  # where bodies wait that are yet to appear [m]
DEPTHS = ("depth_max_m", "depth_p99_m", "depth_median_m")
# Numbers that are equal where the states are equal: their names in pegrasp run and in pegrasp_bench.
ALIKE = {"steps": "scene_steps", "contacts_mean": "contacts_mean", "iterations_mean": "iterations_per_solve",
         "residual_max": "residual_max_m_s",
         "depth_max_m": "penetration_max_m"}


class Scene:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        data = json.loads(self.path.read_text())
        if data.get("format") != "peg-scene-1" or data.get("dim") != 2:
            raise SystemExit(f"{path}: no planar peg-scene-1 file; give another --scene")
        self.bodies = data["bodies"]
        parts = [body.get("parts", [body]) for body in self.bodies]
        if any("vertices" not in part for body in parts for part in body):
            raise SystemExit(f"{path}: has bodies that are not polygons; give another --scene")
        self.gravity, self.t_end, self.name = data["gravity"], data["t_end"], data["name"]
        self.polygons = [[np.array(part["vertices"])[:, :2] for part in body] for body in parts]
        self.moving = [k for k, body in enumerate(self.bodies) if not body.get("static")]

    def pose(self, k):
        body = self.bodies[k]
        w, _, _, z = body["quaternion_wxyz"]
        return np.array([*body["position"][:2], 2.0 * math.atan2(z, w)])

    def velocity(self, k):
        body = self.bodies[k]
        return np.array([*body["velocity"][:2], body["angular_velocity"][2]])

    def appears(self, k):
        return self.bodies[k].get("drop_time", 0.0)

    def mjcf(self, h, tuned):
        """The scene as MuJoCo reads it."""
        contact = mujoco_settings.stiff_contact(h) if tuned else ""
        option = mujoco_settings.PRECISE_SOLVER if tuned else ""
        assets, bodies = [], []
        for k, body in enumerate(self.bodies):
            geom = ""
            for i, polygon in enumerate(self.polygons[k]):
                box = as_box(polygon)
                if box is None:
                    corners = " ".join(f"{x:.17g} {y:.17g} {z}" for x, y in polygon
                                       for z in (-HALF_THICKNESS, HALF_THICKNESS))
                    assets.append(f'<mesh name="m{k}_{i}" vertex="{corners}" inertia="convex"/>')
                    shape = f'type="mesh" mesh="m{k}_{i}"'
                else:
                    (cx, cy), (sx, sy) = box
                    shape = f'type="box" pos="{cx:.17g} {cy:.17g} 0" size="{sx:.17g} {sy:.17g} {HALF_THICKNESS}"'
                geom += f'<geom {shape} friction="{body["friction"]:.17g}" {contact}/>'
            x, y, angle = self.pose(k)
            if body.get("static"):
                bodies.append(f'<body pos="{x:.17g} {y:.17g} 0" euler="0 0 {angle:.17g}">{geom}</body>')
                continue
            inertia = body["inertia_diag"][2]
            bodies.append(
                f'<body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="hinge" '
                f'axis="0 0 1"/>'
                f'<inertial pos="0 0 0" mass="{body["mass"]:.17g}" diaginertia="{inertia:.17g} {inertia:.17g} '
                f'{inertia:.17g}"/>'
                f"{geom}</body>")
        return (f'<mujoco><compiler angle="radian"/><option timestep="{h:.17g}" gravity="{self.gravity[0]} '
                f'{self.gravity[1]} '
                f'{self.gravity[2]}" {option}/><size memory="64M"/><asset>{"".join(assets)}</asset>'
                f'<worldbody>{"".join(bodies)}</worldbody></mujoco>')


def as_box(polygon):
    """Centre and half sides of a polygon that is a rectangle along the axes; else None."""
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    corners = {(x, y) for x, y in polygon}
    if len(polygon) != 4 or corners != {(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])}:
        return None
    return (low + high) / 2, (high - low) / 2


def placed(polygon, pose):
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return polygon @ np.array([[c, s], [-s, c]]) + pose[:2]


def normals(polygon):
    """Outward, whichever way the corners go round."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    sign = np.sign(np.sum(polygon[:, 0] * np.roll(polygon[:, 1], -1) - np.roll(polygon[:, 0], -1) * polygon[:, 1]))
    out = sign * np.stack([edges[:, 1], -edges[:, 0]], axis=1)
    return out / np.linalg.norm(out, axis=1)[:, None]


def depth(a, b):
    """By how far two convex polygons overlap [m]; 0 where they do not."""
    least = math.inf
    for p, q in ((a, b), (b, a)):
        n = normals(p)
        least = min(least, np.min(np.max(p @ n.T, axis=0) - np.min(q @ n.T, axis=0)))
        if least <= 0.0:
            return 0.0
    return least


def largest_depth(scene, poses, there):
    """Over all pairs of present bodies of which one moves."""
    shapes = {k: [placed(polygon, poses[k]) for polygon in scene.polygons[k]] for k in there}
    low = {k: np.min([p.min(axis=0) for p in parts], axis=0) for k, parts in shapes.items()}
    high = {k: np.max([p.max(axis=0) for p in parts], axis=0) for k, parts in shapes.items()}
    moving = set(scene.moving)
    worst = 0.0
    for i in there:
        for j in there:
            if j <= i or (i not in moving and j not in moving):
                continue
            if np.any(low[i] >= high[j]) or np.any(low[j] >= high[i]):
                continue
            worst = max(worst, *(depth(p, q) for p in shapes[i] for q in shapes[j]))
    return worst


def summary(depths, seconds, steps, contacts):
    """`contacts`: in the mean over the steps."""
    depths = np.array(depths)
    us = 1e6 * seconds / steps
    return {"steps": steps, "us_a_step": us, "contacts": contacts, "contact_steps_per_s": 1e6 * contacts / us,
            "depth_max_m": float(depths.max()),
            "depth_p99_m": float(np.quantile(depths, 0.99)), "depth_median_m": float(np.median(depths))}


def report(words):
    """The report of pegrasp run. Exit code 1 means unresolved steps, which the report counts."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}")
    return json.loads(done.stdout)


def run_words(program, scene, h):
    return [str(program), "run", str(scene.path), "--h", repr(h), "--json"]


@functools.cache  # a row on a GPU asks for what a row on the CPU has asked for
def measure_pegrasp(program, scene, h):
    """The report of pegrasp run, and the largest depth after every step."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "states.csv"
        said = report(run_words(program, scene, h) + ["--trajectory", str(file)])
        table = np.genfromtxt(file, delimiter=",", names=True)
    depths = []
    start = {k: scene.pose(k) for k in range(len(scene.bodies))}
    for step in np.split(table, np.nonzero(np.diff(table["step"]))[0] + 1):
        poses = dict(start)
        for row in step:
            poses[int(row["body"])] = np.array([row["x"], row["y"], 2.0 * math.atan2(row["qz"], row["qw"])])
        # a body that has not appeared has no row
        depths.append(largest_depth(scene, poses, sorted(int(k) for k in step["body"])))
    return said, depths


def bench_of(program):
    return program.with_name("pegrasp_bench")


def bench_on_gpu(program, scene, h, copies):
    """The measurement of pegrasp_bench for a number of copies on a GPU. The bodies of several copies start a little
    apart."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "bench.json"
        words = [str(bench_of(program)), "--scene", str(scene.path), "--scenes", str(copies), "--h", repr(h),
                 "--backend", "cuda", "--no-phases",
                 "--repeat", str(RUNS), "--json", str(file)]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
        return json.loads(file.read_text())["benchmarks"][0]


def run_pegrasp(program, scene, h, copies=0):
    """One scene on a core; with `copies`, that many at once on a GPU, with the time of a step of one copy."""
    said, depths = measure_pegrasp(program, scene, h)
    if not copies:
        fastest = min((report(run_words(program, scene, h)) for _ in range(RUNS)), key=lambda r: r["wall_s"])
        return summary(depths, fastest["wall_s"], fastest["steps"], fastest["contacts_mean"]) | {
            "unresolved_steps": fastest["unresolved_steps"]}
    one, many = bench_on_gpu(program, scene, h, 1), bench_on_gpu(program, scene, h, copies)
    row = summary(depths, many["wall_min_s"] / copies, many["scene_steps"] // copies,
                  many["contacts_mean"])
    row |= {name: many[name] for name in ("unresolved_steps", "device", "shape")}
    row["other_than_on_cpu"] = [ours for ours, theirs in ALIKE.items() if said[ours] != one[theirs]]
    return row | dict.fromkeys(DEPTHS) if row["other_than_on_cpu"] else row


def why_no_gpu(program, info):
    """Why pegrasp has no row on a GPU; empty if it has one."""
    if not info["backends"]["cuda"]["available"]:
        return info["backends"]["cuda"]["detail"]
    return "" if shutil.which(bench_of(program)) else f"{bench_of(program)} is not there"


def simulate_mujoco(scene, h, tuned, measure):
    """One run: the seconds of its steps, its contacts in the mean, and what `measure` returns for the poses and the
    present bodies after every step."""
    import mujoco
    model = mujoco.MjModel.from_xml_string(scene.mjcf(h, tuned))
    data = mujoco.MjData(model)
    waiting = {k: 3 * i for i, k in enumerate(scene.moving)}
    place = dict(waiting)
    statics = {k: scene.pose(k) for k in range(len(scene.bodies)) if k not in place}
    measured, seconds, contacts = [], 0.0, 0
    for step in range(steps_of(scene, h)):
        for k, at in list(waiting.items()):
            if scene.appears(k) <= step * h + 1e-9:  # as in pegrasp
                data.qpos[at:at + 3], data.qvel[at:at + 3] = scene.pose(k), scene.velocity(k)
                del waiting[k]
            else:
                data.qpos[at:at + 3], data.qvel[at:at + 3] = (ASIDE * (1 + k), 0.0, 0.0), 0.0
        begin = time.perf_counter()
        mujoco.mj_step(model, data)
        seconds += time.perf_counter() - begin
        contacts += data.ncon
        if measure:
            poses = dict(statics) | {k: np.array(data.qpos[at:at + 3]) for k, at in place.items()}
            measured.append(measure(scene, poses, [k for k in sorted(poses) if k not in waiting]))
    return seconds, contacts / steps_of(scene, h), measured


def simulate_warp(scene, h, tuned, device, worlds):
    """One run of `worlds` copies on a device: the seconds of all steps, the contacts of a copy in the mean, and the
    largest depths of the first copy."""
    import mujoco
    import mujoco_warp as mjw
    import warp as wp
    with wp.ScopedDevice(device):
        host = mujoco.MjModel.from_xml_string(scene.mjcf(h, tuned))
        state = mujoco.MjData(host)
        model, data = mjw.put_model(host), mjw.put_data(host, state, nworld=worlds, nconmax=WARP_CONTACTS,
                                                        njmax=4 * WARP_CONTACTS)
        graph = None
        waiting = {k: 3 * i for i, k in enumerate(scene.moving)}
        place = dict(waiting)
        statics = {k: scene.pose(k) for k in range(len(scene.bodies)) if k not in place}
        depths, seconds, contacts = [], 0.0, 0
        for step in range(steps_of(scene, h)):
            if waiting:
                qpos, qvel = data.qpos.numpy(), data.qvel.numpy()
                for k, at in list(waiting.items()):
                    if scene.appears(k) <= step * h + 1e-9:
                        qpos[:, at:at + 3], qvel[:, at:at + 3] = scene.pose(k), scene.velocity(k)
                        del waiting[k]
                    else:
                        qpos[:, at:at + 3], qvel[:, at:at + 3] = (ASIDE * (1 + k), 0.0, 0.0), 0.0
                data.qpos.assign(qpos)
                data.qvel.assign(qvel)
            if step == 1 and wp.get_device().is_cuda:  # the first step has compiled and loaded everything
                with wp.ScopedCapture() as capture:
                    mjw.step(model, data)
                graph = capture.graph
            wp.synchronize()
            begin = time.perf_counter()
            if graph:
                wp.capture_launch(graph)
            else:
                mjw.step(model, data)
            wp.synchronize()
            seconds += (time.perf_counter() - begin) if step > 0 else 0.0
            contacts += int(data.nacon.numpy()[0])  # of all copies
            poses = dict(statics) | {k: data.qpos.numpy()[0, at:at + 3].astype(float) for k, at in place.items()}
            depths.append(largest_depth(scene, poses, [k for k in sorted(poses) if k not in waiting]))
    return seconds, contacts / worlds / steps_of(scene, h), depths


def run_warp(scene, h, tuned, device, worlds):
    seconds, contacts, depths = simulate_warp(scene, h, tuned, device, worlds)
    return summary(depths, seconds / worlds * len(depths) / max(1, len(depths) - 1), len(depths), contacts)


def steps_of(scene, h):
    return math.ceil(scene.t_end / h - 1e-9)


def run_mujoco(scene, h, tuned):
    seconds = min(simulate_mujoco(scene, h, tuned, None)[0] for _ in range(RUNS))
    _, contacts, depths = simulate_mujoco(scene, h, tuned, largest_depth)
    return summary(depths, seconds, steps_of(scene, h), contacts)


def name_of(row):
    unresolved, other = row.get("unresolved_steps"), row.get("other_than_on_cpu")
    return row["engine"] + (f", {unresolved} unresolved" if unresolved
                            else "") + (f", {' and '.join(other)} not as on the CPU" if other else "")


def table(rows):
    head = ["scene", ">h", "engine", ">µs a step", ">contacts", ">contact-steps/s", ">largest depth [m]",
            ">99 % [m]", ">median [m]"]
    return update_tables.table(head, [
        [r["scene"], f"{1e3 * r['h']:g} ms", name_of(r),
         f"{r['us_a_step']:{'.0f' if r['us_a_step'] >= 1.0 else '.2g'}}", f"{r['contacts']:.1f}",
         f"{r['contact_steps_per_s']:.2g}".replace("e+0", "e"),
         *("" if r[name] is None else f"{r[name]:.1e}" for name in DEPTHS)] for r in rows])


# How the rows of GPUs are made, beside them.
GPU_SETTINGS = ("pegrasp on a GPU: strict arithmetic in double precision; the bodies of its copies start up to 0.1 mm "
                "apart, a time is that of a whole batch with "
                "its transfers, and depths are those of the scene's states on the CPU, where a run of one copy on the "
                "GPU has the same residual, overlap, contacts and iterations.")
WARP_SETTINGS = ("MuJoCo Warp {version}: single precision, copies alike, which stay on the device; "
                 "depths are the first copy's.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/pegrasp")
    parser.add_argument("--scene", action="append", help="peg-scene-1 file (default: the box of polygons, the stack "
                                                         "and the gear squeezed by jaws)")
    parser.add_argument("--h", default="1,2,4,8,16", help="steps [ms], separated by commas")
    parser.add_argument("--warp", metavar="DEVICE", help="MuJoCo Warp too, on this device of Warp's (cuda:0, or cpu to "
                                                         "see whether it works), and pegrasp on its GPU")
    parser.add_argument("--worlds", type=int, default=1024, help="copies of a scene that a GPU steps at once")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file too")
    parser.add_argument("--update", action="store_true", help="put the table into bench/studies/engines/README.md")
    given = parser.parse_args()
    try:
        import mujoco
    except ImportError:
        raise SystemExit("the Python package mujoco is not there: pip install mujoco, in an environment of its own")
    scenes = [Scene(path) for path in given.scene or [ROOT / "examples/scenes" / f"{name}.json"
                                                      for name in ("polygon_box", "stack", "gear_squeeze")]]
    info = json.loads(subprocess.run([str(given.program), "info", "--json"], check=True, stdout=subprocess.PIPE,
                                     text=True).stdout)
    left_out = why_no_gpu(given.program, info) if given.warp else ""
    if left_out:
        print(f"pegrasp on a GPU is left out: {left_out}", file=sys.stderr)
    rows = []
    for scene in scenes:
        for h in (1e-3 * float(text) for text in given.h.split(",")):
            engines = [("pegrasp", lambda: run_pegrasp(given.program, scene, h)),
                       ("MuJoCo, default", lambda: run_mujoco(scene, h, False)),
                       ("MuJoCo, tuned", lambda: run_mujoco(scene, h, True))]
            if given.warp and not left_out:
                engines.append((f"pegrasp on {info['backends']['cuda']['detail']}, {given.worlds} copies",
                                lambda: run_pegrasp(given.program, scene, h, given.worlds)))
            if given.warp:
                name = f"MuJoCo Warp on {given.warp}, {given.worlds} copies"
                engines += [(f"{name}, default", lambda: run_warp(scene, h, False, given.warp, given.worlds)),
                            (f"{name}, tuned", lambda: run_warp(scene, h, True, given.warp, given.worlds))]
            for engine, run in engines:
                print(f"{scene.name}, {1e3 * h:g} ms, {engine} ...", file=sys.stderr, flush=True)
                rows.append({"scene": scene.name, "h": h, "engine": engine} | run())
    origin = (f"{info['backends']['cpu']['detail'].split(' of ')[-1]}, one thread "
              f"each{' but for GPUs' if given.warp else ''}; pegrasp {info['version']} {info['git']} "
              f"({info['compiler']} {info['build_type']}), MuJoCo {mujoco.__version__}.")
    if given.warp:
        from importlib.metadata import version
        origin += f" pegrasp on a GPU is left out: {left_out}." if left_out else f" {GPU_SETTINGS}"
        origin += f" {WARP_SETTINGS.format(version=version('mujoco-warp'))}"
    text = f"{table(rows)}\n\n{origin}"
    print(text)
    if given.update:
        update_tables.fill("mujoco", text)
    if given.json:
        lines = ",\n".join(json.dumps(row) for row in rows)
        given.json.write_text(f'{{"origin": {json.dumps(origin)},\n"rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()

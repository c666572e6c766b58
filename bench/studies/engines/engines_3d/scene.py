# SPDX-License-Identifier: Apache-2.0
"""A scene of poured bodies in 3D as every engine gets it, and its measurement. Both come from pegrasp_pose_overlap, so
that all engines start alike and are measured by one program."""
import json
import math
import pathlib
import subprocess
import tempfile
import time

import numpy as np

ROW = 9  # numbers: step, body, position, quaternion (w first)


class PouredScene:
    """The bodies of one seed or scene file, vertices about the centre of mass."""

    def __init__(self, program, what, friction):
        self.words = [str(program), *what, "--friction", repr(friction)]
        said = json.loads(subprocess.run(self.words + ["--bodies"], check=True, stdout=subprocess.PIPE,
                                         text=True).stdout)
        self.duration, self.gravity, self.bodies = said["duration_s"], said["gravity"], said["bodies"]
        self.fixed = [k for k, body in enumerate(self.bodies) if body["fixed"]]
        self.moving = [k for k, body in enumerate(self.bodies) if not body["fixed"]]  # in order of their appearance
        self.friction = friction

    def steps(self, h):
        return math.ceil(self.duration / h - 1e-9)

    def there(self, step, h):
        """Moving bodies that take part in a step. A body that has not appeared is in no engine's world."""
        return [k for k in self.moving if self.bodies[k]["drop_time"] <= step * h + 1e-9]

    def half_extents(self, k):
        """Half extents of a box about its middle; None for any other shape."""
        vertices = np.array(self.bodies[k]["vertices"])
        half = vertices.max(axis=0)
        return half if len(vertices) == 8 and np.array_equal(np.abs(vertices), np.tile(half, (8, 1))) else None

    def inertia(self, k):
        xx, yy, zz, xy, xz, yz = self.bodies[k]["inertia_xx_yy_zz_xy_xz_yz"]
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def check_start(self, rows, h):
        """Raises an error unless the first bodies begin where the scene has them: in the first step they only move and
        fall."""
        for k in self.there(0, h):
            body, row = self.bodies[k], rows[np.argmax(rows[:, 1] == k)]
            went = np.linalg.norm(row[2:5] - np.array(body["position"]) - h * np.array(body["velocity"]))
            turned = 1.0 - abs(np.dot(row[5:9], body["quaternion_wxyz"]))
            if not (went <= 1.001 * h * h * np.linalg.norm(self.gravity) + 1e-12 and turned <= 1e-12):
                raise RuntimeError(f"{body['name']} is not where it was put: {went} m, {turned} off after the first "
                                   f"step")

    def measure(self, rows, every=1):
        """Overlap, bodies that left and gaps at rest, as pegrasp_pose_overlap prints them."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "poses.f64"
            rows.tofile(file)
            done = subprocess.run(self.words + ["--poses", str(file), "--overlap-every", str(every)], check=True,
                                  stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)


class Recorder:
    """Rows of poses, and the processor time of the steps alone, of all threads."""

    def __init__(self, pour, h):
        counts = [len(pour.there(step, h)) for step in range(pour.steps(h))]
        self.rows = np.empty((sum(counts), ROW))
        self.used, self.seconds = 0, 0.0

    def timed(self, step):
        begin = time.process_time()
        step()
        self.seconds += time.process_time() - begin

    def add(self, step, bodies, positions, turns_wxyz):
        rows = self.rows[self.used:self.used + len(bodies)]
        rows[:, 0], rows[:, 1] = step, bodies
        rows[:, 2:5], rows[:, 5:9] = positions, turns_wxyz
        self.used += len(bodies)

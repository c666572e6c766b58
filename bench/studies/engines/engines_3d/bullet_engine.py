# SPDX-License-Identifier: Apache-2.0
"""Bullet, by pybullet, in double precision and without the server's own time. A body's frame has its principal axes
here, because Bullet has diagonal inertia; poses are turned back before they are measured."""
import importlib.metadata
import math

import numpy as np
import pybullet

NAME = "Bullet"


def version():
    return importlib.metadata.version("pybullet")


# maximal: rigid bodies, not multibodies of one link. margin [m]: of hulls, which it makes larger: that is another
# shape, and marked so
PRECISE = {"margin": 0.0, "erp": 0.8, "iterations": 200, "residual": 1e-12, "slop": 0.0, "split": True}
SETTINGS = {
    "default": {"margin": None, "other_shape": True, "sweep": True},
    "no margin": {"margin": 0.0},
    "no margin, rigid bodies": {"margin": 0.0, "maximal": True, "sweep": True},
    "tuned": PRECISE | {"sweep": True},
    "tuned, rigid bodies": PRECISE | {"maximal": True, "sweep": True},
    "tuned, rigid bodies, erp 0.2": PRECISE | {"maximal": True, "erp": 0.2},
    "tuned, rigid bodies, SAT": PRECISE | {"maximal": True, "sat": True},
    "tuned, rigid bodies, Dantzig": PRECISE | {"maximal": True, "solver": pybullet.CONSTRAINT_SOLVER_LCP_DANTZIG},
    "tuned, margin of 5 mm": PRECISE | {"margin": 5e-3, "other_shape": True},
}


def principal(inertia):
    """Moments, and the turn of the principal axes as a matrix and as a quaternion (x, y, z, w)."""
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    return moments, axes, quaternion_of(axes)


def quaternion_of(m):
    """(x, y, z, w) of a matrix, by its largest component."""
    w2, x2 = 1.0 + m[0, 0] + m[1, 1] + m[2, 2], 1.0 + m[0, 0] - m[1, 1] - m[2, 2]
    y2, z2 = 1.0 - m[0, 0] + m[1, 1] - m[2, 2], 1.0 - m[0, 0] - m[1, 1] + m[2, 2]
    columns = {
        w2: (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], w2),
        x2: (x2, m[1, 0] + m[0, 1], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]),
        y2: (m[1, 0] + m[0, 1], y2, m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]),
        z2: (m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], z2, m[1, 0] - m[0, 1]),
    }
    q = np.array(columns[max(columns)])
    return q / np.linalg.norm(q)


def product(a, b):
    """Of quaternions (x, y, z, w), or of rows of them: first b, then a."""
    ax, ay, az, aw = np.asarray(a).T
    bx, by, bz, bw = np.asarray(b).T
    return np.array([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                     aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]).T


class World:
    def __init__(self, pour, h, setting):
        self.pour, self.setting = pour, setting
        self.ids, self.back = {}, {}
        reset = pybullet.RESET_USE_DISCRETE_DYNAMICS_WORLD if setting.get("maximal") else 0
        pybullet.resetSimulation(reset)
        pybullet.setGravity(*pour.gravity)
        engine = {"fixedTimeStep": h, "numSubSteps": 0, "deterministicOverlappingPairs": 1}
        names = {"iterations": "numSolverIterations", "residual": "solverResidualThreshold", "erp": "erp",
                 "split": "useSplitImpulse", "sat": "enableSAT",
                 "solver": "constraintSolverType", "slop": "contactSlop", "breaking": "contactBreakingThreshold"}
        engine |= {names[key]: int(value) if isinstance(value, bool) else value for key, value in setting.items()
                   if key in names}
        if "erp" in setting:
            engine |= {"contactERP": setting["erp"], "splitImpulsePenetrationThreshold": 0.0}
        pybullet.setPhysicsEngineParameter(**engine)
        for k in pour.fixed:
            self.add(k)

    def add(self, k):
        body, setting = self.pour.bodies[k], self.setting
        half = self.pour.half_extents(k)
        moments, axes, turn = principal(self.pour.inertia(k)) if half is None else (None, np.eye(3),
                np.array([0.0, 0.0, 0.0, 1.0]))
        if half is None:
            flags = pybullet.URDF_INITIALIZE_SAT_FEATURES if setting.get("sat") else 0
            shape = pybullet.createCollisionShape(pybullet.GEOM_MESH,
                                                  vertices=(np.array(body["vertices"]) @ axes).tolist(), flags=flags)
        else:
            shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=half.tolist())
        w, x, y, z = body["quaternion_wxyz"]
        made = pybullet.createMultiBody(0.0 if body["fixed"] else body["mass"], shape, basePosition=body["position"],
                                        baseOrientation=product((x, y, z, w), turn).tolist(),
                                        useMaximalCoordinates=int(setting.get("maximal", False)))
        change = {"lateralFriction": math.sqrt(body["friction"]),  # of two bodies the product counts
                   "rollingFriction": 0.0, "spinningFriction": 0.0, "linearDamping": 0.0, "angularDamping": 0.0,
                  "restitution": 0.0}
        if setting["margin"] is not None and half is None:
            change["collisionMargin"] = setting["margin"]
        if not body["fixed"]:
            # without the mass a rigid body would lose its own
            change |= {"mass": body["mass"], "localInertiaDiagonal": moments.tolist()}
        pybullet.changeDynamics(made, -1, **change)
        if not body["fixed"]:
            pybullet.resetBaseVelocity(made, body["velocity"], body["angular_velocity"])
        self.ids[k], self.back[k] = made, np.array([-turn[0], -turn[1], -turn[2], turn[3]])

    def poses(self, bodies):
        said = [pybullet.getBasePositionAndOrientation(self.ids[k]) for k in bodies]
        turns = product([turn for _, turn in said], [self.back[k] for k in bodies])
        return [position for position, _ in said], turns[:, [3, 0, 1, 2]]


def run(pour, h, setting, record):
    client = pybullet.connect(pybullet.DIRECT)
    try:
        world = World(pour, h, setting)
        for step in range(pour.steps(h)):
            there = pour.there(step, h)
            for k in there:
                if k not in world.ids:
                    world.add(k)
            record.timed(pybullet.stepSimulation)
            record.add(step, there, *world.poses(there))
    finally:
        pybullet.disconnect(client)

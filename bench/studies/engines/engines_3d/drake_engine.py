# SPDX-License-Identifier: Apache-2.0
"""Drake, discrete. A body that appears makes a new plant, in which the others go on; building it is not timed."""
import importlib.metadata

import numpy as np
from pydrake.geometry import (AddCompliantHydroelasticProperties, AddContactMaterial, AddRigidHydroelasticProperties,
                              Box, Convex, ProximityProperties)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.common.eigen_geometry import Quaternion
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import (AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction,
                                     DiscreteContactApproximation)
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

NAME = "Drake"


def version():
    return importlib.metadata.version("drake")


# stiffness [N/m] and dissipation [s/m] of points; relaxation: damping time of contacts, in steps; modulus [Pa] of
# hydroelastic bodies
SETTINGS = {
    "default": {"sweep": True},
    "TAMSI, allowance 0.01 mm": {"approximation": "kTamsi", "allowance": 1e-5},
    "SAP": {"approximation": "kSap"},
    "SAP, stiff": {"approximation": "kSap", "stiffness": 1e9, "relaxation": 1.0},
    "lagged, stiff": {"approximation": "kLagged", "stiffness": 1e9, "dissipation": 10.0, "sweep": True},
    "hydroelastic": {"modulus": 1e7, "dissipation": 10.0, "sweep": True},
    "hydroelastic, stiff": {"modulus": 1e8, "dissipation": 10.0},
    "hydroelastic, stiff, SAP": {"approximation": "kSap", "modulus": 1e8, "relaxation": 1.0},
}


def properties(pour, k, h, setting):
    mu = pour.bodies[k]["friction"]
    made = ProximityProperties()
    AddContactMaterial(dissipation=setting.get("dissipation"), point_stiffness=setting.get("stiffness"),
                       friction=CoulombFriction(mu, mu), properties=made)
    if "relaxation" in setting:
        made.AddProperty("material", "relaxation_time", setting["relaxation"] * h)
    if "modulus" in setting:
        if pour.bodies[k]["fixed"]:
            AddRigidHydroelasticProperties(resolution_hint=1.0, properties=made)
        else:
            AddCompliantHydroelasticProperties(resolution_hint=1.0, hydroelastic_modulus=setting["modulus"],
                                               properties=made)
    return made


class World:
    def __init__(self, pour, moving, h, setting, before):
        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=h)
        plant = self.plant
        plant.mutable_gravity_field().set_gravity_vector(pour.gravity)
        plant.set_contact_model(ContactModel.kHydroelasticWithFallback if "modulus" in setting else ContactModel.kPoint)
        if "approximation" in setting:
            plant.set_discrete_contact_approximation(getattr(DiscreteContactApproximation, setting["approximation"]))
        self.bodies = {}
        for k in pour.fixed + moving:
            self.add(pour, k, h, setting)
        plant.Finalize()
        if "allowance" in setting:
            plant.set_penetration_allowance(setting["allowance"])
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        self.context = plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        for k in moving:
            pose, velocity = (before.state(k) if before is not None and k in before.bodies else start(pour.bodies[k]))
            plant.SetFreeBodyPose(self.context, self.bodies[k], pose)
            plant.SetFreeBodySpatialVelocity(self.context, self.bodies[k], velocity)
        self.simulator.Initialize()
        self.steps = 0

    def add(self, pour, k, h, setting):
        body, plant = pour.bodies[k], self.plant
        half = pour.half_extents(k)
        shape = Convex(np.array(body["vertices"]).T, body["name"]) if half is None else Box(*(2.0 * half))
        where, made = RigidTransform(), plant.world_body()
        if body["fixed"]:
            where = RigidTransform(Quaternion(body["quaternion_wxyz"]), body["position"])
        else:
            i = pour.inertia(k) / body["mass"]
            unit = UnitInertia(i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
            made = plant.AddRigidBody(body["name"], SpatialInertia(body["mass"], [0.0, 0.0, 0.0], unit))
            self.bodies[k] = made
        plant.RegisterCollisionGeometry(made, where, shape, body["name"], properties(pour, k, h, setting))

    def state(self, k):
        return self.plant.GetFreeBodyPose(self.context, self.bodies[k]), self.plant.EvalBodySpatialVelocityInWorld(
            self.context, self.bodies[k])

    def poses(self, moving):
        q = self.plant.GetPositions(self.context)
        first = np.array([self.bodies[k].floating_positions_start() for k in moving])
        return q[first[:, None] + [4, 5, 6]], q[first[:, None] + [0, 1, 2, 3]]

    def step(self, h):
        self.steps += 1
        self.simulator.AdvanceTo(self.steps * h)


def start(body):
    pose = RigidTransform(RotationMatrix(Quaternion(body["quaternion_wxyz"])), body["position"])
    return pose, SpatialVelocity(w=body["angular_velocity"], v=body["velocity"])


def run(pour, h, setting, record):
    moving, world = None, None
    for step in range(pour.steps(h)):
        there = pour.there(step, h)
        if there != moving:
            moving = there
            world = World(pour, moving, h, setting, world)
        record.timed(lambda: world.step(h))
        record.add(step, moving, *world.poses(moving))

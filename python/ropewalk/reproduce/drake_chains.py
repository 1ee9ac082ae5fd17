"""Drake's chain of rigid bodies with bushings: the second opinion on ours."""

import importlib
import math
import time
from typing import Any

import numpy as np

from ropewalk.reproduce.capsule_chain import LENGTH, RADIUS, beam_springs

EVERY = 0.05
"""s between tips."""


def swing(count: int, dt: float, duration: float) -> dict[str, Any]:
    """The cantilever of :func:`ropewalk.reproduce.capsule_chain.swing` in Drake: free bodies and `LinearBushingRollPitchYaw`."""
    plant_module: Any = importlib.import_module("pydrake.multibody.plant")
    tree: Any = importlib.import_module("pydrake.multibody.tree")
    turn: Any = importlib.import_module("pydrake.math")
    analysis: Any = importlib.import_module("pydrake.systems.analysis")
    length, springs = LENGTH / count, beam_springs(count, "rod")
    mass = 1000.0 * math.pi * RADIUS**2 * length
    across, along = RADIUS**2 / 4 + length**2 / 12, RADIUS**2 / 2
    plant = plant_module.MultibodyPlant(dt)
    pose, rotation = turn.RigidTransform, turn.RotationMatrix.MakeYRotation(0.5 * math.pi)
    inertia = tree.SpatialInertia(mass, [0.0, 0.0, 0.0], tree.UnitInertia(across, across, along))
    bodies = [plant.AddRigidBody(f"c{k}", inertia) for k in range(count)]

    def frame(name: str, parent: Any, place: Any) -> Any:
        return plant.AddFrame(tree.FixedOffsetFrame(name, parent, place))

    for k, body in enumerate(bodies):
        if k == 0:
            before, factor = frame("wall", plant.world_frame(), pose(rotation, [0.0, 0.0, 0.0])), 2.0
        else:
            before, factor = frame(f"end{k}", bodies[k - 1].body_frame(), pose([0.0, 0.0, 0.5 * length])), 1.0
        after = frame(f"start{k}", body.body_frame(), pose([0.0, 0.0, -0.5 * length]))
        moments = [factor * springs.bend, factor * springs.bend, factor * springs.twist]
        plant.AddForceElement(tree.LinearBushingRollPitchYaw(before, after, moments, [0.0] * 3, [factor * springs.translation] * 3, [0.0] * 3))
    plant.Finalize()
    simulator = analysis.Simulator(plant)
    context = simulator.get_mutable_context()
    for k, body in enumerate(bodies):
        plant.SetFreeBodyPose(context, body, pose(rotation, [length * (k + 0.5), 0.0, 0.0]))
    simulator.Initialize()
    tips, began = [np.array([LENGTH, 0.0, 0.0])], time.process_time()
    for k in range(1, round(duration / EVERY) + 1):
        simulator.AdvanceTo(EVERY * k)
        tips.append(plant.EvalBodyPoseInWorld(context, bodies[-1]).multiply(np.array([0.0, 0.0, 0.5 * length])))
    cpu = time.process_time() - began
    return {"tips": tips, "cpu_seconds": cpu, "ms_per_step": 1e3 * cpu * dt / duration}

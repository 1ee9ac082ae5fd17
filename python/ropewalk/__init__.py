"""Ropewalk: ropes, cables and soft filaments in frictional contact with one another and with robots.

SI units, radians, z up; tension is positive in pull; quaternions are ``quat_xyzw``; arrays are numpy float64.

- :class:`World`: a scene that steps, from a file or built up; :class:`Batch`: many of them side by side.
- :mod:`ropewalk.sections`, :mod:`ropewalk.curves`, :mod:`ropewalk.shapes`, :mod:`ropewalk.joints`,
  :mod:`ropewalk.functions`, :mod:`ropewalk.rotations`: what scenes are built from.
- :mod:`ropewalk.parameters`: what differs between the worlds of a batch.
- :func:`fit`: a real cable from marker tracks; :func:`evaluate_cable`: how well it predicts them.
- :mod:`ropewalk.topology`: which knot a rope is, how it is linked, how it winds.
- :mod:`ropewalk.gym`: environments for reinforcement learning; :func:`sweep`: many values of a scene, on many machines;
  :func:`record_dataset`: episodes as a data set.
- :mod:`ropewalk.inspect`: the building blocks of the simulator as functions of plain arrays.
"""

from ropewalk import curves, functions, inspect, joints, parameters, rotations, sections, shapes, topology
from ropewalk._core import RecordingError, SceneError, State, StepError, StepReport, __version__
from ropewalk._scenes import EmbeddedScene, embedded_scenes, scene_schema
from ropewalk.batch import Batch, BatchReport
from ropewalk.builder import Copies, KeyFrames, LinkSurface, Material, NaturalShape, Piece, RandomShape
from ropewalk.contacts import CONTACT_DTYPE, PATCH_DTYPE, POLYGON_DTYPE
from ropewalk.dataset import record_dataset
from ropewalk.fitting import (
    Cable,
    CableFit,
    Estimate,
    Evaluation,
    HeldOut,
    RunScore,
    StaticShapes,
    TorqueTwist,
    evaluate_cable,
    fit,
)
from ropewalk.functions import Motion
from ropewalk.handles import Actuator, Attachment, Body, Clamp, EndEffector, Modes, Reached, Robot, Rod
from ropewalk.measures import ClaimResult, Measure
from ropewalk.page import Page
from ropewalk.recording import Recorder, Recording, RodRecording
from ropewalk.rendering import Camera, Instance, write_film
from ropewalk.sweeping import Sweep, sweep
from ropewalk.views import BodyView, Energies, Pose, RobotView, RodView, Wrench
from ropewalk.world import Equilibrium, World

__all__ = [
    "CONTACT_DTYPE",
    "PATCH_DTYPE",
    "POLYGON_DTYPE",
    "Actuator",
    "Attachment",
    "Batch",
    "BatchReport",
    "Body",
    "BodyView",
    "Cable",
    "CableFit",
    "Camera",
    "ClaimResult",
    "Clamp",
    "Copies",
    "EmbeddedScene",
    "EndEffector",
    "Energies",
    "Equilibrium",
    "Estimate",
    "Evaluation",
    "HeldOut",
    "Instance",
    "KeyFrames",
    "LinkSurface",
    "Material",
    "Measure",
    "Modes",
    "Motion",
    "NaturalShape",
    "Page",
    "Piece",
    "Pose",
    "RandomShape",
    "Reached",
    "Recorder",
    "Recording",
    "RecordingError",
    "Robot",
    "RobotView",
    "Rod",
    "RodRecording",
    "RodView",
    "RunScore",
    "SceneError",
    "State",
    "StaticShapes",
    "StepError",
    "StepReport",
    "Sweep",
    "TorqueTwist",
    "World",
    "Wrench",
    "__version__",
    "curves",
    "embedded_scenes",
    "evaluate_cable",
    "fit",
    "functions",
    "inspect",
    "joints",
    "parameters",
    "record_dataset",
    "rotations",
    "scene_schema",
    "sections",
    "shapes",
    "sweep",
    "topology",
    "write_film",
]

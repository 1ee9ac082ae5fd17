"""The shoe below the laces of `shoelace` and `bow`, for the eye: nothing touches it."""

import numpy as np

from ropewalk import World, shapes
from ropewalk.rotations import Rpy

SOLE = [
    [-0.03, -0.135, 0.0006],
    [0.0, -0.15, 0.0006],
    [0.03, -0.135, 0.0006],
    [0.04, -0.06, 0.0006],
    [0.047, 0.02, 0.0012],
    [0.054, 0.09, 0.0012],
    [0.05, 0.135, 0.0012],
    [0.022, 0.168, 0.0012],
    [-0.012, 0.171, 0.0012],
    [-0.04, 0.148, 0.0012],
    [-0.051, 0.09, 0.0012],
    [-0.047, 0.02, 0.0012],
    [-0.04, -0.06, 0.0006],
    [0.0, -0.15, -0.01],
    [0.0, 0.17, -0.01],
]
THROAT = [
    [-0.041, -0.012, 0.0034],
    [0.041, -0.012, 0.0034],
    [0.048, 0.075, 0.0034],
    [-0.045, 0.075, 0.0034],
    [-0.043, -0.012, 0.0],
    [0.043, -0.012, 0.0],
    [0.05, 0.075, 0.0],
    [-0.047, 0.075, 0.0],
]
TOE = [
    [-0.045, 0.068, 0.0034],
    [0.048, 0.068, 0.0034],
    [-0.03, 0.085, 0.014],
    [0.034, 0.085, 0.014],
    [-0.022, 0.11, 0.019],
    [0.028, 0.11, 0.019],
    [-0.012, 0.135, 0.015],
    [0.018, 0.135, 0.015],
    [-0.046, 0.09, 0.0],
    [0.05, 0.09, 0.0],
    [-0.035, 0.143, 0.0],
    [0.045, 0.13, 0.0],
    [-0.012, 0.163, 0.0],
    [0.02, 0.161, 0.0],
]
# x, y and radius of the eyelets on one side, then on the other; y and length of the rows of lacing.
EYELETS = [(-0.03, -0.003, 5e-3), (0.03, -0.003, 5e-3), (-0.027, 0.04, 4e-3), (0.027, 0.04, 4e-3), (-0.024, 0.062, 4e-3), (0.024, 0.062, 4e-3)]
ROWS = [(0.04, 0.054), (0.062, 0.048)]
PARTS = ("shoe", "shoe_sole", "shoe_eyelets", "shoe_lacing")
LACE_COLOR = [0.9, 0.35, 0.13, 1.0]


def add_shoe(world: World) -> None:
    world.set_contact(exclude=[[part, other] for part in PARTS for other in ("lace", "left", "right")])
    world.add_body("shoe_sole", shapes.Convex(vertices=SOLE), motion="fixed", color=[0.94, 0.93, 0.9, 1.0])
    upper = [shapes.Placed(shapes.Convex(vertices=part)) for part in (THROAT, TOE)]
    world.add_body("shoe", shapes=upper, motion="fixed", color=[0.16, 0.29, 0.5, 1.0])
    eyelets = [shapes.Placed(shapes.Cylinder(radius=r, length=8e-4), position=[x, y, 0.0037]) for x, y, r in EYELETS]
    world.add_body("shoe_eyelets", shapes=eyelets, motion="fixed", color=[0.82, 0.68, 0.36, 1.0])
    across = Rpy([0.0, np.pi / 2, 0.0])
    lacing = [
        shapes.Placed(shapes.Capsule(radius=2e-3, length=length), position=[0.0, y, 0.005], rotation=across) for y, length in ROWS
    ]
    world.add_body("shoe_lacing", shapes=lacing, motion="fixed", color=LACE_COLOR)

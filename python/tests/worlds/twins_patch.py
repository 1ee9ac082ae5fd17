"""Embedded scenes with contact in patches of pressure fields, built up in Python."""

from collections.abc import Callable

import numpy as np
from twins_shoe import LACE_COLOR, add_shoe

from ropewalk import Material, World, curves, joints, sections, shapes
from ropewalk.functions import Motion, Ramp, Table
from ropewalk.rotations import Rpy

ACROSS = Rpy([np.pi / 2, 0.0, 0.0])
AXLE = joints.Revolute(axis=[0.0, 1.0, 0.0])
RUBBER = Material(
    youngs_modulus=6.2e5,
    poisson_ratio=0.4999,
    density=1155.0,
    friction=0.6,
    contact="patch",
    pressure_modulus=1e5,
)


def _roller(world: World, name: str, shape: shapes.Shape, x: float) -> None:
    rolled = [shapes.Placed(shape, rotation=ACROSS)]
    world.add_body(name, shapes=rolled, density=1000.0, position=[x, 0.0, 0.0], joint=AXLE, friction=0.2)


def _belt(world: World, width: float, y: float, radius: float, factor: float, twist_factor: float | None) -> None:
    world.set_contact(exclude=[("belt", "belt")])
    world.add_material("rubber", RUBBER)
    world.add_rod(
        "belt",
        curves.Stadium(centers=[[0.0, y, 0.0], [0.14608, y, 0.0]], normal=[0.0, 1.0, 0.0], radius=radius),
        material="rubber",
        section=sections.Rectangle(width=width, height=2e-3),
        segments=50,
        director=[0.0, 1.0, 0.0],
        rest_length_factor=factor,
        mass_damping=1.1,
        twist_factor=twist_factor,
    )


def _motor(world: World, body: str, angle: float) -> None:
    turning = Ramp(times=[0.0, 1000.0], values=[0.0, angle])
    world.add_actuator("motor", "position", turning, body=body, position_gain=10.0, velocity_gain=1.0)


def crowned_pulley() -> World:
    world = World(dt=3e-3, duration=3.0)
    # Height and radius, from the middle outwards.
    half = [(6.7e-3, 29.93e-3), (13.4e-3, 29.71e-3), (20.1e-3, 29.34e-3)]
    half += [(26.8e-3, 28.79e-3), (33.4e-3, 28.03e-3), (40.0e-3, 27.00e-3)]
    profile = [(-z, r) for z, r in reversed(half)] + [(0.0, 30.00e-3)] + half
    _roller(world, "crowned", shapes.Turned(profile), 0.0)
    _roller(world, "plain", shapes.Cylinder(0.03, 0.08), 0.14608)
    _belt(world, 0.02, 0.02, 0.031, 0.95, None)
    _motor(world, "crowned", 1000.0 * np.pi)
    return world


def conveyor() -> World:
    world = World(duration=5.0)
    _roller(world, "driver", shapes.Cylinder(0.03, 0.08), 0.0)
    _roller(world, "idler", shapes.Cylinder(0.03, 0.08), 0.14608)
    cube = shapes.Box([0.03, 0.03, 0.03])
    turned = Rpy([0.0, 0.0, 0.2])
    world.add_body("box", cube, density=500.0, position=[0.12, 0.0, 0.06], rotation=turned, friction=0.1)
    bar = [shapes.Placed(shapes.Cylinder(3e-3, 0.1), rotation=ACROSS)]
    world.add_body("bar", shapes=bar, position=[0.0, 0.0, 0.04], motion="fixed")
    _belt(world, 0.06, 0.0, 0.031387, 0.94528, 36.0)
    _motor(world, "driver", -1000.0 * np.pi)
    return world


def pinch() -> World:
    world = World(duration=2.0)
    lace = world.add_rod(
        "lace",
        curves.Line([-0.06, 0.0, 0.0], [0.06, 0.0, 0.0]),
        material=Material(
            youngs_modulus=2e6, poisson_ratio=0.4, density=700.0, contact="patch", pressure_modulus=5e5
        ),
        section=sections.Rectangle(width=6e-3, height=1.2e-3),
        director=[0.0, 0.0, 1.0],
        segments=30,
        stretch_factor=20.0,
        mass_damping=5.0,
    )
    for end in ("start", "end"):
        world.add_attachment(end, "ball", lace, "world", at=end, until=0.45)
    pull = Ramp(times=[0.6, 1.0], values=[0.0, 1.0], interpolation="smooth")
    world.add_load("pull", lace, point={"at": "end", "force": [2.0, 0.0, 0.0]}, scale=pull)
    fingers = {}
    for name, side in (("left", 1.0), ("right", -1.0)):
        fingers[name] = world.add_body(
            f"finger_{name}",
            shapes.Box([0.02, 0.012, 0.06]),
            mass=0.0389,
            position=[0.0, side * 0.0069, 0.0],
            joint=joints.Prismatic(axis=[0.0, side, 0.0], damping=200.0),
        )
    closing = Ramp(times=[0.0, 0.4], values=[0.0, -4.0], interpolation="smooth")
    for name, finger in fingers.items():
        world.add_actuator(name, "force", closing, body=finger)
    return world


def soft_finger() -> World:
    world = World(duration=1.2)
    world.add_rod(
        "cable",
        curves.Line([-0.06, 0.0, 0.002], [0.06, 0.0, 0.002]),
        section=sections.Stiffness(stretch=2e4, bend=[4e-4, 4e-4], twist=4e-4, line_density=0.025, radius=2e-3),
        segments=24,
        mass_damping=20.0,
        contact="patch",
        pressure_modulus=2e6,
        patch_resolution=2.5e-4,
    )
    world.add_body("table", shapes.HalfSpace(), motion="fixed")
    down = Ramp(times=[0.0, 1.1], values=[0.0, -0.0011])
    world.add_body(
        "finger",
        shapes.Box([0.06, 0.02, 0.01]),
        pressure_modulus=1e5,
        friction=0.0,
        position=[0.0, 0.0, 0.0091],
        motion=Motion(translation=[0.0, 0.0, down]),
    )
    return world


# Times, positions and yaw of the left hand: takes one half of the lace, lays it over the other, waits, takes that, pulls.
LEFT_PATH = [
    (0.0, -0.2, -0.35, 0.07, 1.5708),
    (0.6, -0.1207, -0.401, 0.07, 1.5708),
    (0.95, -0.1207, -0.401, 0.0143, 1.5708),
    (1.1, -0.1207, -0.401, 0.0103, 1.5708),
    (1.35, -0.1207, -0.401, 0.0103, 1.5708),
    (1.7, -0.1207, -0.401, 0.06, 1.5708),
    (2.3, 0.0, -0.34, 0.06, 3.1416),
    (2.9, 0.1, -0.27, 0.06, 4.7124),
    (3.3, 0.095, -0.18, 0.04, 4.7124),
    (3.5, 0.09, -0.16, 0.025, 4.7124),
    (3.7, 0.09, -0.16, 0.0143, 4.7124),
    (3.85, 0.09, -0.16, 0.0103, 4.7124),
    (4.05, 0.09, -0.16, 0.0103, 4.7124),
    (4.35, 0.09, -0.16, 0.07, 4.7124),
    (5.45, -0.15, -0.3, 0.15, 3.1416),
    (9.1, -0.15, -0.3, 0.15, 3.1416),
    (9.7, 0.083, -0.325, 0.07, 1.5708),
    (10.05, 0.083, -0.325, 0.0143, 1.5708),
    (10.2, 0.083, -0.325, 0.0103, 1.5708),
    (10.45, 0.083, -0.325, 0.0103, 1.5708),
    (10.75, 0.083, -0.325, 0.04, 1.5708),
    (11.45, -0.05, -0.2, 0.04, 0.0),
    (12.65, -0.25, -0.12, 0.03, 0.0),
    (13.85, -0.33, 0.02, 0.03, 0.8),
    (14.15, -0.33, 0.02, 0.03, 0.8),
    (14.45, -0.33, 0.02, 0.03, 0.8),
    (14.85, -0.33, 0.02, 0.12, 0.8),
]
# Of the right hand: lays a bight of the other half over the end, takes the end through it, pulls.
RIGHT_PATH = [
    (0.0, 0.28, -0.25, 0.15, 1.5708),
    (4.55, 0.28, -0.25, 0.15, 1.5708),
    (5.15, 0.0555, -0.18, 0.07, 1.5708),
    (5.5, 0.0555, -0.18, 0.0143, 1.5708),
    (5.65, 0.0555, -0.18, 0.0103, 1.5708),
    (5.9, 0.0555, -0.18, 0.0103, 1.5708),
    (6.2, 0.08, -0.155, 0.05, 1.5708),
    (6.8, 0.15, -0.105, 0.05, 1.5708),
    (7.1, 0.15, -0.105, 0.0143, 1.5708),
    (7.25, 0.15, -0.105, 0.0103, 1.5708),
    (7.45, 0.15, -0.105, 0.0103, 1.5708),
    (7.75, 0.15, -0.105, 0.07, 1.5708),
    (8.35, 0.098, -0.142, 0.07, 2.0),
    (8.7, 0.098, -0.142, 0.0143, 2.0),
    (8.85, 0.098, -0.142, 0.0103, 2.0),
    (9.1, 0.098, -0.142, 0.0103, 2.0),
    (9.4, 0.098, -0.142, 0.06, 2.0),
    (9.9, 0.16, -0.08, 0.06, 0.7854),
    (10.3, 0.22, -0.08, 0.04, 0.0),
    (11.45, 0.22, -0.08, 0.04, 0.0),
    (12.65, 0.27, -0.12, 0.03, 0.0),
    (13.85, 0.4, 0.0, 0.03, 0.0),
    (14.15, 0.4, 0.0, 0.03, 0.0),
    (14.45, 0.4, 0.0, 0.03, 0.0),
    (14.85, 0.4, 0.0, 0.12, 0.0),
]
# When the fingers close and open, by turns.
GRIPS = {"left": [1.1, 1.35, 3.85, 4.05, 10.2, 10.45, 14.15, 14.45], "right": [5.65, 5.9, 7.25, 7.45, 8.85, 9.1, 14.15, 14.45]}
LACE = [
    [-0.13, -0.44, 0.002],
    [-0.12, -0.398, 0.002],
    [-0.11, -0.356, 0.002],
    [-0.1, -0.314, 0.002],
    [-0.09, -0.272, 0.002],
    [-0.08, -0.23, 0.002],
    [-0.07, -0.188, 0.002],
    [-0.06, -0.146, 0.002],
    [-0.05, -0.104, 0.002],
    [-0.04, -0.062, 0.0023],
    [-0.03, -0.02, 0.006],
    [-0.03, 0.0, 0.006],
    [-0.0212, 0.0212, 0.006],
    [-0.0, 0.03, 0.006],
    [0.0212, 0.0212, 0.006],
    [0.03, 0.0, 0.006],
    [0.03, -0.02, 0.006],
    [0.037, -0.064, 0.0023],
    [0.044, -0.108, 0.002],
    [0.051, -0.152, 0.002],
    [0.058, -0.196, 0.002],
    [0.065, -0.24, 0.002],
    [0.072, -0.284, 0.002],
    [0.079, -0.328, 0.002],
    [0.086, -0.372, 0.002],
    [0.093, -0.416, 0.002],
    [0.1, -0.46, 0.002],
]
ARM_JOINTS = ["shoulder_yaw", "shoulder_pitch", "arm_roll", "elbow", "forearm_roll", "wrist_pitch", "wrist_roll"]


def shoelace() -> World:
    world = World(dt=2e-3, duration=18.2)
    lace = world.add_rod(
        "lace",
        curves.Spline(LACE),
        material=Material(
            youngs_modulus=1e5,
            poisson_ratio=0.4,
            density=700.0,
            friction=0.5,
            contact="patch",
            pressure_modulus=2e5,
        ),
        section=sections.Circle(2e-3),
        segments=200,
        stretch_factor=200.0,
        mass_damping=3.0,
        color=LACE_COLOR,
    )
    world.add_clamp("eyelet_left", lace, {"arclength": 0.4519})
    world.add_clamp("eyelet_right", lace, {"arclength": 0.5461})
    world.add_body("table", shapes.HalfSpace(), motion="fixed", friction=0.5)
    add_shoe(world)
    arms = {}
    for name, x, rotation in (("left", -0.46, None), ("right", 0.58, Rpy([0.0, 0.0, np.pi]))):
        arms[name] = world.add_robot(
            name,
            "robot:arm7_gripper",
            position=[x, -0.3, 0.0],
            rotation=rotation,
            joints={"shoulder_pitch": 0.4, "elbow": 1.6, "wrist_pitch": 1.1, "grip": 0.009},
            gravity_compensation=True,
            friction=1.0,
        )
    for name, arm in arms.items():
        world.add_control(name, arm, joints=ARM_JOINTS, position_gain=1e4, velocity_gain=300.0)
    for name, path in (("left", LEFT_PATH), ("right", RIGHT_PATH)):
        world.add_hand(
            name,
            arms[name],
            "hand",
            times=[t for t, _, _, _, _ in path],
            positions=[(x, y, z) for _, x, y, z, _ in path],
            rotations=[Rpy([3.1415926536, 0.0, yaw]) for _, _, _, _, yaw in path],
        )
        # Open at first; then shut and open by turns.
        grip = Table(
            times=[0.0, *GRIPS[name]],
            values=[0.009, *[0.009, -0.003, -0.003, 0.009] * 2],
            interpolation="smooth",
        )
        world.add_actuator(
            f"{name}_grip",
            "position",
            grip,
            robot=arms[name],
            joint="grip",
            position_gain=5e3,
            velocity_gain=50.0,
            effort_limit=5.0,
        )
    pull = Table(times=[14.85, 15.35, 15.85], values=[0.0, 0.1, 1.0], interpolation="smooth")
    world.add_load("pull_a", lace, point={"at": "start", "force": [1.0, 0.0, 0.0]}, scale=pull)
    world.add_load("pull_b", lace, point={"at": "end", "force": [-1.0, 0.0, 0.0]}, scale=pull)
    return world


TWINS: dict[str, Callable[[], World]] = {
    twin.__name__: twin for twin in (crowned_pulley, conveyor, pinch, soft_finger, shoelace)
}

"""Three embedded scenes, built up in Python: together they go through every kind of thing that a world has.

``capstan``: a rod, a load, a driven clamp, a fixed body, pairs without contact. ``two_arms``: robots, controllers, end
effectors on paths, attachments. ``pinch``: patches, joints, actuators, functions of time.
"""

from collections.abc import Callable

import numpy as np

from ropewalk import Material, World, curves, joints, sections, shapes
from ropewalk.functions import Motion, Ramp
from ropewalk.rotations import Rpy

NO_GRAVITY = (0.0, 0.0, 0.0)


def capstan() -> World:
    world = World(dt=1e-3, duration=0.6, gravity=NO_GRAVITY)
    world.set_contact(exclude=[("rope", "rope")])
    world.add_body("post", shapes.Cylinder(0.03, 0.03), density=1000.0, motion="fixed", friction=0.2)
    arc = curves.Arc(
        start=[0.03102, 0.0, 0.0],
        tangent=[0.0, 1.0, 0.0],
        toward=[-1.0, 0.0, 0.0],
        radius=0.03102,
        angle=np.pi,
        tails=[0.0292, 0.0292],
    )
    section = sections.Stiffness(
        stretch=31.4, bend=[7.85e-8, 7.85e-8], twist=5.24e-8, line_density=3.14e-3, radius=1e-3
    )
    rope = world.add_rod("rope", arc, section=section, segments=64, mass_damping=1.0, friction=0.2)
    world.add_load("pull", rope, point={"at": "start", "force": [0.0, -0.01, 0.0]})
    drag = Motion(translation=[0.0, Ramp(times=[0.0, 10.0], values=[0.0, -0.1]), 0.0])
    world.add_clamp("drag", rope, "end", hold="position", motion=drag)
    return world


def two_arms() -> World:
    world = World(duration=5.0)
    bent = {"shoulder_pitch": 0.4, "elbow": 1.2, "wrist_pitch": 0.4}
    urdf = "robot:arm7_gripper"
    left = world.add_robot("left", urdf, position=[-0.85, 0.0, 0.0], joints=bent, gravity_compensation=True)
    right = world.add_robot(
        "right",
        urdf,
        position=[0.85, 0.0, 0.0],
        rotation=Rpy([0.0, 0.0, np.pi]),
        joints=bent,
        gravity_compensation=True,
    )
    paths = {
        left: (
            [[-0.25, 0.0, 0.45], [-0.28, 0.1, 0.55], [-0.3, -0.1, 0.65], [-0.25, 0.0, 0.62]],
            [0.0, 0.2, -0.2, 0.0],
        ),
        right: (
            [[0.25, 0.0, 0.45], [0.28, 0.1, 0.5], [0.3, -0.1, 0.6], [0.25, 0.0, 0.57]],
            [3.14159, 2.94159, 3.34159, 3.14159],
        ),
    }
    for arm, (positions, yaws) in paths.items():
        world.add_control(arm.name, arm, position_gain=1e4, velocity_gain=300.0)
        world.add_end_effector(
            arm.name,
            arm,
            "hand",
            times=[0.0, 0.8, 1.6, 2.4],
            positions=positions,
            rotations=[Rpy([0.0, 2.0, yaw]) for yaw in yaws],
            interpolation="spline",
        )
    cable = world.add_rod(
        "cable",
        curves.Arc([-0.25, 0.0, 0.45], [0.416, 0.0, -0.909], [0.909, 0.0, 0.416], radius=0.275, angle=2.283),
        section=sections.Stiffness(stretch=2e3, bend=[2e-6, 2e-6], twist=2e-6, line_density=0.03, radius=2e-3),
        segments=100,
        clamped_half_edge="both",
        mass_damping=3.0,
    )
    world.add_attachment("left", "clamp", cable, {"robot": left, "link": "hand"}, at="start")
    world.add_attachment("right", "clamp", cable, {"robot": right, "link": "hand"}, at="end")
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


TWINS: dict[str, Callable[[], World]] = {"capstan": capstan, "two_arms": two_arms, "pinch": pinch}

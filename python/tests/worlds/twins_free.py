"""Embedded scenes without contact, built up in Python."""

from collections.abc import Callable

import numpy as np

from ropewalk import Material, NaturalShape, World, curves, joints, sections, shapes
from ropewalk.functions import Motion, Ramp, Sine, Table
from ropewalk.rotations import Rpy

RUBBER = Material(youngs_modulus=1e7, poisson_ratio=0.5, density=1000.0)
NO_GRAVITY = (0.0, 0.0, 0.0)


def cantilever() -> World:
    world = World(dt=1e-3, duration=3.0)
    line = curves.Line([0.0, 0.0, 0.0], [0.3, 0.0, 0.0])
    section = sections.Circle(5e-3)
    beam = world.add_rod(
        "beam", line, material=RUBBER, section=section, segments=100, clamped_half_edge="start", mass_damping=10.0
    )
    world.add_clamp("wall", beam, "start")
    return world


def hanging_rope() -> World:
    world = World(dt=1e-3, duration=2.0)
    line = curves.Line(np.zeros(3), np.sqrt(0.5) * np.array([1.0, 0.0, -1.0]))
    rope = world.add_rod("rope", line, material=RUBBER, section=sections.Circle(2.5e-3), segments=299)
    world.add_clamp("pin", rope, "start", hold="position")
    return world


def helix() -> World:
    world = World(dt=1e-3, duration=6.0)
    nylon = Material(youngs_modulus=2.8e9, poisson_ratio=0.4, density=1100.0)
    spring = world.add_rod(
        "spring",
        curves.Helix(axis=[0.0, 0.0, -1.0], radius=0.03, pitch=0.01, turns=5.0),
        material=nylon,
        section=sections.Circle(1e-3),
        segments=200,
        clamped_half_edge="start",
        rest="as_given",
        mass_damping=6.0,
    )
    world.add_clamp("top", spring, "start")
    return world


def twisted_ring() -> World:
    world = World(dt=1e-3, duration=0.4, gravity=NO_GRAVITY)
    for name, x, turns in (("below", 0.0, 2), ("above", 0.3, 3)):
        ring = world.add_rod(
            name,
            curves.Circle(0.1, center=[x, 0.0, 0.0]),
            material=RUBBER,
            section=sections.Circle(3e-3),
            segments=100,
            turns=turns,
            mass_damping=1.0,
        )
        tap = Table(times=[0.0, 0.05, 0.1], values=[0.0, 1.0, 0.0])
        world.add_load(f"tap_{name}", ring, point={"at": "start", "force": [0.0, 0.0, 1e-3]}, scale=tap)
    return world


def buckling_column() -> World:
    world = World(dt=1e-3, duration=5.0, gravity=NO_GRAVITY)
    column = world.add_rod(
        "column",
        curves.Line([0.0, 0.0, 0.0], [0.0, 0.0, 0.3]),
        material=Material(youngs_modulus=1e8, poisson_ratio=0.5, density=1000.0),
        section=sections.Circle(3e-3),
        segments=100,
        clamped_half_edge="start",
        mass_damping=10.0,
    )
    world.add_clamp("foot", column, "start")
    world.add_load("weight", column, point={"at": "end", "force": [0.0, 0.0, -0.2009]})
    nudge = Table(times=[0.0, 0.4, 0.5], values=[1.0, 1.0, 0.0])
    world.add_load("nudge", column, point={"at": "end", "force": [5e-3, 0.0, 0.0]}, scale=nudge)
    return world


def flexible_shaft() -> World:
    world = World(dt=1e-3, duration=1.5, gravity=NO_GRAVITY)
    shaft = world.add_rod(
        "shaft",
        curves.Line([0.0, 0.0, 0.0], [0.3, 0.0, 0.0]),
        material=RUBBER,
        section=sections.Rectangle(width=12e-3, height=2e-3),
        segments=60,
        clamped_half_edge="both",
        director=[0.0, 1.0, 0.0],
        mass_damping=20.0,
    )
    world.add_clamp("fixed", shaft, "start")
    quarter = Ramp(times=[0.0, 0.5], values=[0.0, np.pi / 2], interpolation="smooth")
    world.add_clamp("turned", shaft, "end", motion=Motion(axis=[1.0, 0.0, 0.0], angle=quarter))
    return world


def loop() -> World:
    world = World(dt=1e-3, duration=3.0, gravity=NO_GRAVITY)
    quarter = np.array([[0.14, 0.0], [0.1, 0.036], [0.0, 0.05], [-0.1, 0.036]])
    points = np.column_stack([np.vstack([quarter, -quarter]), np.zeros(8)])
    world.add_rod(
        "loop",
        curves.Spline(points),
        material=RUBBER,
        section=sections.Circle(3e-3),
        closed=True,
        segments=100,
        rest=NaturalShape(curvature1=10.0),
        director=[-1.0, 0.0, 0.0],
        mass_damping=10.0,
    )
    return world


def ramped_curvature() -> World:
    world = World(dt=1e-3, duration=6.0, gravity=NO_GRAVITY)
    strip = world.add_rod(
        "strip",
        curves.Line([0.0, 0.0, 0.0], [0.3, 0.0, 0.0]),
        material=RUBBER,
        section=sections.Rectangle(width=3e-3, height=12e-3),
        segments=100,
        clamped_half_edge="start",
        director=[0.0, 0.0, 1.0],
        mass_damping=5.0,
    )
    world.add_clamp("wall", strip, "start")
    ramp = Ramp(times=[0.0, 1.0], values=[0.0, 1.0], interpolation="smooth")
    world.add_drive("curl", strip, ramp, curvature1=5.0)
    return world


def suture() -> World:
    world = World(dt=1e-3, duration=2.0)
    thread = world.add_rod(
        "thread",
        curves.Line([0.0, 0.0, 0.0], [0.3, 0.0, 0.0]),
        material=Material(youngs_modulus=750e6, poisson_ratio=0.4, density=1150.0),
        section=sections.Circle(0.2e-3),
        segments=100,
        clamped_half_edge="start",
    )
    shake = Motion(translation=[0.0, 0.0, Sine(amplitude=0.02, frequency=2.0)])
    world.add_clamp("hand", thread, "start", motion=shake)
    return world


def double_pendulum() -> World:
    world = World(duration=10.0)
    bar = [shapes.Placed(shapes.Box([0.03, 0.02, 0.5]), position=[0.0, 0.0, -0.25])]

    def swing(angle: float) -> joints.Revolute:
        return joints.Revolute(axis=[0.0, -1.0, 0.0], position=angle)

    for side, x, upper_angle, lower_angle in (("left", 0.0, 0.06, -0.03), ("right", 1.6, 2.0, 0.6)):
        upper = world.add_body(
            f"{side}_upper", shapes=bar, density=2700.0, position=[x, 0.0, 0.0], joint=swing(upper_angle)
        )
        world.add_body(
            f"{side}_lower",
            shapes=bar,
            density=2700.0,
            parent=upper,
            position=[0.0, 0.0, -0.5],
            joint=swing(lower_angle),
        )
    return world


def suspended_load() -> World:
    world = World(duration=9.0)
    end = [0.75, 0.0, -1.299038]
    line = curves.Line([0.0, 0.0, 0.0], end)
    rope = world.add_rod("rope", line, preset="nylon_rope", segments=30, rest_length_factor=0.99784)
    world.add_clamp("hook", rope, "start", hold="position")
    world.add_body("load", shapes.Sphere(0.0535), mass=5.0, position=end)
    world.add_attachment("knot", "pin", rope, {"body": "load", "point": [0.0, 0.0, 0.0]}, at="end")
    return world


def arm_rope() -> World:
    world = World(duration=4.0)
    arm = world.add_robot(
        "arm",
        "robot:arm7_gripper",
        joints={"shoulder_yaw": -0.6, "shoulder_pitch": 0.5, "elbow": 1.2, "wrist_pitch": 1.4416},
        gravity_compensation=True,
    )
    targets = {
        "shoulder_yaw": Sine(amplitude=0.6, frequency=0.5, phase=-1.5707963),
        "elbow": Sine(amplitude=0.15, frequency=0.5, phase=-1.5707963, offset=1.35),
    }
    world.add_control("arm", arm, position_gain=1e4, velocity_gain=300.0, targets=targets)
    line = curves.Line([0.3801, -0.26, 0.3997], [0.3801, -0.26, -0.2003])
    rope = world.add_rod(
        "rope", line, preset="nylon_rope", segments=30, clamped_half_edge="start", mass_damping=0.2
    )
    world.add_attachment("grip", "clamp", rope, {"robot": arm, "link": "gripper"}, at="start")
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
        world.add_hand(
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


def release() -> World:
    world = World(duration=6.0)

    def lift(to: float) -> Ramp:
        return Ramp(times=[0.0, 1.5], values=[0.0, to], interpolation="smooth")

    carried = Motion(translation=[lift(0.2), 0.0, lift(0.1)])
    cube = shapes.Box([0.04, 0.04, 0.04])
    left = world.add_body("left", cube, position=[-0.3, 0.0, 0.0], motion=carried)
    right = world.add_body("right", cube, position=[0.3, 0.0, 0.0], motion=carried)
    arc = curves.Arc(
        start=[-0.28, 0.0, 0.0],
        tangent=[0.5, 0.0, -0.8660254037844386],
        toward=[0.8660254037844386, 0.0, 0.5],
        radius=0.3233161507461906,
        angle=2.0943951023931953,
    )
    section = sections.Stiffness(stretch=2e3, bend=[2e-6, 2e-6], twist=2e-6, line_density=0.03, radius=2e-3)
    cable = world.add_rod("cable", arc, section=section, segments=60, mass_damping=3.0)
    world.add_attachment("left", "clamp", cable, left, at="start")
    world.add_attachment("right", "clamp", cable, right, at="end", until=1.0)
    return world


def two_hands() -> World:
    world = World(duration=2.0)
    ends = []
    for name, side in (("left", 1.0), ("right", -1.0)):
        motion = Motion(
            translation=[
                Sine(amplitude=side * 0.1, frequency=0.5),
                Sine(amplitude=0.05, frequency=1.0),
                Sine(amplitude=0.1, frequency=1.0),
            ],
            axis=[0.0, 1.0, 0.0],
            angle=Sine(amplitude=side * 0.5, frequency=0.5),
        )
        ends.append(world.add_body(name, shapes.Sphere(0.02), position=[-0.3 * side, 0.0, 0.0], motion=motion))
    arc = curves.Arc(
        start=[-0.3, 0.0, 0.0],
        tangent=[0.5, 0.0, -0.8660254037844386],
        toward=[0.8660254037844386, 0.0, 0.5],
        radius=0.34641016151377546,
        angle=2.0943951023931953,
    )
    cable = world.add_rod(
        "cable", arc, preset="usb_cable", segments=60, clamped_half_edge="both", mass_damping=0.5
    )
    world.add_attachment("left", "clamp", cable, ends[0], at="start")
    world.add_attachment("right", "clamp", cable, ends[1], at="end")
    return world


TWINS: dict[str, Callable[[], World]] = {
    twin.__name__: twin
    for twin in (
        cantilever,
        hanging_rope,
        helix,
        twisted_ring,
        buckling_column,
        flexible_shaft,
        loop,
        ramped_curvature,
        suture,
        double_pendulum,
        suspended_load,
        arm_rope,
        two_arms,
        release,
        two_hands,
    )
}

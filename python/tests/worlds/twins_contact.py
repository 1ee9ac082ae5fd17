"""Embedded scenes with contact at points, built up in Python."""

from collections.abc import Callable

import numpy as np

from ropewalk import Copies, KeyFrames, Material, RandomShape, World, curves, joints, sections, shapes
from ropewalk.functions import Function, Motion, Ramp, Table
from ropewalk.rotations import AxisAngle, Rpy

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


def knot() -> World:
    world = World(dt=5e-4, duration=0.6, gravity=NO_GRAVITY)
    rope = world.add_rod(
        "rope",
        curves.Overhand(order=2, length=1.0, gap=3.2e-3),
        material=Material(youngs_modulus=1.8e7, shear_modulus=6e6, density=1000.0, friction=0.0),
        section=sections.Circle(1.5e-3),
        segments=300,
        mass_damping=1.0,
    )
    for name, at, x in (("left", "start", -4.0), ("right", "end", 4.0)):
        pull = Motion(translation=[Ramp(times=[0.0, 10.0], values=[0.0, x]), 0.0, 0.0])
        world.add_clamp(name, rope, "start" if at == "start" else "end", hold="position", motion=pull)
    return world


def rings() -> World:
    world = World(dt=8e-4, duration=0.8)
    ring = world.add_rod(
        "ring",
        curves.Circle(0.01, normal=[0.0, 1.0, 0.0]),
        material=Material(youngs_modulus=1e7, poisson_ratio=0.4, density=500.0, friction=0.1),
        section=sections.Circle(1.25e-3),
        segments=20,
        rest="as_given",
        mass_damping=10.0,
        copies=Copies(count=10, step=[0.0, 0.0, -0.017], angle=np.pi / 2),
    )
    for node in range(1, 10):
        world.add_clamp(f"node{node}", ring, {"node": node}, hold="position")
    return world


def belt_drive() -> World:
    world = World(duration=1.5, gravity=NO_GRAVITY)
    pulley = shapes.Cylinder(radius=0.03, length=0.02)
    axle = joints.Revolute(axis=[0.0, 0.0, 1.0])
    driver = world.add_body("driver", pulley, density=1000.0, joint=axle, friction=0.8)
    world.add_body("braked", pulley, density=1000.0, position=[0.15, 0.0, 0.0], motion="fixed", friction=0.2)
    world.add_rod(
        "belt",
        curves.Stadium(centers=[[0.0, 0.0, 0.0], [0.15, 0.0, 0.0]], radius=0.03105),
        section=sections.Stiffness(stretch=500.0, bend=[1e-6, 1e-6], twist=1e-6, line_density=5e-3, radius=1e-3),
        segments=150,
        rest_length_factor=0.99,
        friction=0.4,
        mass_damping=5.0,
    )
    speed = Ramp(times=[0.0, 0.3], values=[0.0, 2.0], interpolation="smooth")
    world.add_actuator("motor", "velocity", speed, body=driver, velocity_gain=10.0)
    return world


def thrown_rope() -> World:
    world = World(dt=2e-3, duration=0.2, gravity=NO_GRAVITY)
    world.add_body("peg", shapes.Capsule(radius=1e-3, length=0.4), motion="fixed", friction=0.3)
    world.add_rod(
        "rope",
        curves.Line([-0.1, -0.16, 0.0], [-0.1, 0.14, 0.03]),
        material=Material(youngs_modulus=1e7, poisson_ratio=0.5, density=1000.0, friction=0.3),
        section=sections.Circle(1e-3),
        segments=40,
        velocity=[5.0, 0.0, 0.0],
    )
    return world


def _drum_and_load(duration: float, turns: Function) -> World:
    world = World(duration=duration)
    across = AxisAngle([1.0, 0.0, 0.0], -np.pi / 2)
    axle = joints.Revolute(axis=[0.0, 0.0, 1.0])
    drum = world.add_body(
        "drum", shapes.Cylinder(0.04, 0.08), density=2700.0, position=[0.0, 0.01, 0.0], rotation=across, joint=axle
    )
    sheave = [shapes.Placed(shapes.Cylinder(0.04, 0.006))]
    sheave += [shapes.Placed(shapes.Cylinder(0.05, 0.003), position=[0.0, 0.0, z]) for z in (0.0045, -0.0045)]
    world.add_body(
        "sheave", shapes=sheave, density=1000.0, position=[0.6, 0.012, 0.0], rotation=across, joint=axle
    )
    load = world.add_body("load", shapes.Sphere(0.05), mass=4.0, position=[0.64232, 0.01285, -1.05])
    arc = curves.Arc(
        start=[0.6, 0.012, 0.04233],
        tangent=[0.6, 0.012, 0.0],
        toward=[0.0, 0.0, -1.0],
        radius=0.04233,
        angle=np.pi / 2,
        tails=[0.60012, 1.0],
    )
    section = sections.Stiffness(stretch=2e4, bend=[5e-5, 5e-5], twist=5e-5, line_density=0.03, radius=2e-3)
    cable = world.add_rod(
        "cable", arc, section=section, segments=160, rest_length_factor=0.99804, mass_damping=0.5
    )
    world.add_attachment("anchor", "clamp", cable, drum, at="start")
    world.add_attachment("hook", "pin", cable, {"body": load, "point": [0.0, 0.0, 0.05]}, at="end")
    world.add_actuator("motor", "position", turns, body=drum, position_gain=1e4, velocity_gain=100.0)
    return world


def winch() -> World:
    values = [0.0, -9.424778, -9.424778, 0.0]
    return _drum_and_load(6.0, Table(times=[0.2, 2.7, 3.2, 5.7], values=values, interpolation="smooth"))


def coil() -> World:
    return _drum_and_load(2.0, Ramp(times=[0.1, 1.9], values=[0.0, -18.849556], interpolation="smooth"))


def resting_cable() -> World:
    world = World(duration=5.0)
    world.add_body("floor", shapes.HalfSpace(), motion="fixed")
    y = 0.1 * np.array([0.0, 1.0, 0.0, -1.0, 0.0])
    points = np.column_stack([0.25 * np.arange(5.0), y, np.full(5, 3e-3)])
    world.add_rod(
        "cable",
        curves.Spline(points),
        material=Material(youngs_modulus=1e7, poisson_ratio=0.5, density=1100.0),
        section=sections.Circle(2.5e-3),
        rest="as_given",
        segments=100,
    )
    return world


def routing() -> World:
    world = World(duration=4.0)
    world.add_body("board", shapes.HalfSpace(), motion="fixed", friction=0.3)
    pin = shapes.Placed(shapes.Cylinder(0.006, 0.02), position=[0.0, 0.0, 0.01])
    head = shapes.Placed(shapes.Cylinder(0.014, 0.004), position=[0.0, 0.0, 0.022])
    for number, (x, y) in enumerate(((0.1, 0.03), (0.2, -0.03), (0.3, 0.03)), start=1):
        world.add_body(f"clip{number}", shapes=[pin, head], position=[x, y, 0.0], motion="fixed", friction=0.1)
    way = np.array([[0.03, 0.15], [0.1, 0.09], [0.2, -0.09], [0.3, 0.09], [0.38, 0.01], [0.39, 0.0]])
    path = KeyFrames(
        times=[0.0, 0.6, 1.3, 2.0, 2.7, 3.0],
        positions=np.column_stack([way, np.full(6, 0.012)]),
        interpolation="spline",
    )
    hand = world.add_body("hand", shapes.Box([0.02, 0.02, 0.015]), motion=path)
    points = [
        [0.0, 0.0, 0.003],
        [-0.06, 0.06, 0.003],
        [-0.09, 0.16, 0.003],
        [-0.06, 0.25, 0.003],
        [0.0, 0.25, 0.006],
        [0.03, 0.161, 0.012],
    ]
    section = sections.Stiffness(stretch=2e3, bend=[1e-5, 1e-5], twist=1e-5, line_density=0.02, radius=2e-3)
    cable = world.add_rod(
        "cable", curves.Spline(points), section=section, segments=100, friction=0.1, mass_damping=2.0
    )
    world.add_clamp("wall", cable, "start", hold="position")
    world.add_attachment("grip", "pin", cable, hand, at="end")
    return world


def net() -> World:
    world = World(duration=3.0)
    world.add_body("ball", shapes.Sphere(0.06), mass=0.5, position=[0.01, -0.02, 0.2])
    cord = sections.Stiffness(stretch=1e3, bend=[1e-5, 1e-5], twist=1e-5, line_density=0.012, radius=2e-3)
    places = [-0.2, -0.1, 0.0, 0.1, 0.2]
    lines = {f"warp{i}": curves.Line([x, -0.3, 0.0], [x, 0.3, 0.0]) for i, x in enumerate(places)}
    lines |= {f"weft{i}": curves.Line([-0.3, y, 0.0], [0.3, y, 0.0]) for i, y in enumerate(places)}
    for name, line in lines.items():
        world.add_rod(name, line, section=cord, segments=24, mass_damping=1.0, stiffness_damping=0.02)
    for name in lines:
        world.add_clamp(f"{name}_start", name, "start", hold="position")
        world.add_clamp(f"{name}_end", name, "end", hold="position")
    for i in range(5):
        for j in range(5):
            weft = {"rod": f"weft{j}", "at": {"node": 4 * (i + 1)}}
            world.add_attachment(f"knot{i}{j}", "pin", {"rod": f"warp{i}"}, weft, at={"node": 4 * (j + 1)})
    return world


def drape() -> World:
    world = World(duration=3.0)
    # A top, a ring of eight corners about it and another at the foot.
    inner = [(0.1, 0.0), (0.0707, 0.0707), (0.0, 0.1), (-0.0707, 0.0707)]
    outer = [(0.35, 0.0), (0.2475, 0.2475), (0.0, 0.35), (-0.2475, 0.2475)]
    heights = {"inner": (0.06, 0.05), "outer": (0.015, 0.0)}
    vertices = [[0.0, 0.0, 0.08]]
    for ring, half in (("inner", inner), ("outer", outer)):
        both = half + [(0.0 - x, 0.0 - y) for x, y in half]
        vertices += [[x, y, heights[ring][k % 2]] for k, (x, y) in enumerate(both)]
    triangles: list[list[int]] = []
    for k in range(8):
        a, b = 1 + k, 1 + (k + 1) % 8
        triangles += [[0, a, b], [a, a + 8, b + 8], [a, b + 8, b]]
    world.add_body("hill", shapes.Mesh(vertices=vertices, triangles=triangles), motion="fixed")
    points = [[-0.3, -0.05, 0.12], [-0.15, 0.06, 0.12], [0.0, 0.02, 0.12], [0.1, -0.08, 0.12], [0.28, -0.02, 0.12]]
    section = sections.Stiffness(stretch=2e3, bend=[1e-5, 1e-5], twist=1e-5, line_density=0.03, radius=3e-3)
    world.add_rod("rope", curves.Spline(points), section=section, segments=80, mass_damping=1.0)
    return world


def loose_knot() -> World:
    world = World(duration=2.0, gravity=NO_GRAVITY)
    wire = world.add_rod(
        "wire",
        curves.Overhand(order=1, length=1.0, gap=2.1e-4, end_distance=0.37),
        material=Material(preset="steel", friction=0.0),
        section=sections.Circle(1e-4),
        segments=1000,
        mass_damping=20.0,
    )
    world.add_clamp("left", wire, "start", hold="position")
    world.add_clamp("right", wire, "end", hold="position")
    return world


def gripper() -> World:
    world = World(duration=14.0)
    silicone = Material(youngs_modulus=6.2e5, poisson_ratio=0.4999, density=1155.0, friction=0.4)
    circles = (("outer", 0.025, 8), ("inner", 0.0125, 4))
    filaments = [
        world.add_rod(
            name,
            curves.Line([radius, 0.0, 0.535], [radius, 0.0, 0.275]),
            material=silicone,
            section=sections.Circle(2.1e-3),
            segments=130,
            clamped_half_edge="start",
            mass_damping=1.1,
            copies=Copies(count=count, angle=2.0 * np.pi / count),
        )
        for name, radius, count in circles
    ]
    flange = {"robot": "arm", "link": "flange"}
    for rod in filaments:
        world.add_attachment(f"{rod.name}_roots", "clamp", rod, flange, at="start", copies=True)
    there_and_back = Table(times=[5.0, 7.0, 10.0, 12.0], values=[0.0, 1.0, 1.0, 0.0])
    for rod in filaments:
        curl = RandomShape(curvature=121.76, curvature_deviation=6.088)
        world.add_drive(f"{rod.name}_curl", rod, there_and_back, random=curl, copies=True)
    for rod in filaments:
        world.add_drive(f"{rod.name}_twist", rod, 1.0, random=RandomShape(twist_deviation=3.876), copies=True)
    arm = world.add_robot(
        "arm",
        "robot:arm7_flange",
        position=[-0.4, 0.0, 0.0],
        joints={"shoulder_pitch": 0.3, "elbow": 1.0, "wrist_pitch": 1.8},
        gravity_compensation=True,
    )
    world.add_control("arm", arm, position_gain=400.0, velocity_gain=20.0)
    heights = [(0.0, 0.6), (0.0, 0.33), (0.0, 0.33), (0.0, 0.36), (0.1, 0.36), (0.1, 0.33), (0.1, 0.6)]
    world.add_hand(
        "flange",
        arm,
        "hand",
        offset_position=[0.0, 0.0, -0.065],
        times=[0.0, 5.5, 7.0, 8.0, 10.0, 12.0, 14.0],
        positions=[[0.0, y, z] for y, z in heights],
        rotations=[Rpy([0.0, np.pi, 0.0])] * 7,
    )
    world.add_body("ground", shapes.HalfSpace(), motion="fixed", friction=0.5)
    branch = shapes.Capsule(radius=5e-3, length=0.12)
    parts = [
        shapes.Placed(shapes.Box([0.05, 0.05, 0.006]), position=[0.0, 0.0, 0.003]),
        shapes.Placed(branch, position=[0.0, 0.0, 0.066]),
    ]
    for z, yaw in ((0.126, np.pi / 4), (0.126, -np.pi / 4), (0.066, 0.0)):
        parts.append(shapes.Placed(branch, position=[0.0, 0.0, z], rotation=Rpy([0.0, np.pi / 2, yaw])))
    world.add_body("object", shapes=parts, density=500.0, friction=0.2)
    return world


TWINS: dict[str, Callable[[], World]] = {
    twin.__name__: twin
    for twin in (
        capstan,
        knot,
        rings,
        belt_drive,
        thrown_rope,
        winch,
        resting_cable,
        coil,
        routing,
        net,
        drape,
        loose_knot,
        gripper,
    )
}

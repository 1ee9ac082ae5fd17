"""Wires that stay bent, ropes with a table, and the wrench at a wrist, from Python."""

import numpy as np
import pytest

from ropewalk import Material, SceneError, World, curves, sections, shapes


def test_a_copper_wire_stays_bent_by_its_weight() -> None:
    world = World(title="A wire", gravity=[0.0, 0.0, -9.81])
    wire = world.add_rod("wire", curves.Line([0, 0, 0], [1, 0, 0]), preset="copper_wire", segments=40, mass_damping=20.0)
    world.add_clamp("wall", wire, "start")
    world.step(1500)
    assert float(wire.plastic_work) > 0.0
    bent = np.linalg.norm(wire.plastic_curvature, axis=1)
    # Where the moment is greatest, and nowhere near the free end.
    assert bent.argmax() < 4 and bent[-10:].max() == 0.0


def test_a_table_of_stretch_is_checked_at_once() -> None:
    world = World(title="A rope")
    section = sections.Circle(radius=5e-3)
    material = Material(youngs_modulus=1e8, poisson_ratio=0.4, density=1000.0)
    line = curves.Line([0, 0, 0], [0, 0, -1])
    with pytest.raises(SceneError, match="stretch_table"):
        world.add_rod("bad", line, section=section, material=material, segments=5, stretch_table=[[0.0, 0.0], [0.1, -1.0]])
    rope = world.add_rod(
        "rope", line, section=section, material=material, segments=5, stretch_table=[[0.0, 0.0], [0.05, 100.0], [0.1, 600.0]]
    )
    assert rope.tension.shape == (5,)


def test_a_wrist_feels_what_hangs_on_it() -> None:
    world = World(title="A wrist", dt=2e-3)
    arm = world.add_robot("arm", "robot:arm7_flange", joints={"elbow": 1.2})
    world.add_control("arm", arm, position_gain=1e4, velocity_gain=300.0)
    load = world.add_body("load", shapes.Sphere(radius=0.02), mass=1.0, position=arm.link_pose("hand").position)
    world.add_attachment("grip", "clamp", load, {"robot": "arm", "link": "hand"})
    world.set_contact(exclude=[["load", "arm"]])
    world.step(1500)
    # The frame of the flange has no mass: all that it feels is the load.
    felt = arm.joint_wrench("hand")
    np.testing.assert_allclose(felt.force, [0.0, 0.0, 9.81], atol=0.02)
    np.testing.assert_allclose(arm.joint_wrench(arm.link_names[0]).force, arm.base_wrench.force, rtol=1e-6, atol=1e-6)

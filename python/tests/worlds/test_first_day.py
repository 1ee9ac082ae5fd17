"""What users meet on the first day: overlaps at the start, times, robots' surfaces, junctions."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk import Copies, KeyFrames, LinkSurface, Material, Robot, SceneError, World, curves, sections, shapes

RUBBER = Material(youngs_modulus=1e7, poisson_ratio=0.5, density=1000.0)


def test_what_overlaps_at_the_start_is_a_warning_with_names_and_depth() -> None:
    world = World(dt=1e-3)
    for name, z in (("a", 0.01), ("b", 0.015)):
        ends = ([0, 0, z], [0.2, 0, z]) if name == "a" else ([0.1, -0.1, z], [0.1, 0.1, z])
        world.add_rod(name, curves.Line(*ends), material=RUBBER, section=sections.Circle(4e-3), segments=10)
    world.add_body("table", shapes.HalfSpace(), motion="fixed", position=[0, 0, 0.009])
    found = [w for w in world.warnings if "overlap" in w]
    assert len(found) == 2
    assert any("rod 'a'" in w and "rod 'b'" in w and "3.000 mm" in w for w in found)
    assert any("rod 'a'" in w and "body 'table'" in w for w in found)
    assert not [w for w in World("capstan").warnings if "overlap" in w]


def test_times_are_multiples_of_the_step() -> None:
    world = World("cantilever", {"time.dt": 1e-3, "rod.beam.segments": 4})
    world.step(1234)
    assert world.time == 1.234
    world.step(766)
    assert world.time == 2.0 and "at 2.0 s" in repr(world)


def test_a_link_has_a_surface_of_its_own() -> None:
    world = World(dt=1e-3)
    world.add_robot("arm", "robot:arm7_gripper", links={"hand": LinkSurface(friction=1.5)}, repair_inertia=True)
    assert world.to_document()["robot"]["arm"]["links"] == {"hand": {"friction": 1.5}}
    with pytest.raises(ValueError, match="no link called \"hamd\""):
        World().add_robot("arm", "robot:arm7_gripper", links={"hamd": LinkSurface(friction=1.5)})


def test_rods_are_joined() -> None:
    world = World(dt=5e-3, gravity=[0, 0, 0])
    rods = []
    for k in range(3):
        angle = 2 * np.pi * k / 3
        outside = [0.2 * np.cos(angle), 0.2 * np.sin(angle), 0.0]
        rod = world.add_rod(
            f"arm{k}",
            curves.Line(outside, [0, 0, 0]),
            material=RUBBER,
            section=sections.Circle(4e-3),
            segments=15,
            clamped_half_edge="start",
            mass_damping=20.0,
        )
        world.add_clamp(f"wall{k}", rod, "start")
        rods.append(rod)
    joints = world.add_junction("y", [(rod, "end") for rod in rods])
    assert [j.name for j in joints] == ["y_1", "y_2"]
    # So little that the arms hardly stretch.
    rods[0].set_edge_force([0, 0, -0.001], edge=-1)
    world.step(300)
    stiffness = 1e7 * np.pi / 4 * 4e-3**4
    expected = -0.001 / 3 * 0.2**3 / (12 * stiffness)
    for rod in rods:
        assert_allclose(rod.positions[-2:, 2].mean(), expected, rtol=0.02)


def test_key_frames_need_not_overshoot() -> None:
    world = World(dt=1e-3, gravity=[0, 0, 0])
    path = KeyFrames([0.0, 0.1, 0.2], [[0.0, 0.0, z] for z in (0.0, 0.1, 0.1)], interpolation="monotone")
    lift = world.add_body("lift", shapes.Box([0.1, 0.1, 0.1]), motion=path)
    heights = []
    for _ in range(250):
        world.step()
        heights.append(lift.position[2])
    assert max(heights) <= 0.1 + 1e-12 and heights[-1] == pytest.approx(0.1)


def test_equilibrium_and_modes() -> None:
    world = World(dt=1e-3, gravity=[0, 0, -9.81])
    line = curves.Line([0, 0, 0], [0.3, 0, 0])
    beam = world.add_rod(
        "beam", line, material=RUBBER, section=sections.Circle(5e-3), segments=40, clamped_half_edge="start"
    )
    world.add_clamp("wall", beam, "start")
    inertia, area = np.pi / 4 * 5e-3**4, np.pi * 5e-3**2
    first = 1.8751040687**2 / 0.3**2 * np.sqrt(1e7 * inertia / (1000.0 * area)) / (2 * np.pi)
    assert_allclose(beam.modes(2).frequencies, first, rtol=5e-3)
    world.gravity = [0, 0, -0.1]
    found = world.equilibrate()
    assert found.converged
    # w L^4/(8 E I) of a beam that hardly bends.
    assert_allclose(beam.positions[-1, 2], -0.1 * 1000.0 * area * 0.3**4 / (8 * 1e7 * inertia), rtol=0.01)
    before = beam.positions
    world.step(50)
    assert_allclose(beam.positions, before, atol=1e-7)


def test_links_touch_where_they_are_asked_to() -> None:
    def gripper() -> tuple[World, Robot]:
        world = World(dt=1e-3, gravity=[0, 0, 0])
        arm = world.add_robot("arm", "robot:arm7_gripper", joints={"grip": 0.02})
        return world, arm

    world, arm = gripper()
    world.set_contact(include=[("arm/finger_left", "arm/finger_right")])
    assert world.to_document()["contact"]["include"] == [["arm/finger_left", "arm/finger_right"]]
    world, arm = gripper()
    # A handle will do.
    world.set_contact(include=[(arm, arm)])
    assert world.to_document()["contact"]["include"] == [["arm", "arm"]]
    assert not [w for w in world.warnings if "overlap" in w]
    world.step(5)
    world, arm = gripper()
    world.set_contact(include=[("arm/finger_left", "arm/finger")])
    with pytest.raises(ValueError, match='no link called "finger"'):
        world.step()


def test_mistakes_are_raised_where_they_are_made() -> None:
    """In the terms of the arguments, and without the text of a scene file that nobody wrote."""

    def world() -> World:
        world = World(dt=1e-3)
        line = curves.Line([0, 0, 0], [0.5, 0, 0])
        copies = Copies(3, step=[0, 0.1, 0])
        world.add_rod("rope", line, material=RUBBER, section=sections.Circle(4e-3), segments=20, copies=copies)
        world.add_robot("arm", "robot:arm7_gripper", position=[2, 0, 0])
        world.add_body("post", shapes.Box([0.1, 0.1, 0.1]), motion="fixed", position=[0, 2, 0])
        return world

    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: world().add_clamp("c", "rope", {"edge": 99}), r"add_clamp\('c'\): at: .*no edge 99"),
        (lambda: world().add_load("l", "rope"), r"add_load\('l'\): .*0 kinds"),
        (lambda: world().add_attachment("a", "ball", "rope", {"robot": "arm", "link": "hamd"}, at="end"), r"no link called \"hamd\""),
        (lambda: world().add_attachment("a", "ball", "rope", "post", at={"node": 21}), r"add_attachment\('a'\): at: "),
        (lambda: world().add_actuator("m", "force", 0.0, robot="arm", joint="elbo"), r"add_actuator\('m'\): joint: .*\"elbo\""),
        (lambda: world().add_control("g", "arm", position_gain=1.0, joints=["elbo"]), r"add_control\('g'\): joints.*\"elbo\""),
        (
            lambda: world().add_end_effector("e", "arm", "hamd", times=[0, 1], positions=[[0.4, 0, 0.5]] * 2),
            r"add_end_effector\('e'\): link: .*\"hamd\"",
        ),
        (lambda: world().add_body("b", shapes.Sphere(0.1), mass=1.0, inertia=[1, 1, 5, 0, 0, 0]), "moments of inertia 1, 1, 5 kg"),
        (lambda: World(dt=0.0).run(), r"World\(dt=…\): 0.* is out of range"),
        (lambda: World().step(), "add_rod, add_body or add_robot"),
    ]
    for act, words in cases:
        with pytest.raises(SceneError, match=words) as raised:
            act()
        assert "<world>" not in str(raised.value) and "--set" not in str(raised.value)

    # What is sound is not refused: bodies on bodies, an end effector before what drives it, values set by their path.
    sound = world()
    sound.add_clamp("hand", "rope", "start")
    sound.add_body("arm_of_post", shapes.Box([0.1, 0.1, 0.1]), parent="post", position=[0, 0, 0.2])
    sound.add_attachment("tie", "ball", "rope", "arm_of_post", at="end")
    sound.set("rod.rope.segments", 40)
    sound.add_clamp("far", "rope", {"edge": 39})
    sound.add_end_effector("wrist", "arm", "hand", times=[0, 1], positions=[[2.4, 0, 0.5]] * 2)
    sound.add_control("arm", "arm", position_gain=1e4, velocity_gain=300.0)
    sound.step(2)

"""Robots, bodies, actuators and attachments, read and commanded while a world runs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk import World, curves, joints, shapes


def arm() -> World:
    world = World(dt=1e-3)
    robot = world.add_robot("arm", "robot:arm7_gripper", gravity_compensation=True)
    world.add_control("drive", robot, position_gain=1e4, velocity_gain=300.0)
    return world


def test_targets_move_joints() -> None:
    world = arm()
    robot = world.robots["arm"]
    assert "elbow" in robot.joint_names and "gripper" in robot.link_names
    assert robot.joint_positions.shape == (len(robot.joint_names),) == robot.joint_velocities.shape
    goal = float(robot.joint_position("elbow")) + 0.3
    hand = robot.link_pose("gripper").position
    robot.set_targets({"elbow": goal})
    assert world.actuators["drive.elbow"].target == goal
    world.step(800)
    assert robot.joint_position("elbow") == pytest.approx(goal, abs=1e-3)
    assert abs(robot.joint_velocity("elbow")) < 1e-2
    assert np.linalg.norm(robot.link_pose("gripper").position - hand) > 0.05
    world.actuators["drive.elbow"].clear_target()
    assert world.actuators["drive.elbow"].target == pytest.approx(goal - 0.3)
    with pytest.raises(KeyError, match="did you mean 'elbow'"):
        robot.set_targets({"elbov": 1.0})
    with pytest.raises(ValueError, match="finite"):
        robot.set_targets({"elbow": float("nan")})


def test_joints_can_be_put_somewhere() -> None:
    world = arm()
    robot = world.robots["arm"]
    robot.set_joints({"elbow": 0.7}, {"elbow": -0.2})
    assert_allclose([robot.joint_position("elbow"), robot.joint_velocity("elbow")], [0.7, -0.2], rtol=0.0)
    with pytest.raises(ValueError, match="shape"):
        robot.set_joints({"elbow": [0.1, 0.2]})
    with pytest.raises(ValueError, match="finite"):
        robot.set_joints({"elbow": float("inf")})


def test_an_effort_is_what_a_force_actuator_exerts() -> None:
    world = World(dt=1e-3, gravity=[0, 0, 0])
    axis = joints.Prismatic(axis=[1.0, 0.0, 0.0])
    slide = world.add_body("slide", shapes.Box([0.1, 0.1, 0.1]), mass=2.0, joint=axis)
    push = world.add_actuator("push", "force", 0.0, body=slide)
    push.set_target(3.0)
    world.step(100)
    assert push.effort == pytest.approx(3.0)
    assert_allclose(slide.velocity, [3.0 / 2.0 * 0.1, 0.0, 0.0], rtol=1e-9)
    assert slide.joint_velocity.shape == (1,)
    # Backward Euler: 1 + 2 + … + 100 steps of a dt^2.
    assert_allclose(slide.joint_position, [1.5 * 1e-6 * 5050], rtol=1e-9)


def test_a_free_body_falls_and_can_be_thrown() -> None:
    world = World(dt=1e-3)
    ball = world.add_body("ball", shapes.Sphere(0.01), mass=0.1, position=[0, 0, 1])
    world.step(100)
    assert_allclose(ball.velocity, [0.0, 0.0, -0.981], rtol=1e-9)
    ball.set_joint([1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 5.0])
    assert_allclose(ball.position, [1.0, 2.0, 3.0])
    assert_allclose(ball.quat_xyzw, [0.0, 0.0, 0.0, 1.0])
    assert_allclose(ball.angular_velocity, [0.0, 0.0, 5.0])


def test_attachments_are_released_and_taken_up_again() -> None:
    world = World(dt=1e-3)
    line = curves.Line([0, 0, 0], [0, 0, -0.5])
    rope = world.add_rod("rope", line, preset="shoelace", segments=10)
    load = world.add_body("load", shapes.Sphere(0.01), mass=0.05, position=[0, 0, -0.5])
    world.add_attachment("hook", "pin", rope, "world", at="start")
    tie = world.add_attachment("tie", "pin", rope, load, at="end")
    world.set_contact(enabled=False)
    world.step(20)
    assert tie.holds
    weight = 0.05 * 9.81
    assert_allclose(tie.wrench.force, [0.0, 0.0, -weight], atol=0.5 * weight)
    tie.release()
    world.step(20)
    assert not tie.holds and np.all(tie.wrench.force == 0.0)
    assert load.velocity[2] < -0.15
    tie.hold()
    world.step(1)
    assert tie.holds
    gap = rope.positions[-1] - load.position
    world.step(200)
    assert_allclose(rope.positions[-1] - load.position, gap, atol=1e-3)
    tie.clear_command()
    world.step()
    assert tie.holds


def test_nodes_can_be_put_somewhere() -> None:
    world = World("hanging_rope")
    rope = world.rods["rope"]
    turned = rope.positions[:, [1, 0, 2]]
    tension = rope.tension
    rope.set_positions(turned)
    np.testing.assert_array_equal(rope.positions, turned)
    assert_allclose(rope.tension, tension, atol=1e-9)
    frames = rope.frames
    assert_allclose(frames @ frames.transpose(0, 2, 1), np.tile(np.eye(3), (299, 1, 1)), atol=1e-12)
    assert_allclose(rope.twist_rate, 0.0, atol=1e-9)
    world.step(10)
    with pytest.raises(ValueError, match="expected 300"):
        rope.set_positions(turned[:-1])
    with pytest.raises(ValueError, match="edge 0 has no length"):
        rope.set_positions(np.zeros((300, 3)))
    with pytest.raises(ValueError, match="finite"):
        rope.set_velocities(np.full((300, 3), np.nan))
    with pytest.raises(ValueError, match=r"shape \(3, 3\), expected \(300, 3\)"):
        rope.set_velocities(np.zeros((3, 3)))


def test_a_hand_goes_where_it_is_sent() -> None:
    world = World("two_arms", {"time.duration": 1.0})
    hand = world.end_effectors["left"]
    pose = world.robots["left"].link_pose("hand")
    goal = pose.position + [0.0, 0.0, 0.03]
    assert hand.reached is None
    hand.set_target(goal, pose.quat_xyzw)
    world.step(400)
    assert hand.reached is not None and hand.reached.at_limit == 0
    assert hand.reached.position_error < 1e-6 and hand.reached.rotation_error < 1e-6
    assert_allclose(world.robots["left"].link_pose("hand").position, goal, atol=2e-3)
    hand.clear_target()
    with pytest.raises(ValueError, match="length of the quaternion"):
        hand.set_target(goal, [0.0, 0.0, 0.0, 0.0])


def test_contacts_carry_what_lies_on_the_ground() -> None:
    world = World(dt=1e-3)
    ground = world.add_body("ground", shapes.HalfSpace(), motion="fixed")
    ball = world.add_body("ball", shapes.Sphere(0.02), mass=0.3, position=[0.1, 0.0, 0.02])
    line = curves.Line([-0.1, 0.1, 0.002], [0.1, 0.1, 0.002])
    lace = world.add_rod("lace", line, preset="shoelace", segments=20, mass_damping=5.0)
    assert_allclose(ball.contact_wrench.force, 0.0)
    world.step(600)
    weight = [0.0, 0.0, 9.81 * 0.3]
    assert_allclose(ball.contact_wrench.force, weight, atol=1e-3)
    assert_allclose(ball.contact_wrench.torque, 0.0, atol=1e-4)
    assert_allclose(lace.contact_force, [0.0, 0.0, 9.81 * lace.masses.sum()], atol=1e-3)
    # Third law: on the ground, about its origin.
    assert_allclose(ground.contact_wrench.force, -ball.contact_wrench.force - lace.contact_force, atol=1e-12)
    assert ground.contact_wrench.torque[1] == pytest.approx(0.1 * weight[2], rel=1e-2)


def test_a_gripper_reports_its_contacts_and_what_follows() -> None:
    world = arm()
    robot = world.robots["arm"]
    assert_allclose(robot.contact_wrench("gripper").force, np.zeros(3))
    # The right finger follows the left one, which opens.
    robot.set_targets({"grip": 0.01})
    world.step(3)
    pulled = {link: robot.mimic_effort(link) for link in robot.link_names if robot.mimic_effort(link) != 0.0}
    assert list(pulled) == ["finger_right"] and pulled["finger_right"] > 0.1
    with pytest.raises(KeyError, match="did you mean 'gripper'"):
        robot.contact_wrench("griper")


def test_steps_that_cannot_be_taken_are_refused() -> None:
    world = World("cantilever")
    with pytest.raises(ValueError, match="n is -1"):
        world.step(-1)
    with pytest.raises(ValueError, match="duration is nan"):
        world.run(float("nan"))
    assert world.time == 0.0

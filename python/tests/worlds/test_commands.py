"""Commands from one's own loop: poses, velocities, forces, shapes, gravity, joints, attachments; they are state."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ropewalk import Batch, Material, Pose, Recording, World, curves, joints, sections, shapes
from ropewalk._arrays import FloatArray

RUBBER = Material(youngs_modulus=1e6, poisson_ratio=0.4, density=1000.0)


def rope() -> World:
    """A rope held at its start, a plate that is fixed, a ball that is free, and a slide with an actuator."""
    world = World(dt=1e-3)
    world.add_rod(
        "rope",
        curves.Line([0, 0, 0], [0.3, 0, 0]),
        material=RUBBER,
        section=sections.Circle(4e-3),
        segments=20,
        mass_damping=5.0,
    )
    world.add_clamp("hand", "rope", "start")
    world.add_body("plate", shapes.Box([0.1, 0.1, 0.01]), position=[0, 1, 0], motion="fixed")
    world.add_body("ball", shapes.Sphere(0.02), mass=0.5, position=[0, -1, 0])
    slide = world.add_body(
        "slide", shapes.Box([0.1, 0.1, 0.1]), mass=2.0, position=[0, 2, 0], joint=joints.Prismatic([1.0, 0.0, 0.0])
    )
    world.add_actuator("push", "force", 0.0, body=slide)
    return world


def middle(world: World) -> FloatArray:
    found: FloatArray = world.rods["rope"].positions[:2].mean(axis=0)
    return found


def test_motion_capture_drives_an_end_in_one_line() -> None:
    world = rope()
    hand, start = world.clamps["hand"], middle(world)

    def source(t: float) -> FloatArray:
        s, c = np.sin(2 * np.pi * t), np.cos(2 * np.pi * t)
        found: FloatArray = start + 0.1 * np.array([c - 1.0, s, 0.2 * s])
        return found

    worst, before = 0.0, middle(world)
    for k in range(1, 61):
        hand.set_target(source(0.01 * k), over=0.01)
        for j in range(10):
            world.step()
            now = middle(world)
            speed, t = np.linalg.norm(now - before) / world.dt, world.time - 0.5 * world.dt
            true = np.linalg.norm(source(t + 1e-5) - source(t - 1e-5)) / 2e-5
            if k > 3:
                worst = max(worst, float(abs(speed / true - 1.0)))
            before = now
        assert_allclose(middle(world), source(0.01 * k), atol=1e-12)
    assert worst < 0.05


def test_what_is_set_stays_until_it_is_given_back() -> None:
    world = rope()
    hand, plate, ball = world.clamps["hand"], world.bodies["plate"], world.bodies["ball"]
    goal = middle(world) + [0, 0.05, 0]
    hand.set_target(goal, over=0.1)
    plate.set_velocity([0.1, 0, 0], [0, 0, 1.0])
    ball.set_force([0, 0, 0.5 * 9.81])
    world.step(200)
    assert_allclose(middle(world), goal, atol=1e-12)
    assert_allclose(plate.position, [0.02, 1, 0], atol=1e-12)
    assert_allclose(plate.angular_velocity, [0, 0, 1.0], atol=1e-9)
    assert_allclose(ball.position, [0, -1, 0], atol=1e-9)
    # A whole pose, as it is given back.
    pose = hand.target_pose
    hand.set_target(Pose(pose.position, pose.quat_xyzw))
    hand.set_target(np.concatenate(pose))
    world.step()
    assert_allclose(middle(world), goal, atol=1e-12)
    world.clear_command(over=0.1)
    world.step(101)
    assert_allclose(middle(world), goal - [0, 0.05, 0], atol=1e-9)
    assert_allclose(plate.position, [0, 1, 0], atol=1e-9)
    assert ball.velocity[2] < -0.9
    hand.release()
    world.step()
    assert not hand.wrench.force.any() and not hand.wrench.torque.any()
    hand.hold()
    world.step(5)
    assert hand.wrench.force.any()


def test_forces_shapes_and_gravity() -> None:
    world = rope()
    rod = world.rods["rope"]
    world.gravity = [0, 0, 0]
    assert_array_equal(world.gravity, [0, 0, 0])
    rod.set_force([0, 0, 1e-3], node=-1)
    rod.set_edge_force([0, 2e-3, 0], edge=5)
    rod.set_torque([1e-5, 0, 0], edge=-1)
    world.step(5000)
    wrench = world.clamps["hand"].wrench
    assert_allclose(wrench.force, [0, -2e-3, -1e-3], atol=2e-5)

    rod.clear_command()
    rod.set_natural_shape(curvature2=3.0)
    world.step(6000)
    assert_allclose(rod.curvature, 3.0, atol=0.02)
    forces = np.zeros((rod.node_count, 3))
    rod.set_forces(forces)
    with pytest.raises(ValueError, match=r"forces has the shape \(3, 3\), expected \(21, 3\)"):
        rod.set_forces(np.zeros((3, 3)))


def test_joints_and_actuators_as_arrays() -> None:
    world = rope()
    assert world.ctrl_names == ["push"]
    assert world.qpos_names == ["ball.x", "ball.y", "ball.z", "ball.qx", "ball.qy", "ball.qz", "ball.qw", "slide"]
    assert len(world.qvel_names) == len(world.qvel) == 7
    world.ctrl = [3.0]
    world.step(100)
    assert_allclose(world.qvel[-1], 3.0 / 2.0 * 0.1, rtol=1e-9)
    copy = world.qpos
    copy[:] = 0.0
    assert world.qpos[6] == 1.0, "a copy: the world does not see it"
    qpos = world.qpos
    qpos[:3], qpos[3:7] = [1, 2, 3], [0, 0, 1, 0]
    world.set_qpos(qpos)
    assert_array_equal(world.bodies["ball"].position, [1, 2, 3])
    assert_array_equal(world.bodies["ball"].quat_xyzw, [0, 0, 1, 0])
    world.set_qvel(np.zeros(7))
    assert not world.qvel.any()


def test_attachments_are_made_and_released() -> None:
    world = rope()
    held = world.attach("grasp", "ball", "rope", "ball", at="end")
    world.bodies["ball"].set_force([0, 0, -0.2])
    world.step(5)
    assert held.holds and "grasp" in world.attachments
    assert held.wrench.force[2] < -1e-5
    held.release()
    world.step()
    assert not held.holds
    again = world.attach("again", "clamp", world.rods["rope"], at={"arclength": 0.2})
    world.step()
    assert again.holds
    with pytest.raises(ValueError, match="expected 'start', 'end'"):
        world.attach("bad", "ball", "rope", "ball", at={"edge": 99})
    with pytest.raises(KeyError, match="did you mean 'rope'"):
        world.attach("bad", "ball", "rop", "ball", at="end")


def command_all(world: World) -> None:
    world.step(3)
    world.clamps["hand"].set_target(middle(world) + [0, 0.01, 0], over=0.05)
    world.bodies["plate"].set_velocity([0, 0.1, 0], [1.0, 0, 0])
    world.gravity = [0, 1, -5]
    world.rods["rope"].set_force([1e-3, 0, 0], node=9)
    world.rods["rope"].set_natural_shape(1.0, 0.5, np.linspace(0, 1, 19))
    world.bodies["ball"].set_force([1, 0, 0], [0, 0.01, 0], at=[0, 0, 0.1])
    world.attach("caught", "ball", "rope", "ball", at="end")
    world.ctrl = [2.0]
    world.step(7)


def test_commands_are_state() -> None:
    world = rope()
    command_all(world)
    twin = rope()
    twin.state = pickle.loads(pickle.dumps(world.state))
    kept = world.copy()
    for other in (twin, kept):
        assert other.state == world.state
    world.step(40)
    for other in (twin, kept):
        other.step(40)
        assert other.state == world.state
    assert twin.attachments["caught"].holds
    # A batch holds them, too.
    batch = Batch(rope(), 2)
    fresh = batch.state[0]
    batch.state = [world.state, fresh]
    world.step(5)
    batch.step(5)
    assert batch.state[0] == world.state and batch.state[1] != world.state


def test_recordings_have_them(tmp_path: Path) -> None:
    world = rope()
    path = tmp_path / "run.mcap"
    with world.record(path, rate=1000.0):
        command_all(world)
        world.clear_command(over=0.1)
        world.step(5)
    from mcap.reader import make_reader

    with path.open("rb") as file:
        events = [json.loads(m.data) for _, _, m in make_reader(file).iter_messages(topics=["/events"])]
    commands = [e for e in events if e["kind"] == "command"]
    assert [e["name"] for e in commands] == ["commands", "commands"]
    arrays = json.loads(commands[0]["detail"])["arrays"]
    assert {"command/clamps", "command/bases", "command/gravity", "command/rope/natural", "command/links"} <= set(arrays)
    assert arrays["command/gravity"]["data"] == [0.0, 1.0, -5.0] and arrays["actuators"]["data"] == [1.0, 2.0, 0.0]
    assert Recording(path).time.size > 5


def test_worlds_of_a_batch_are_commanded_alike() -> None:
    batch = Batch(rope(), 3)
    start = batch.rods["rope"].positions[:, :2].mean(axis=1)
    goals = start + np.array([[0, 0.01, 0], [0, 0.02, 0], [0, 0.03, 0]])
    batch.clamps["hand"].set_target(goals, over=0.05)
    batch.bodies["ball"].set_force([0, 0, 0.5 * 9.81], mask=[True, False, True])
    batch.bodies["plate"].set_target([0, 1.01, 0], over=0.05)
    batch.set_ctrl([[1.0], [2.0], [3.0]])
    batch.rods["rope"].set_force(np.eye(3) * 1e-3, node=-1)
    batch.step(100)
    assert_allclose(batch.rods["rope"].positions[:, :2].mean(axis=1), goals, atol=1e-12)
    assert_allclose(batch.bodies["ball"].velocity[:, 2], [0, -0.981, 0], atol=1e-9)
    assert_allclose(batch.bodies["plate"].position, [[0, 1.01, 0]] * 3, atol=1e-12)
    assert_allclose(batch.qvel[:, -1], np.array([1.0, 2.0, 3.0]) * 0.05, rtol=1e-9)
    # One of them as a world of its own.
    single = rope()
    single.clamps["hand"].set_target(goals[1], over=0.05)
    single.bodies["plate"].set_target([0, 1.01, 0], over=0.05)
    single.ctrl = [2.0]
    single.rods["rope"].set_force([0, 1e-3, 0], node=-1)
    single.step(100)
    assert single.state == batch.state[1]
    batch.attach("caught", "ball", "rope", "ball", at="end")
    batch.step()
    batch.attachments["caught"].release(mask=[False, True, False])
    batch.step()
    assert_array_equal(batch._read("attachment_holds")[:, 0], [1, 0, 1])
    batch.clear_command(over=0.1)
    with pytest.raises(ValueError, match="world 1: clamp 'hand'"):
        batch.clamps["hand"].set_target([[0, 0, 0], [0, 9, 0], [0, 0, 0]], mask=[False, True, False])
    with pytest.raises(ValueError, match="mask has the shape"):
        batch.set_gravity([0, 0, 0], mask=[True])


def test_a_free_body_of_a_batch_gives_up_its_force() -> None:
    """``clear_command`` of a free body was refused in a batch, and left its force."""
    batch, untouched = Batch("suspended_load", 2), World("suspended_load")
    load = batch.bodies["load"]
    load.set_force([1.0, 0.0, 0.0])
    load.clear_command(mask=[True, False])
    batch.step(5)
    untouched.step(5)
    assert_array_equal(load.position[0], untouched.bodies["load"].position)
    assert load.position[1, 0] > load.position[0, 0]


def test_what_makes_no_sense_is_refused() -> None:
    world = rope()
    before = world.state
    hand, plate, ball = world.clamps["hand"], world.bodies["plate"], world.bodies["ball"]
    cases: list[tuple[Callable[[], None], str]] = [
        (lambda: hand.set_target([np.nan, 0, 0]), "clamp 'hand'.*NaN"),
        (lambda: hand.set_target([0, 0.1, 0]), "clamp 'hand'.*at most 50 m/s.*\n.*over ="),
        (lambda: hand.set_target([0, 0]), "position has the shape"),
        (lambda: hand.set_target([0, 0, 0], over=-1.0), "over is -1"),
        (lambda: ball.set_target([0, 0, 0], over=1.0), "body 'ball' moves by itself"),
        (lambda: plate.set_velocity([99, 0, 0]), "body 'plate'.*99"),
        (lambda: world.set_gravity([np.inf, 0, 0]), "gravity"),
        (lambda: world.set_ctrl([np.nan]), "ctrl"),
        (lambda: world.set_ctrl([0.0, 1.0]), "ctrl has the shape"),
        (lambda: world.rods["rope"].set_force([0, 0, 1], node=21), "no node 21"),
        (lambda: world.rods["rope"].set_natural_shape(curvature1=[1.0, 2.0]), "curvature1 has the shape"),
        (lambda: ball.set_force([np.nan, 0, 0]), "body 'ball'"),
    ]
    for act, words in cases:
        with pytest.raises(ValueError, match=words):
            act()
    assert world.state == before


def test_an_arm_follows_poses() -> None:
    world = World("two_arms")
    hand = next(iter(world.end_effectors.values()))
    pose = hand.target_pose
    hand.set_target(pose.position + [0, 0, 0.02], over=0.2)
    world.step(250)
    assert_allclose(hand.target_pose.position, pose.position + [0, 0, 0.02], atol=1e-12)
    assert hand.reached is not None and hand.reached.position_error < 2e-3
    hand.clear_command(over=0.5)
    world.step(10)

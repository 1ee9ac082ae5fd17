"""A batch of worlds is so many single worlds, to the bit, on any number of threads."""

from collections.abc import Callable

import numpy as np
import pytest
from twins import TWINS

from ropewalk import Batch, SceneError, StepError, World, curves
from ropewalk.parameters import Choice, LogUniform, Normal, Parameters, Uniform


@pytest.mark.parametrize("name", ["cantilever", "arm_rope", "capstan", "rings", "soft_finger"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_worlds_of_a_batch_are_single_worlds(name: str, threads: int) -> None:
    steps = 12
    factors = [0.5, 1.0, 2.0]
    rod = next(iter(World(name).rods))
    path = f"rod.{rod}.density_factor"
    batch = Batch(name, 3, parameters={path: factors}, threads=threads)
    assert (len(batch), batch.threads) == (3, threads)
    batch.step(steps)
    states, positions = batch.state, batch.rods[rod].positions
    assert batch.time.shape == (3,) and positions.shape[0] == 3
    for k, factor in enumerate(factors):
        world = World(name, {path: factor})
        world.step(steps)
        assert states[k] == world.state
        np.testing.assert_array_equal(positions[k], world.rods[rod].positions)
        np.testing.assert_array_equal(batch.energies.total[k], world.energies.total)
        copy = batch.world(k)
        world.step()
        copy.step()
        assert copy.state == world.state
    assert np.any(positions[0] != positions[2])


def test_arrays_have_an_axis_of_worlds() -> None:
    batch = Batch("arm_rope", 4, threads=2)
    batch.step(2)
    rope, arm = batch.rods["rope"], batch.robots["arm"]
    n = rope.node_count
    assert rope.positions.shape == (4, n, 3) and rope.tension.shape == (4, n - 1)
    assert rope.frames.shape == (4, n - 1, 3, 3) and rope.energies.bend.shape == (4,)
    assert arm.joint_positions.shape == (4, len(arm.joint_names))
    assert arm.joint_position("elbow").shape == (4,)
    assert arm.link_pose("gripper").position.shape == (4, 3)
    assert batch.attachment_wrench("grip").force.shape == (4, 3)
    assert batch.efforts.shape == batch.targets.shape == (4, len(batch.actuator_names))


def test_targets_differ_between_worlds() -> None:
    batch = Batch("arm_rope", 3, threads=2)
    elbows = np.array([1.1, 1.2, 1.3])
    batch.set_target("arm.elbow", elbows)
    batch.step(200)
    np.testing.assert_allclose(batch.robots["arm"].joint_position("elbow"), elbows, atol=5e-3)
    world = World("arm_rope")
    world.actuators["arm.elbow"].set_target(1.3)
    world.step(200)
    assert batch.state[2] == world.state
    with pytest.raises(ValueError, match="expected one, or 3"):
        batch.set_target("arm.elbow", [1.0, 2.0])


PARAMETERS: Parameters = {
    "material.rubber.youngs_modulus": LogUniform(1e6, 1e8),
    "rod.beam.mass_damping": Uniform(1.0, 20.0),
    "rod.beam.curve.line.to": Normal([0.3, 0.0, 0.0], [0.0, 1e-2, 1e-2]),
    "clamp.wall.hold": Choice(["all", "position_tangent"]),
}


def test_what_is_drawn_depends_on_seed_world_and_reset_alone() -> None:
    a = Batch("cantilever", 5, parameters=PARAMETERS, seed=7, threads=1)
    b = Batch("cantilever", 5, parameters=PARAMETERS, seed=7, threads=2)
    c = Batch("cantilever", 3, parameters=PARAMETERS, seed=7)
    other = Batch("cantilever", 5, parameters=PARAMETERS, seed=8)
    assert a.parameters == b.parameters and a.parameters[:3] == c.parameters
    assert a.parameters != other.parameters
    assert all(1e6 <= p["material.rubber.youngs_modulus"] <= 1e8 for p in a.parameters)  # type: ignore[operator]
    first = a.parameters
    mask = np.array([False, True, False, True, False])
    for batch in (a, b):
        batch.step(4)
        batch.reset(mask)
        batch.step(3)
    assert a.state == b.state and a.parameters == b.parameters
    np.testing.assert_allclose(a.time, np.where(mask, 3e-3, 7e-3))
    assert [p == q for p, q in zip(first, a.parameters)] == (~mask).tolist()
    world = World("cantilever", a.parameters[1])
    world.step(3)
    assert a.state[1] == world.state
    # The same seed starts over.
    a.reset(seed=7)
    assert a.parameters == first and np.all(a.time == 0.0)


def test_reset_without_drawing_is_the_start() -> None:
    batch = Batch("knot", 2, threads=2)
    start = batch.state
    batch.step(3)
    batch.reset([True, False])
    assert batch.state[0] == start[0] and batch.state[1] != start[1]
    batch.state = start
    assert batch.state == start
    with pytest.raises(ValueError, match="mask"):
        batch.reset([0, 1])


def test_a_world_that_has_been_built_up_is_taken() -> None:
    world = TWINS["capstan"]()
    batch = Batch(world, 2, overrides={"rod.rope.friction": 0.1})
    batch.step(5)
    single = World("capstan", {"rod.rope.friction": 0.1})
    single.step(5)
    assert batch.state[1] == single.state


def test_mistakes_are_named() -> None:
    with pytest.raises(SceneError, match="rod.beam.nothing"):
        Batch("cantilever", 2, parameters={"rod.beam.nothing": [1, 2]})
    with pytest.raises(ValueError, match="expected 3 values"):
        Batch("cantilever", 3, parameters={"rod.beam.segments": [4, 5]})
    with pytest.raises(ValueError, match="at least one world"):
        Batch("cantilever", 0)
    with pytest.raises(ValueError, match="n is 1.5, expected a whole number"):
        Batch("cantilever", 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed is -1"):
        Batch("cantilever", 2, seed=-1)
    with pytest.raises(ValueError, match="n is -2"):
        Batch("cantilever", 2).step(-2)
    with pytest.raises(ValueError, match="target holds NaN"):
        Batch("arm_rope", 2).set_target("arm.elbow", [float("nan"), 1.0])
    batch = Batch("cantilever", 2, parameters={"rod.beam.segments": [4, 5]})
    batch.step()
    with pytest.raises(ValueError, match="world 1 has the shape"):
        batch.rods["beam"].positions


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Uniform(2.0, 1.0), "above high"),
        (lambda: Uniform(0.0, [1.0, 2.0]), "expected the same"),
        (lambda: Uniform(float("nan"), 1.0), "finite"),
        (lambda: LogUniform(-1.0, 1.0), "0 < low"),
        (lambda: Normal(0.0, -1.0), "0 or more"),
        (lambda: Choice([]), "at least one"),
    ],
)
def test_distributions_that_nothing_can_be_drawn_from_are_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_a_world_that_fails_does_not_hold_up_the_others() -> None:
    world = World(dt=1e-3, gravity=[0, 0, 0])
    # A bent wire that springs straight; in the second world one iteration has to do.
    arc = curves.Arc([0, 0, 0], [1, 0, 0], [0, 0, 1], radius=0.02, angle=3.0)
    world.add_rod("rope", arc, preset="steel_wire", segments=10)
    values: Parameters = {
        "solver.max_iterations": [30, 1],
        "solver.max_halvings": [20, 0],
        "solver.tolerance": [1e-6, 1e-14],
    }
    batch = Batch(world, 2, parameters=values, threads=2)
    report = batch.step(5, check=False)
    assert report.failed.tolist() == [False, True]
    assert [r.steps for r in report.worlds] == [5, 0]
    np.testing.assert_allclose(batch.time, [5e-3, 0.0])
    with pytest.raises(StepError, match="world 1: the step after t = 0 s failed") as caught:
        batch.step()
    assert caught.value.world == 1
    np.testing.assert_allclose(batch.time, [6e-3, 0.0])


def test_worlds_differ_in_their_motions() -> None:
    """Motions are arrays, one for each world; a scene with that motion in its text does the same."""
    times = np.linspace(0.0, 0.1, 11)
    heights = np.array([0.0, 0.004, 0.01])
    translation = np.zeros((3, 11, 3))
    translation[:, :, 2] = heights[:, None] * np.sin(10.0 * np.pi * times)
    batch = Batch("cantilever", 3, threads=2)
    batch.clamps["wall"].set_motion(times, translation)
    batch.step(60)
    tips = batch.rods["beam"].positions
    for k in range(3):
        values = translation[k, :, 2].tolist()
        table = {"table": {"times": times.tolist(), "values": values}}
        world = World("cantilever", {"clamp.wall.motion": {"translation": [0.0, 0.0, table]}})
        world.step(60)
        np.testing.assert_allclose(tips[k], world.rods["beam"].positions, rtol=0, atol=1e-12)
    assert np.ptp(tips[:, 0, 2]) > 5e-3
    batch.reset()
    batch.step(60)
    np.testing.assert_array_equal(batch.rods["beam"].positions, tips)


def test_a_world_made_anew_keeps_its_motion() -> None:
    batch = Batch("cantilever", 2, parameters={"rod.beam.mass_damping": Uniform(1.0, 2.0)}, seed=3)
    batch.clamps["wall"].set_motion([0.0, 0.02], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.01]], mask=[False, True])
    batch.reset()
    batch.step(40)
    first = batch.rods["beam"].positions[:, 0, 2]
    assert first[1] - first[0] == pytest.approx(0.01, abs=1e-9)


def test_motions_that_cannot_be() -> None:
    clamp = Batch("cantilever", 2).clamps["wall"]
    for times, translation, message in [
        ([0.0, 0.0], np.zeros((2, 3)), "do not increase"),
        ([0.0, 1.0], np.zeros((3, 3)), "shape"),
        ([0.0, np.nan], np.zeros((2, 3)), "nan|NaN"),
        ([0.0, 1.0], np.full((2, 3), np.inf), "inf"),
        ([], np.zeros((0, 3)), "no entries"),
    ]:
        with pytest.raises(ValueError, match=message):
            clamp.set_motion(times, translation)
    with pytest.raises(ValueError, match="axis has no direction"):
        clamp.set_motion([0.0, 1.0], angle=[0.0, 1.0], axis=[0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="end effector"):
        next(iter(World("two_arms").end_effectors.values())).set_motion([0.0, 1.0])

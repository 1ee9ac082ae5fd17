"""A world: steps, arrays, measures, contacts, errors."""

import _thread
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from test_twins import command
from twins import TWINS

import ropewalk
from ropewalk import CONTACT_DTYPE, Material, SceneError, StepError, World, curves, sections


def test_a_scene_comes_from_a_name_a_file_a_text_or_a_document(tmp_path: Path) -> None:
    scene = ropewalk.embedded_scenes()["cantilever"]
    file = tmp_path / "mine.toml"
    file.write_text(scene.text, encoding="utf-8")
    world = World("cantilever")
    worlds = [World(file), World(str(file)), World(scene.text), World(world.to_document())]
    for other in [world, *worlds]:
        other.step(3)
        assert other.title == scene.title
        assert other.state == world.state


def test_overrides_are_those_of_the_command_line() -> None:
    world = World("cantilever", {"rod.beam.segments": 7, "rod.beam.curve.line.to.2": np.float64(0.1)}, dt=2e-3)
    assert (world.rods["beam"].edge_count, world.dt) == (7, 2e-3)
    other = World("cantilever", ["rod.beam.segments=7", "rod.beam.curve.line.to.2=0.1", "time.dt=2e-3"])
    world.step(4)
    other.step(4)
    assert other.state == world.state
    later = World("cantilever")
    later.set("rod.beam.segments", 7)
    later.set("rod.beam.curve.line.to.2", 0.1)
    later.set("time.dt", 2e-3)
    later.step(4)
    assert later.state == world.state


def test_steps_are_reported() -> None:
    world = World("capstan")
    report = world.step(10)
    assert (report.status, report.steps) == ("converged", 10)
    assert report.substeps >= 10 and report.iterations >= 10 and report.contacts > 20
    assert report.residual < 1e-5 and report.time == world.time == pytest.approx(0.01)
    assert set(report.timers) == {
        "kinematics", "collide", "constrain", "linearize", "solve", "guard", "advance", "observe"
    }  # fmt: skip
    assert sum(report.timers.values()) > 0.0
    assert world.step().steps == 1
    assert world.step(0).steps == 0


def test_one_step_at_a_time_is_as_many_at_once() -> None:
    a, b = World("knot"), World("knot")
    a.step(12)
    for _ in range(12):
        b.step()
    assert a.state == b.state


def test_arrays_have_the_documented_shapes_and_are_copies() -> None:
    world = World("twisted_ring")
    world.step(5)
    ring = world.rods["above"]
    n = ring.node_count
    assert ring.closed and n == ring.edge_count == 100
    open_rod = World("cantilever").rods["beam"]
    m = open_rod.node_count
    assert not open_rod.closed and (m, open_rod.edge_count) == (101, 100)
    shapes = {
        "positions": (n, 3), "velocities": (n, 3), "spin_angles": (n,), "spin_rates": (n,), "frames": (n, 3, 3),
        "rest_lengths": (n,), "half_extents": (n, 2), "masses": (n,), "tension": (n,), "moments": (n, 3),
        "curvature": (n,), "twist_rate": (n,),
    }  # fmt: skip
    for name, shape in shapes.items():
        array = getattr(ring, name)
        assert (array.shape, array.dtype) == (shape, np.float64), name
    assert open_rod.moments.shape == (m - 2, 3) and open_rod.tension.shape == (m - 1,)
    before = ring.positions
    kept = before.copy()
    world.step(5)
    np.testing.assert_array_equal(before, kept)
    assert np.any(ring.positions != kept)


def test_measures_agree_with_one_another() -> None:
    world = World("cantilever")
    world.run(0.5)
    beam = world.rods["beam"]
    x = beam.positions
    edges = np.diff(x, axis=0)
    lengths = np.linalg.norm(edges, axis=1)
    area = np.pi * 5e-3**2
    np.testing.assert_allclose(beam.tension, 1e7 * area * (lengths / beam.rest_lengths - 1.0), rtol=1e-6, atol=1e-9)
    frames = beam.frames
    np.testing.assert_allclose(frames @ frames.transpose(0, 2, 1), np.tile(np.eye(3), (100, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(frames[:, 2], edges / lengths[:, None], atol=1e-12)
    energies = beam.energies
    assert energies == world.energies
    kinetic = 0.5 * np.sum(beam.masses[:, None] * beam.velocities**2)
    assert energies.kinetic == pytest.approx(kinetic, rel=1e-6)
    assert energies.gravity == pytest.approx(9.81 * np.sum(beam.masses * x[:, 2]), rel=1e-12)
    assert energies.total == pytest.approx(sum(energies), rel=1e-12)


def test_a_clamp_carries_the_weight_at_rest() -> None:
    world = World("cantilever")
    world.run()
    weight = 9.81 * np.sum(world.rods["beam"].masses)
    np.testing.assert_allclose(world.clamps["wall"].wrench.force, [0.0, 0.0, weight], atol=2e-3 * weight)


def test_contacts_are_a_structured_array() -> None:
    world = World("capstan")
    assert world.contacts().shape == (0,)
    report = world.step(50)
    contacts = world.contacts()
    assert contacts.dtype == CONTACT_DTYPE and len(contacts) == report.contacts > 20
    assert len(world.contacts(touching=False)) >= len(contacts)
    assert {world.side_name(c, 0) for c in contacts} == {"rope"}
    assert {world.side_name(c, 1) for c in contacts} == {"post"}
    normal = np.sum(contacts["force"] * contacts["normal"], axis=1)
    friction = np.linalg.norm(contacts["force"] - normal[:, None] * contacts["normal"], axis=1)
    assert np.all(normal > 0.0) and np.all(friction <= 0.2 * normal * (1.0 + 1e-6))
    np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1.0, rtol=1e-12)
    # Half way between the surfaces of the rope and of the post.
    np.testing.assert_allclose(np.linalg.norm(contacts["point"][:, :2], axis=1), 0.03, atol=1e-4)
    along = contacts["slip"] - contacts["velocity"]
    np.testing.assert_allclose(np.cross(along, contacts["normal"]), 0.0, atol=1e-15)
    # What pulls the rope round the post: the clamp, the load and the post balance.
    force = contacts["force"].sum(axis=0) + world.clamps["drag"].wrench.force + [0.0, -0.01, 0.0]
    assert np.linalg.norm(force) < 1e-2 * np.linalg.norm(world.clamps["drag"].wrench.force)


@pytest.mark.parametrize(
    "overrides",
    [["rod.beam.segmens=4"], ["rod.beam.section.circle.radius=-1.0"], ["clamp.wall.rod=beem"], ["time.dt"]],
)
def test_mistakes_have_the_message_of_the_command_line(overrides: list[str]) -> None:
    with pytest.raises(SceneError) as caught:
        World("cantilever", overrides)
    words = [word for entry in overrides for word in ("--set", entry)]
    done = subprocess.run([command(), "run", "cantilever", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert str(caught.value) in done.stderr


def test_mistakes_in_what_is_built_up_name_the_argument_where_it_is_given() -> None:
    world = World()
    line = curves.Line([0, 0, 0], [1, 0, 0])
    with pytest.raises(SceneError, match=r"add_rod\('rope'\): section\.circle\.radius: -0\.001 is out of range\n  expected"):
        world.add_rod("rope", line, section=sections.Circle(-1e-3), segments=4)
    with pytest.raises(SceneError, match=r"density: -1 is out of range"):
        world.add_rod("rope", line, section=sections.Circle(1e-3), material=Material(density=-1.0), segments=4)
    with pytest.raises(SceneError, match=r"add_rod\('rope'\): segments: the key `segments` is missing"):
        world.add_rod("rope", line, preset="shoelace")
    world = World()
    world.add_rod("rope", line, preset="shoelace", segments=4)
    with pytest.raises(SceneError, match=r"add_clamp\('held'\): rod: there is no rod called 'roap'.*\n.*\n  nearest: `rope`"):
        world.add_clamp("held", "roap", "start")
    with pytest.raises(ValueError, match="no rod or body called 'roap'.*did you mean 'rope'"):
        world.add_attachment("held", "ball", "roap", at="end")
    held = world.add_attachment("held", "ball", "rope", at="end")
    world.step()
    assert held.holds
    another = World()
    another.add_rod("rope", line, preset="shoelace", segments=4)
    with pytest.raises(ValueError, match="already a rod called 'rope'"):
        another.add_rod("rope", line, preset="shoelace", segments=4)
    with pytest.raises(SceneError, match="at least one rod"):
        World().step()
    with pytest.raises(KeyError, match="did you mean 'beam'"):
        World("cantilever").rods["beem"]


def test_a_step_that_fails_is_an_exception_and_leaves_the_world_as_it_was() -> None:
    world = World(dt=1e-3)
    line = curves.Line([0, 0, 0], [1, 0, 0])
    rope = world.add_rod("rope", line, preset="nylon_rope", segments=10)
    world.set_solver(max_iterations=1, tolerance=1e-15, max_halvings=0)
    world.step(0)
    rope.set_velocities(1e3 * np.sin(np.arange(33.0)).reshape(11, 3))
    before = world.state
    with pytest.raises(StepError, match=r"the step after t = 0 s failed: Newton's method did not converge") as caught:
        world.step(5)
    assert (caught.value.status, caught.value.time, caught.value.world) == ("not_converged", 0.0, 0)
    assert world.state == before


def test_things_are_added_before_the_first_step() -> None:
    world = TWINS["capstan"]()
    beam = world.rods["rope"]
    assert beam.positions.shape == (65, 3)
    world.add_clamp("tip", beam, {"node": 30}, hold="position")
    world.step()
    with pytest.raises(RuntimeError, match="has stepped"):
        world.add_clamp("middle", beam, {"node": 50}, hold="position")


def test_a_material_is_written_once() -> None:
    world = World()
    rubber = Material(youngs_modulus=1e7, poisson_ratio=0.5, density=1e3)
    for k in range(3):
        line = curves.Line([0, 0, k], [1, 0, k])
        world.add_rod(f"rod{k}", line, material=rubber, section=sections.Circle(1e-3), segments=3)
    assert list(world.to_document()["material"]) == ["rod0"]


def test_a_copy_goes_on_by_itself() -> None:
    world = World("capstan")
    world.step(5)
    twin = world.copy()
    kept = world.state
    twin.step(5)
    assert world.state == kept
    world.step(5)
    assert world.state == twin.state


def test_reset_is_the_start() -> None:
    world = World("knot")
    start = world.state
    world.step(3)
    assert world.state != start
    world.reset()
    assert world.state == start


def test_other_threads_run_while_a_world_steps() -> None:
    world = World("hanging_rope")
    counted, stop = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted
        world.step(300)
        after = counted
    finally:
        stop.set()
        thread.join()
    assert after - before > 50


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT as Python handles it: a shell starts what it puts into the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_stops_between_two_steps() -> None:
    world = World("hanging_rope")
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        world.step(10**7)
    timer.join()
    steps = round(world.time / world.dt)
    assert steps > 0
    other = World("hanging_rope")
    other.step(steps)
    assert other.state == world.state

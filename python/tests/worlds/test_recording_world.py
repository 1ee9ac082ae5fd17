"""Worlds that are recorded, and recordings that are read."""

from pathlib import Path

import numpy as np
import pytest

from ropewalk import CONTACT_DTYPE, PATCH_DTYPE, Recording, StepError, World, curves


def test_a_recording_holds_what_the_world_did(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    world, other = World("capstan"), World("capstan")
    rope = world.rods["rope"]
    seen = [rope.positions]
    with world.record(path, rate=100.0):
        for _ in range(5):
            world.step(10)
            seen.append(rope.positions)
            last = rope.tension
    other.step(50)
    assert world.state == other.state
    recording = Recording(path)
    assert recording.title == world.title
    np.testing.assert_allclose(recording.time, 0.01 * np.arange(6), atol=1e-12)
    # Frames are in single precision; the first and the last are exact.
    positions = recording.rods["rope"].positions
    np.testing.assert_array_equal(positions[[0, -1]], np.array(seen)[[0, -1]])
    np.testing.assert_array_equal(positions[1:-1], np.array(seen)[1:-1].astype(np.float32))
    np.testing.assert_array_equal(recording.rods["rope"].tension[-1], last)
    np.testing.assert_array_equal(recording.state_time, recording.time[[0, -1]])
    assert recording.rods["rope"].velocities.shape == (2, 65, 3)
    assert recording.rods["rope"].curvature.shape == recording.rods["rope"].twist_rate.shape == (2, 63)
    assert recording.energies["kinetic"][-1] == pytest.approx(world.energies.kinetic, rel=1e-12)
    np.testing.assert_array_equal(recording.arrays["clamp/drag/force"][-1], world.clamps["drag"].wrench.force)
    again = World.from_toml(recording.text)
    again.step(50)
    assert again.state == world.state
    # The recording is closed: the world goes on without it.
    world.step(10)
    assert len(Recording(path).time) == 6


def test_contacts_and_patches_of_a_recording_are_those_of_the_world(tmp_path: Path) -> None:
    world = World("soft_finger")
    with world.record(tmp_path / "run.mcap", rate=1e4, state_rate=1e4):
        world.step(6)
        now = world.time
    recording = Recording(tmp_path / "run.mcap")
    contacts = recording.contacts[recording.contacts["time"] == now]
    pushing = world.contacts()
    assert len(pushing) > 10 and len(recording.contacts) > len(contacts)
    for name in CONTACT_DTYPE.names or ():
        if name != "slip":
            np.testing.assert_array_equal(contacts[name], pushing[name], err_msg=name)
    np.testing.assert_allclose(contacts["slip"], pushing["slip"], atol=1e-15)
    touches = recording.touches[recording.touches["time"] == now]
    np.testing.assert_array_equal(touches["force"], pushing["force"].astype(np.float32))
    np.testing.assert_array_equal(touches["sides"], [[0, -2]] * len(touches))
    patches = recording.patches[recording.patches["time"] == now]
    for name in PATCH_DTYPE.names or ():
        np.testing.assert_array_equal(patches[name], world.patches()[name], err_msg=name)
    first = len(recording.patches) - len(patches)
    polygons, of_world = recording.polygons[recording.polygons["patch"] >= first], world.polygons()
    assert len(of_world) == world.patches()["polygons"].sum()
    for name in ("edge", "corner_count", "area", "pressure", "normal", "force"):
        np.testing.assert_array_equal(polygons[name], of_world[name], err_msg=name)
    for recorded, polygon in zip(polygons, of_world):
        np.testing.assert_array_equal(
            recording.patch_corners[recorded["first_corner"] :][: recorded["corner_count"]],
            world.patch_corners()[polygon["first_corner"] :][: polygon["corner_count"]],
        )


def test_a_recording_without_contact_has_none(tmp_path: Path) -> None:
    world = World("double_pendulum")
    with world.record(tmp_path / "run.mcap"):
        world.step(5)
    recording = Recording(tmp_path / "run.mcap")
    assert len(recording.contacts) == len(recording.patches) == len(recording.polygons) == 0
    assert recording.patch_corners.shape == (0, 3)


def test_a_recording_says_what_is_in_it_and_is_exported(tmp_path: Path) -> None:
    world = World("suspended_load", {"attach.knot.until": 0.01})
    with world.record(tmp_path / "run.mcap", rate=1e3):
        world.step(20)
    recording = Recording(tmp_path / "run.mcap")
    assert [event["kind"] for event in recording.events] == ["start", "attach", "release", "end"]
    assert recording.events[2]["name"] == "knot" and 0.01 < recording.events[2]["time"] < 0.015
    assert (recording.info["frames"], recording.info["steps"], recording.info["complete"]) == (21, 20, True)
    recording.export(tmp_path / "run.csv")
    table = np.genfromtxt(tmp_path / "run.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(table["time_s"], recording.time)
    recording.export(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as arrays:
        np.testing.assert_array_equal(arrays["rope/q"][..., :3], recording.rods["rope"].positions)
    recording.export(tmp_path / "run.glb")
    assert (tmp_path / "run.glb").read_bytes()[:4] == b"glTF"
    with pytest.raises(ValueError, match=r"end in \.npz, \.csv or \.glb"):
        recording.export(tmp_path / "run.txt")


def test_a_failure_completes_the_recording(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    world = World(dt=1e-3, gravity=[0, 0, 0])
    arc = curves.Arc([0, 0, 0], [1, 0, 0], [0, 0, 1], radius=0.02, angle=3.0)
    world.add_rod("wire", arc, preset="steel_wire", segments=10)
    world.set_solver(max_iterations=1, max_halvings=0, tolerance=1e-14)
    with pytest.raises(StepError), world.record(path):
        world.step(5)
    assert Recording(path).time.tolist() == [0.0]


def test_mistakes_are_named(tmp_path: Path) -> None:
    world = World("cantilever")
    with pytest.raises(ValueError, match="rate is 0"):
        world.record(tmp_path / "run.mcap", rate=0.0)
    recorder = world.record(tmp_path / "run.mcap")
    with pytest.raises(ValueError, match="recorded already"):
        world.record(tmp_path / "other.mcap")
    recorder.close()
    recorder.close()
    with pytest.raises(OSError, match=r"missing\.mcap"):
        Recording(tmp_path / "missing.mcap")
    with pytest.raises(OSError, match="nowhere"):
        world.record(tmp_path / "nowhere" / "run.mcap")


def test_recordings_can_be_drawn(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    world = World("twisted_ring")
    with world.record(tmp_path / "run.mcap"):
        world.step(50)
    recording = Recording(tmp_path / "run.mcap")
    axes = recording.plot(frames=3)
    assert recording.title in axes.get_title() and len(axes.lines) == 6
    flat = recording.plot(frames=2, plane="xy")
    np.testing.assert_array_equal(
        np.array(flat.lines[-1].get_xydata())[:-1], recording.rods["below"].positions[-1, :, :2]
    )
    series = recording.plot_series("above/tension")
    assert len(series.lines) == 100
    with pytest.raises(KeyError, match="no array called 'nothing'"):
        recording.plot_series("nothing")

"""Recordings in the words of other tools: bags of ROS 2, read by ``mcap-ros2-support`` and ``rosbags``; the messages of Foxglove."""

import json
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

import ropewalk
from ropewalk import World, _core

STEPS = 60


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ropewalk.Recording]:
    """A robot that holds a rope, and what it did."""
    path = tmp_path_factory.mktemp("run") / "run.mcap"
    world = World("arm_rope")
    with world.record(path, rate=100.0, state_rate=100.0, foxglove_rate=50.0):
        world.step(STEPS)
    return path, ropewalk.Recording(path)


@pytest.fixture(scope="module")
def bag(recorded: tuple[Path, ropewalk.Recording]) -> Path:
    path = recorded[0].with_name("run_ros2")
    _core.export_recording(recorded[0], path, "ros2")
    return path


def joint_columns(recording: ropewalk.Recording) -> tuple[str, np.ndarray]:
    name = next(name for name in recording.arrays if name.startswith("tree/") and name.endswith("/q"))
    return name.split("/")[1], recording.arrays[name]


def test_bags_are_read_by_mcap_ros2_support(recorded: tuple[Path, ropewalk.Recording], bag: Path) -> None:
    decoder = pytest.importorskip("mcap_ros2.decoder", reason="mcap-ros2-support is not installed")
    recording = recorded[1]
    found: dict[str, list[object]] = {}
    with open(bag / "run_ros2_0.mcap", "rb") as file:
        reader = make_reader(file, decoder_factories=[decoder.DecoderFactory()])
        assert reader.get_header().profile == "ros2"
        for _, channel, _, message in reader.iter_decoded_messages():
            found.setdefault(channel.topic, []).append(message)
    assert {"/tf", "/markers", "/joint_states"} <= found.keys()
    # Joints: those of the last state.
    tree, q = joint_columns(recording)
    last = found["/joint_states"][-1]
    assert len(found["/joint_states"]) == len(q)
    assert len(last.name) == len(last.position) == len(last.velocity) == len(last.effort)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(last.position, q[-1])  # type: ignore[attr-defined]
    assert any(abs(x) > 0.0 for x in last.effort)  # type: ignore[attr-defined]
    # Frames of links: poses in single precision.
    poses = recording.arrays[f"tree/{tree}/poses"]
    transforms = found["/tf"][-1].transforms  # type: ignore[attr-defined]
    assert len(found["/tf"]) == len(recording.time)
    mine = [t for t in transforms if t.child_frame_id.startswith(f"{tree}/")]
    assert {t.header.frame_id for t in transforms} == {"world"}
    place = [[t.transform.translation.x, t.transform.translation.y, t.transform.translation.z] for t in mine]
    np.testing.assert_allclose(place, poses[-1][:, :3], atol=1e-6)
    stamp = mine[0].header.stamp
    assert abs(stamp.sec + 1e-9 * stamp.nanosec - recording.time[-1]) < 1e-8
    # Rods as lines, through their nodes.
    markers = {(m.ns, m.id): m for m in found["/markers"][-1].markers}  # type: ignore[attr-defined]
    line = markers["rods", 0]
    rod = next(name for name in recording.arrays if name.endswith("/tension")).split("/")[0]
    points = [[p.x, p.y, p.z] for p in line.points]
    np.testing.assert_allclose(points, recording.arrays[f"{rod}/q"][-1][:, :3], atol=1e-6)
    assert line.type == 4 and line.scale.x > 0.0
    # Shapes of links come with the first.
    first = found["/markers"][0].markers  # type: ignore[attr-defined]
    assert any(m.frame_locked and m.header.frame_id.startswith(f"{tree}/") for m in first)
    # Wrenches, as measured.
    name = next(name for name in recording.arrays if name.startswith("attach/") and name.endswith("/force"))
    wrench = found["/" + "/".join(name.split("/")[:2])][-1].wrench  # type: ignore[attr-defined]
    np.testing.assert_array_equal([wrench.force.x, wrench.force.y, wrench.force.z], recording.arrays[name][-1])


def test_bags_are_read_by_rosbags(recorded: tuple[Path, ropewalk.Recording], bag: Path) -> None:
    highlevel = pytest.importorskip("rosbags.highlevel", reason="rosbags is not installed")
    typesys = pytest.importorskip("rosbags.typesys", reason="rosbags is not installed")
    recording = recorded[1]
    types = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    counts: dict[str, int] = {}
    last: dict[str, object] = {}
    with highlevel.AnyReader([bag], default_typestore=types) as reader:
        assert abs(1e-9 * reader.duration - recording.time[-1]) < 1e-6
        for connection, _, raw in reader.messages():
            counts[connection.topic] = counts.get(connection.topic, 0) + 1
            last[connection.topic] = types.deserialize_cdr(raw, connection.msgtype)
        assert sum(counts.values()) == reader.message_count
    _, q = joint_columns(recording)
    assert counts["/tf"] == counts["/markers"] == len(recording.time)
    np.testing.assert_array_equal(last["/joint_states"].position, q[-1])  # type: ignore[attr-defined]
    assert {m.ns for m in last["/markers"].markers} >= {"rods", "contacts"}  # type: ignore[attr-defined]


PRIMITIVES = ["arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models"]


def test_foxglove_finds_its_messages(recorded: tuple[Path, ropewalk.Recording]) -> None:
    path, recording = recorded
    transforms, updates, schemas = [], [], {}
    with open(path, "rb") as file:
        for schema, channel, message in make_reader(file).iter_messages(topics=["/tf", "/scene_update"]):
            assert schema is not None and channel.message_encoding == "json" and schema.encoding == "jsonschema"
            schemas[channel.topic] = schema
            (transforms if channel.topic == "/tf" else updates).append(json.loads(message.data))
    names = {topic: schema.name for topic, schema in schemas.items()}
    assert names == {"/tf": "foxglove.FrameTransforms", "/scene_update": "foxglove.SceneUpdate"}
    jsonschema = pytest.importorskip("jsonschema")
    for topic, messages in (("/tf", transforms), ("/scene_update", updates)):
        validator = jsonschema.Draft202012Validator(json.loads(schemas[topic].data))
        for message in messages:
            validator.validate(message)
    assert len(updates) == len(transforms) + 1
    tree, _ = joint_columns(recording)
    frames = {t["child_frame_id"] for t in transforms[-1]["transforms"]}
    shapes = updates[0]["entities"]
    assert shapes and all(e["frame_locked"] and e["frame_id"] in frames for e in shapes)
    entities = {e["id"]: e for e in updates[-1]["entities"]}
    rod = next(name for name in recording.arrays if name.endswith("/tension")).split("/")[0]
    line = entities[f"rod/{rod}"]["lines"][0]
    points = [[p["x"], p["y"], p["z"]] for p in line["points"]]
    np.testing.assert_allclose(points, recording.arrays[f"{rod}/q"][-1][:, :3], atol=1e-6)
    assert "contacts" in entities
    for entity in [*shapes, *entities.values()]:
        assert all(isinstance(entity[kind], list) for kind in PRIMITIVES)
        assert {"timestamp", "lifetime", "metadata", "frame_locked"} <= entity.keys()


def test_damaged_recordings_raise(tmp_path: Path) -> None:
    """They ended the interpreter: a record that claims 2^64 - 1 bytes, and one of 2^48."""
    for length in (2**64 - 1, 2**48):
        path = tmp_path / "damaged.mcap"
        path.write_bytes(b"\x89MCAP0\r\n\x01" + length.to_bytes(8, "little") + b"x" * 20)
        with pytest.raises(ropewalk.RecordingError, match="damaged.mcap"):
            ropewalk.Recording(path)
    with pytest.raises(ropewalk.RecordingError, match="not a regular file"):
        ropewalk.Recording("/dev/zero")
    with pytest.raises(OSError):
        ropewalk.Recording(tmp_path / "missing.mcap")


def test_what_takes_too_much_is_refused() -> None:
    with pytest.raises(ValueError, match="threads is 20000"):
        ropewalk.Batch("cantilever", 2, threads=20000)
    # A list of 1e9 entries was made before their memory was looked at.
    for n in (1_000_000, 10**9, 10**400):
        with pytest.raises(ValueError, match="GB of memory"):
            ropewalk.Batch("cantilever", n)
    with pytest.raises(ValueError, match="steps"):
        World("cantilever").run(1e308)
    with pytest.raises(ropewalk.SceneError, match="youngs_modulus"):
        World("cantilever", {"material.rubber.youngs_modulus": 1e30})

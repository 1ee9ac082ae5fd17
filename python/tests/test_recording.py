"""Recordings of the command, read with the public `mcap` package and nothing of ours."""

import json
import os
import signal
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jsonschema = pytest.importorskip("jsonschema")
mcap_reader = pytest.importorskip("mcap.reader")
from mcap.exceptions import EndOfFile  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TOPICS = {"/scene", "/states", "/frames", "/contacts", "/patches", "/measures", "/events", "/timers", "/tf", "/scene_update"}


@pytest.fixture(scope="module")
def command() -> str:
    """The command: ROPEWALK_COMMAND, or what the Rust tests have built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(os.environ.get("ROPEWALK_COMMAND", target / "debug" / "ropewalk")).resolve()
    if not path.exists():
        pytest.skip("the command is not built: cargo build, or set ROPEWALK_COMMAND")
    return str(path)


def run(command: str, *arguments: str, cwd: Path) -> str:
    done = subprocess.run([command, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr  # 1: a claim about the whole scene, of which this is a part
    return done.stdout


def decode_frame(data: bytes) -> dict[str, Any]:
    """A binary frame, by the page docs/recordings.md alone."""
    magic, flags, time_s, *counts = struct.unpack_from("<IId6I", data)
    assert (magic, flags) == (0x31465752, 0)
    contact = np.dtype([("point", "<f4", 3), ("force", "<f4", 3), ("gap", "<f4"), ("sides", "<u2", 2)])
    polygon = np.dtype([("pressure", "<f4"), ("corners", "<u2"), ("patch", "<u2")])
    types = [np.dtype(("<f4", 5)), np.dtype(("<f4", 7)), contact, polygon, np.dtype(("<f4", 3)), np.dtype("u1")]
    blocks, at = [], 40
    for kind, count in zip(types, counts):
        blocks.append(np.frombuffer(data, kind, count, at))
        at += count * kind.itemsize
    assert len(data) == at + -at % 4
    names = ["nodes", "links", "contacts", "polygons", "corners", "attached"]
    return {"time": time_s, **dict(zip(names, blocks))}


def read(path: Path) -> dict[str, list[Any]]:
    """All messages by topic, each checked against its schema."""
    with open(path, "rb") as file:
        reader = mcap_reader.make_reader(file)
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        assert {channel.topic for channel in summary.channels.values()} == TOPICS
        assert summary.chunk_indexes and all(c.compression == "zstd" for c in summary.chunk_indexes)
        validators: dict[str, Any] = {}
        messages: dict[str, list[Any]] = {topic: [] for topic in TOPICS}
        for schema, channel, message in reader.iter_messages():
            assert schema is not None
            if channel.topic == "/frames":
                assert (schema.encoding, channel.message_encoding) == ("ropewalk-layout", "ropewalk-frame")
                frame = decode_frame(message.data)
                assert message.log_time == round(frame["time"] * 1e9)
                messages[channel.topic].append(frame)
                continue
            assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
            data = json.loads(message.data)
            if channel.topic not in validators:
                text = json.loads(schema.data)
                validators[channel.topic] = jsonschema.Draft202012Validator(text)
            validators[channel.topic].validate(data)
            if "time" in data:
                assert message.log_time == round(data["time"] * 1e9)
            messages[channel.topic].append(data)
    return messages


def test_every_message_is_indexed_and_follows_its_schema(command: str, tmp_path: Path) -> None:
    run(command, "run", "rings", "--duration", "0.1", "--record-rate", "100", "--out", "out", cwd=tmp_path)
    messages = read(tmp_path / "out" / "run.mcap")
    scene = messages["/scene"][0]
    times = [frame["time"] for frame in messages["/frames"]]
    assert [state["time"] for state in messages["/states"]] == [times[0], times[-1]]
    nodes = np.concatenate([rod["q"] for rod in messages["/states"][-1]["rods"]])[:, :3]
    assert np.array_equal(messages["/frames"][-1]["nodes"][:, :3], nodes.astype(np.float32))
    # The last frame is the end of the run, whether or not one is due.
    assert np.allclose(np.diff(times)[:-1], scene["frame_interval"]) and len(times) == 11
    for rod, frame in zip(scene["rods"], messages["/states"][-1]["rods"]):
        assert np.shape(frame["q"]) == (rod["node_count"], 4)
        assert np.shape(frame["d1"]) == (rod["edge_count"], 3)
    # Newton's third law leaves nothing: each contact is told once, with its force on the first side.
    contacts = [c for message in messages["/contacts"] for c in message["contacts"]]
    assert contacts and all(np.dot(c["force"], c["normal"]) > 0.0 for c in contacts)


def test_patches_hold_their_polygons_and_are_exported(command: str, tmp_path: Path) -> None:
    arguments = ["--duration", "0.03", "--record-rate", "200", "--state-rate", "200", "--out", "out"]
    run(command, "run", "soft_finger", *arguments, cwd=tmp_path)
    messages = read(tmp_path / "out" / "run.mcap")
    scene, frames = messages["/scene"][0], messages["/patches"]
    assert [f["time"] for f in frames] == [f["time"] for f in messages["/contacts"]] and len(frames) == 6
    patches = [patch for frame in frames for patch in frame["patches"]]
    rod, link = (side for side in patches[-1]["sides"])
    assert rod == {"rod": {"rod": 0}} and scene["trees"][link["link"]["tree"]]["name"] == "table"
    for patch in patches:
        areas = np.array([p["area"] for p in patch["polygons"]])
        pressures = np.array([p["pressure"] for p in patch["polygons"]])
        forces = np.array([p["force"] for p in patch["polygons"]])
        assert np.isclose(areas.sum(), patch["area"]) and np.isclose(areas @ pressures, patch["normal_force"])
        np.testing.assert_allclose(forces.sum(axis=0), patch["force"], atol=1e-9 * patch["normal_force"])
        assert patch["peak_pressure"] == pressures.max() >= patch["mean_pressure"] > 0.0
        assert all(len(p["corners"]) >= 3 and p["edges"][1] is None for p in patch["polygons"])
    # The table carries the cable, which is 25 g/m and nothing else pushes on yet.
    weight = scene["rods"][0]["mass"] * 9.81
    assert patches[-1]["force"][2] == pytest.approx(weight, rel=0.3)
    run(command, "export", "out/run.mcap", "--npz", cwd=tmp_path)
    arrays = np.load(tmp_path / "out" / "run.npz")
    polygons = [p for patch in patches for p in patch["polygons"]]
    assert np.array_equal(arrays["patches/force"], [p["force"] for p in patches])
    assert np.array_equal(arrays["patches/center_of_pressure"], [p["center_of_pressure"] for p in patches])
    assert np.array_equal(arrays["polygons/pressure"], [p["pressure"] for p in polygons])
    assert np.array_equal(arrays["polygons/corners"], [x for p in polygons for x in p["corners"]])
    info = json.loads(run(command, "info", "out/run.mcap", "--json", cwd=tmp_path))
    assert info["most_patches"] == max(len(f["patches"]) for f in frames)
    assert info["peak_pressure"] == max(p["peak_pressure"] for p in patches)
    assert "Greatest pressure" in run(command, "info", "out/run.mcap", cwd=tmp_path)


def test_exported_arrays_are_those_of_the_messages(command: str, tmp_path: Path) -> None:
    run(command, "run", "arm_rope", "--duration", "0.05", "--state-rate", "1e3", "--out", "out", cwd=tmp_path)
    run(command, "export", "out/run.mcap", "--npz", cwd=tmp_path)
    arrays = np.load(tmp_path / "out" / "run.npz")
    with open(tmp_path / "out" / "run.mcap", "rb") as file:
        reader = mcap_reader.make_reader(file)
        scene = json.loads(next(iter(reader.iter_messages(topics=["/scene"])))[2].data)
        states = [json.loads(m.data) for _, _, m in reader.iter_messages(topics=["/states"])]
    rod = scene["rods"][0]["name"]
    assert np.array_equal(arrays["time"], [s["time"] for s in states])
    assert np.array_equal(arrays[f"{rod}/q"], [s["rods"][0]["q"] for s in states])
    assert np.array_equal(arrays["tree/arm/poses"], [s["trees"][0]["poses"] for s in states])


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_run_is_readable(command: str, tmp_path: Path) -> None:
    scene = ROOT / "crates" / "cli" / "tests" / "scenes" / "three_rods.toml"
    arguments = [command, "run", str(scene), "--duration", "1e5", "--out", "out", "--quiet"]
    process = subprocess.Popen(arguments, cwd=tmp_path)
    path = tmp_path / "out" / "run.mcap"
    patience = time.monotonic() + 60.0
    while not path.exists() or path.stat().st_size < 200_000:
        assert time.monotonic() < patience, "the run did not start"
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    times = []
    with open(path, "rb") as file, pytest.raises(EndOfFile):
        reader = mcap_reader.NonSeekingReader(file)
        for _, channel, message in reader.iter_messages(log_time_order=False):
            if channel.topic == "/frames":
                times.append(decode_frame(message.data)["time"])
    assert len(times) > 10 and np.all(np.diff(times) > 0.0)

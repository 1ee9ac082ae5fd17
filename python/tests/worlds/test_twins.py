"""Scenes that are built up in Python run bit-identically to the files that come with the command."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from twins import TWINS

import ropewalk
from ropewalk import World

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", ropewalk.embedded_scenes())
def test_every_scene_goes_through_a_document_and_gives_the_same_bits(name: str) -> None:
    file = World(name)
    document, text = World(file.to_document()), World.from_toml(file.to_toml())
    for world in (file, document, text):
        world.step(3)
    assert file.time > 0.0
    assert document.state == file.state == text.state


@pytest.mark.parametrize("name", TWINS)
def test_a_twin_gives_the_bits_of_the_file(name: str) -> None:
    file, twin = World(name), TWINS[name]()
    assert twin.state == file.state
    file.step(30)
    twin.step(30)
    assert file.time > 0.0
    assert twin.state == file.state


@pytest.mark.parametrize("name", TWINS)
def test_a_scene_that_is_saved_and_loaded_gives_the_same_bits(name: str, tmp_path: Path) -> None:
    twin = TWINS[name]()
    twin.save(tmp_path / "scene.toml")
    loaded = World(tmp_path / "scene.toml")
    assert loaded.to_document() == twin.to_document()
    twin.step(5)
    loaded.step(5)
    assert loaded.state == twin.state


def command() -> Path:
    """The command, as ./test has built it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    for profile in ("debug", "release"):
        if (path := target / profile / "ropewalk").exists():
            return path
    pytest.skip("the command is not built: cargo build")


@pytest.mark.parametrize("name", ["cantilever", "suspended_load", "arm_rope", "capstan", "rings", "soft_finger"])
def test_the_command_is_bit_identical(name: str, tmp_path: Path) -> None:
    world = World(name)
    until = 40 * world.dt
    out = tmp_path / "out"
    arguments = ["run", name, "--duration", str(until), "--out", str(out), "--json"]
    done = subprocess.run([command(), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["steps"] == 40
    world.run(until)
    with np.load(out / "states.npz") as states:
        for rod in world.rods.values():
            q = states[f"{rod.name}/q"][-1]
            np.testing.assert_array_equal(rod.positions, q[:, :3])
            np.testing.assert_array_equal(rod.spin_angles, q[: rod.edge_count, 3])

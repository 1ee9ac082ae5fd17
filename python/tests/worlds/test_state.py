"""States: kept, pickled, put back, bit-identical after."""

import io
import pickle
from pathlib import Path

import numpy as np
import pytest
from twins import TWINS

import ropewalk
from ropewalk import State, World


@pytest.mark.parametrize("name", ropewalk.embedded_scenes())
def test_a_state_that_is_pickled_goes_on_with_the_same_bits(name: str) -> None:
    world = World(name)
    world.step(25)
    kept: State = pickle.loads(pickle.dumps(world.state))
    assert kept.time == world.time
    world.step(15)
    other = World(name)
    other.state = kept
    other.step(15)
    assert other.state == world.state


def test_a_world_can_be_pickled() -> None:
    world = TWINS["capstan"]()
    world.step(20)
    other: World = pickle.loads(pickle.dumps(world))
    world.step(10)
    other.step(10)
    assert other.state == world.state


def test_the_same_world_goes_back() -> None:
    world = World("capstan")
    world.step(20)
    kept = world.state
    world.step(10)
    end = world.state
    world.state = kept
    assert world.state == kept
    world.step(10)
    assert world.state == end


def test_a_state_is_an_archive_of_arrays(tmp_path: Path) -> None:
    world = World("arm_rope")
    world.step(3)
    state = world.state
    with np.load(io.BytesIO(bytes(state))) as arrays:
        assert set(arrays.files) == set(state.keys())
        np.testing.assert_array_equal(arrays["rope/q"][:, :3], world.rods["rope"].positions)
        np.testing.assert_array_equal(state["tree/arm/q"], world.robots["arm"].joint_positions)
    world.save_state(tmp_path / "state.npz")
    other = World("arm_rope")
    other.load_state(tmp_path / "state.npz")
    assert other.state == state


def test_a_state_of_another_world_is_refused() -> None:
    state = World("cantilever").state
    with pytest.raises(ValueError, match="not a state of this world: there is no array 'rope/q'"):
        World("capstan").state = state
    with pytest.raises(ValueError, match="has the shape"):
        World("cantilever", {"rod.beam.segments": 5}).state = state
    with pytest.raises(ValueError, match="not a state"):
        State.from_bytes(b"nothing")
    with pytest.raises(KeyError):
        state["beam/nothing"]

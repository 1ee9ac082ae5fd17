"""Measures are gathered while a world steps; claims of a scene are checked."""

import numpy as np
import pytest

from ropewalk import World, curves


def falling() -> World:
    world = World(dt=1e-3, duration=0.05)
    world.add_rod("rope", curves.Line([0, 0, 0], [0.3, 0, 0]), preset="steel_wire", segments=10)
    return world


def test_measures_are_those_of_the_arrays() -> None:
    world = falling()
    speed = world.measure("velocities", "greatest", of="rope", component="norm", across="greatest")
    height = world.measure("positions", "mean", component="z", at=3, from_=0.02)
    assert speed.value is None and height.value is None
    heights = []
    for _ in range(50):
        world.step()
        if world.time > 0.02 + 1e-6:
            heights.append(world.rods["rope"].positions[3, 2])
    assert speed.value == pytest.approx(np.linalg.norm(world.rods["rope"].velocities, axis=1).max(), rel=1e-12)
    assert height.value == pytest.approx(np.mean(heights), rel=1e-9)


def test_derived_quantities_are_measured() -> None:
    world = falling()
    defect = world.measure("momentum_defect", "greatest", of="rope", component="norm")
    slack = world.measure("slack", "last", of="rope", between=[0.0, 0.15])
    world.step(20)
    weight = 9.81 * world.rods["rope"].masses.sum()
    assert defect.value is not None and defect.value < 1e-9 * weight
    assert slack.value == pytest.approx(0.0, abs=1e-12)


def test_mistakes_name_the_key_and_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="(?s)key: of.*nearest: `rope`"):
        falling().measure("tension", "mean", of="ropes", at=0)
    with pytest.raises(ValueError, match="key: across"):
        falling().measure("tension", "mean")


def test_claims_are_checked_and_the_world_stays() -> None:
    world = falling()
    speed = {"quantity": "velocities", "component": "norm", "across": "greatest", "over": "last"}
    world.add_claim("speed", speed, equals=0.05 * 9.81, tolerance=1e-6)
    world.add_claim("wrong", speed, equals=1.0, tolerance=1e-6)
    world.add_claim("falls", {"quantity": "momentum", "component": "z", "over": "last"}, at_most=0.0)
    results = {result.name: result.passed for result in world.check_claims()}
    assert results["speed"] and results["falls"] and not results["wrong"]
    assert world.time == 0.0

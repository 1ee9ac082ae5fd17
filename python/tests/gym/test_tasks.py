"""Tasks: the expert does them, by actions alone; random actions do not."""

from typing import Any

import numpy as np
import pytest

import ropewalk.gym as rg
from ropewalk.gym.tasks import Straighten, lace
from ropewalk.topology import linking

SEEDS = {"Straighten": 4, "Calm": 3, "Shape": 2, "Fling": 2, "Insert": 2, "Lace": 2, "Route": 1, "Tie": 1, "Untie": 1, "Hang": 2}


@pytest.mark.parametrize("name", list(rg.TASKS))
def test_expert(name: str) -> None:
    env = rg.make_vector_env(name, SEEDS[name])
    outcome = rg.play(env, rg.ExpertPolicy(env), seed=0)
    assert outcome.success.all() and not outcome.failed.any()
    assert (outcome.returns > 1.0).all()


@pytest.mark.parametrize("name", ["Straighten", "Calm", "Fling"])
def test_random_policy_does_not(name: str) -> None:
    env = rg.make_vector_env(name, 4)
    assert not rg.play(env, rg.RandomPolicy(env), seed=0).success.any()


def test_the_expert_writes_no_state() -> None:
    """Playing back the expert's actions leads to the same states."""
    env = rg.make_vector_env("Straighten", 2)
    expert = rg.ExpertPolicy(env)
    seen, _ = env.reset(seed=1)
    actions, nodes = [], []
    for _ in range(15):
        actions.append(expert(seen))
        seen, *_ = env.step(actions[-1])
        nodes.append(seen["nodes"])
    env.reset(seed=1)
    for action, expected in zip(actions, nodes, strict=True):
        assert np.array_equal(env.step(action)[0]["nodes"], expected)


@pytest.mark.parametrize("pegs", [2, 5])
def test_route_with_other_numbers_of_pegs(pegs: int) -> None:
    env = rg.make_vector_env("Route", 1, task_arguments={"pegs": pegs})
    assert rg.play(env, rg.ExpertPolicy(env), seed=3).success.all()
    with pytest.raises(ValueError, match="expected 2 to 5"):
        rg.make_vector_env("Route", 1, task_arguments={"pegs": 6})


def test_the_linking_number_of_lace_is_that_of_gauss() -> None:
    env = rg.make_vector_env("Lace", 3)
    expert = rg.ExpertPolicy(env)
    seen, _ = env.reset(seed=2)
    found = []
    for _ in range(40):
        seen, *_ = env.step_some(expert(seen), np.ones(3, dtype=bool))
        now = env.now()
        center, normal = now.goals[:, None, :3], now.goals[:, None, 3:]
        angles = 2.0 * np.pi * np.arange(48)[:, None] / 48
        up = np.array([0.0, 0.0, 1.0])
        ring = center + lace.RING * (np.cos(angles) * np.cross(up, normal) + np.sin(angles) * up)
        closed = np.concatenate([now.positions, now.positions[:, -1:] + 10.0 * up, now.positions[:, :1] + 10.0 * up], axis=1)
        found.append(lace._linked(now))
        assert np.array_equal(found[-1], linking(closed, True, ring, True).round() == 1.0)
    assert not found[0].any() and found[-1].all()


def test_the_time_step_of_straighten_is_fine_enough() -> None:
    """With a quarter of the time step the same actions lead to the same nodes, within 1 % of the length."""

    class Finer(Straighten):
        def scene(self) -> dict[str, Any]:
            document = super().scene()
            document["time"]["dt"] /= 4.0
            return document

    coarse, fine = (rg.RopeVectorEnv(task, 3) for task in (Straighten(), Finer()))
    assert coarse.batch.dt <= 4e-3 and fine.batch.dt == coarse.batch.dt / 4.0
    expert = rg.ExpertPolicy(coarse)
    seen, _ = coarse.reset(seed=0)
    fine.reset(seed=0)
    every = np.ones(3, dtype=bool)
    for _ in range(35):
        action = expert(seen)
        seen, *_ = coarse.step_some(action, every)
        fine.step_some(action, every)
    apart = np.linalg.norm(coarse.now().positions - fine.now().positions, axis=2).max()
    assert apart < 0.01 * 0.8

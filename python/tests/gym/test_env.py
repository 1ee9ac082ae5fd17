"""Environments: interfaces of gymnasium, seeds, resets, failures, actions that make no sense."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import ropewalk.gym as rg
from ropewalk.batch import BatchReport

NAMES = list(rg.TASKS)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return set(a) == set(b) and all(np.array_equal(a[key], b[key]) for key in a)
    return bool(np.array_equal(a, b))


@pytest.mark.parametrize("name", NAMES)
def test_checker(name: str) -> None:
    env = gymnasium.make(f"ropewalk/{name}-v0", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Positions, velocities and forces have no bounds.
        warnings.filterwarnings("ignore", message=".*Box observation space (maximum|minimum) value is -?infinity.*")
        check_env(env.unwrapped)


@pytest.mark.parametrize(("name", "observation"), [*((name, "dict") for name in NAMES), ("Straighten", "flat"), ("Hang", "flat")])
def test_vector_equals_single(name: str, observation: Any) -> None:
    """To the bit, on other numbers of threads: observations, rewards, and how episodes end."""
    count, steps = 3, 12
    many = gymnasium.make_vec(f"ropewalk/{name}-v0", count, observation=observation, threads=2)
    actions = np.random.default_rng(5).uniform(-1, 1, (steps, *many.action_space.shape))
    seen, _ = many.reset(seed=7)
    trace = [(seen,)] + [many.step(actions[k])[:4] for k in range(steps)]
    for i in range(count):
        one = gymnasium.make(f"ropewalk/{name}-v0", observation=observation, first_index=i, threads=1)
        found: tuple[Any, ...] = one.reset(seed=7)[:1]
        for k in range(steps + 1):
            rows, *others = trace[k]
            assert same(found[0], {key: part[i] for key, part in rows.items()} if isinstance(rows, dict) else rows[i])
            assert [part[i] for part in others] == list(found[1:])
            if k < steps and not (k > 0 and (found[2] or found[3])):
                found = one.step(actions[k, i])[:4]
            else:
                break


def test_episodes_follow_from_seed_index_and_episode() -> None:
    many = rg.make_vector_env("Calm", 3, autoreset_mode=AutoresetMode.DISABLED)
    first, _ = many.reset(seed=3)
    again, _ = many.reset()
    assert not same(first, again)
    part = rg.make_vector_env("Calm", 2, first_index=1, autoreset_mode=AutoresetMode.DISABLED)
    second, _ = part.reset(seed=3)
    assert np.array_equal(second["nodes"], first["nodes"][1:])
    mask = np.array([False, True, False])
    mixed, _ = many.reset(seed=3, options={"reset_mask": mask})
    assert np.array_equal(mixed["nodes"][1], first["nodes"][1])
    assert np.array_equal(mixed["nodes"][0], again["nodes"][0])
    # A list of seeds: each environment is a single one with its seed.
    listed, _ = many.reset(seed=[9, 3, 9])
    assert np.array_equal(listed["nodes"][1], first["nodes"][0])
    assert np.array_equal(listed["nodes"][0], listed["nodes"][2])


def short(mode: AutoresetMode) -> rg.RopeVectorEnv:
    return rg.make_vector_env("Calm", 2, autoreset_mode=mode, max_episode_steps=3)


def test_autoreset_next_step() -> None:
    env = short(AutoresetMode.NEXT_STEP)
    env.reset(seed=0)
    still = np.zeros((2, 3))
    for _ in range(2):
        assert not env.step(still)[3].any()
    seen, _, _, truncated, _ = env.step(still)
    assert truncated.all()
    later, reward, _, truncated, info = env.step(still)
    assert not truncated.any() and (reward == 0.0).all() and (info["episode_number"] == 0).all()
    assert not same(seen, later)
    fresh = short(AutoresetMode.DISABLED)
    fresh.reset(seed=0)
    assert same(fresh.reset()[0], later)


def test_autoreset_same_step() -> None:
    env = short(AutoresetMode.SAME_STEP)
    env.reset(seed=0)
    still = np.zeros((2, 3))
    for _ in range(2):
        last, *_ = env.step(still)
    seen, _, _, truncated, info = env.step(still)
    assert truncated.all() and info["_final_obs"].all() and info["final_info"]["_is_success"].all()
    fresh = short(AutoresetMode.DISABLED)
    fresh.reset(seed=0)
    for _ in range(3):
        final, *_ = fresh.step(still)
    assert same(info["final_obs"][1], {key: part[1] for key, part in final.items()})
    assert same(fresh.reset()[0], seen)


def test_autoreset_disabled() -> None:
    env = short(AutoresetMode.DISABLED)
    env.reset(seed=0)
    for _ in range(3):
        env.step(np.zeros((2, 3)))
    with pytest.raises(RuntimeError, match="environment 0 has ended.*reset_mask"):
        env.step(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="at least one True"):
        env.reset(options={"reset_mask": np.zeros(2, dtype=bool)})


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_actions_that_are_not_finite_are_named(value: float) -> None:
    env = rg.make_vector_env("Straighten", 3)
    env.reset(seed=0)
    actions = np.zeros((3, 6))
    actions[2, 4] = value
    with pytest.raises(ValueError, match=r"environment 2, component 4 \(right.vy\)"):
        env.step(actions)
    with pytest.raises(ValueError, match=r"shape \(3, 5\), expected \(3, 6\).*left.vx"):
        env.step(np.zeros((3, 5)))
    one = gymnasium.make("ropewalk/Straighten-v0", disable_env_checker=True)
    one.reset(seed=0)
    with pytest.raises(ValueError, match=r"environment 0, component 4 \(right.vy\)"):
        one.step(actions[2])
    with pytest.raises(ValueError, match="expected an array of numbers"):
        env.step([["a"] * 6] * 3)


def test_a_failed_step_ends_the_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    env = rg.make_vector_env("Straighten", 2)
    env.reset(seed=0)
    real = env.batch.step

    class Failed:
        status = "not_converged"

    def step(n: int = 1, *, check: bool = True, mask: Any = None) -> BatchReport:
        reports = real(n, check=check, mask=mask).worlds
        return BatchReport([reports[0], Failed()])  # type: ignore[list-item]

    monkeypatch.setattr(env.batch, "step", step)
    seen, reward, terminated, truncated, info = env.step(np.zeros((2, 6)))
    assert list(truncated) == [False, True] and not terminated.any() and list(info["step_failed"]) == [False, True]
    assert env.failures == 1 and np.isfinite(reward).all() and all(np.isfinite(part).all() for part in seen.values())


def test_a_true_failure_is_survived() -> None:
    """Hands that tear a cable apart at the greatest speed: steps may fail, numbers stay finite."""
    env = rg.make_vector_env("Straighten", 4)
    env.reset(seed=0)
    actions = np.tile([-1.0, 0, 0, 1.0, 0, 0], (4, 1))
    for _ in range(30):
        seen, reward, *_ = env.step(actions)
        assert np.isfinite(reward).all() and all(np.isfinite(part).all() for part in seen.values())


def test_images() -> None:
    view = rg.View(modes=("rgb", "depth", "mask"), width=32, height=24)
    env = rg.make_vector_env("Straighten", 2, view=view, render_mode="rgb_array")
    seen, _ = env.reset(seed=0)
    assert env.observation_space.contains(seen)
    assert seen["rgb"].shape == (2, 24, 32, 3) and seen["mask"].max() == 1 and np.isfinite(seen["depth"]).any()
    assert env.render()[1].shape == (480, 640, 3)
    with pytest.raises(ValueError, match="flat"):
        rg.make_vector_env("Straighten", 2, view=view, observation="flat")


def test_without_randomization_models_stay() -> None:
    env = rg.make_vector_env("Straighten", 2, randomize=False)
    first, _ = env.reset(seed=0)
    env.step(np.ones((2, 6)))
    again, _ = env.reset(seed=1)
    assert same(first, again) and np.array_equal(first["nodes"][0], first["nodes"][1])

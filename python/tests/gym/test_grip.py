"""The end effector of Hang: its grip closes only within reach, holds, and lets go; its hand is where it is led."""

import numpy as np
import pytest

import ropewalk.gym as rg


def hang() -> tuple[rg.RopeVectorEnv, np.ndarray]:
    env = rg.make_vector_env("Hang", 1)
    env.reset(seed=0)
    return env, np.ones(1, dtype=bool)


def test_actions_and_observations_have_the_grip() -> None:
    env, _ = hang()
    assert env.actions.names == ["hand.vx", "hand.vy", "hand.vz", "hand.grip"]
    seen, _ = env.reset(seed=0)
    assert seen["grip"].shape == (1, 1) and seen["grip"][0, 0] == 0.0
    with pytest.raises(ValueError, match=r"component 3 \(hand.grip\)"):
        env.step([[0.0, 0.0, 0.0, np.nan]])


def test_a_grip_out_of_reach_holds_nothing() -> None:
    env, every = hang()
    for _ in range(5):
        seen, *_ = env.step_some([[0.0, 0.0, 0.0, 1.0]], every)
    assert np.linalg.norm(seen["ends"][0, 0] - seen["nodes"][0, -1]) > 0.1
    assert seen["grip"][0, 0] == 0.0 and (seen["wrench"] == 0.0).all()


def test_a_grip_holds_the_cable_until_it_opens() -> None:
    env, every = hang()
    expert = rg.ExpertPolicy(env)
    seen, _ = env.reset(seed=0)
    while seen["grip"][0, 0] == 0.0:
        seen, *_ = env.step_some(expert(seen), every)
    assert np.linalg.norm(seen["ends"][0, 0] - seen["nodes"][0, -1]) < 0.016
    start = seen["nodes"][0, -1]
    for _ in range(20):
        seen, *_ = env.step_some([[0.0, 0.0, 0.5, 1.0]], every)
    # 20 steps of 40 ms at half of 0.4 m/s: the end of the cable goes along.
    assert np.allclose(seen["nodes"][0, -1] - start, [0.0, 0.0, 0.16], atol=0.01)
    for _ in range(22):
        seen, *_ = env.step_some([[0.0, 0.0, -0.5, 1.0]], every)
    # Lower than it hung, the cable is taut: the grip pulls down.
    held = seen["nodes"][0, -1]
    assert seen["tension"][0, 6] > 1.0 and seen["wrench"][0, 0, 2] < -1.0
    for _ in range(10):
        seen, *_ = env.step_some([[0.0, 0.0, 0.0, -1.0]], every)
    assert seen["grip"][0, 0] == 0.0 and (seen["wrench"] == 0.0).all()
    assert np.linalg.norm(seen["nodes"][0, -1] - held) > 0.01


def test_the_hand_stays_in_its_box() -> None:
    env, every = hang()
    for _ in range(60):
        seen, *_ = env.step_some([[1.0, 1.0, 1.0, 0.0]], every)
    assert np.allclose(seen["ends"][0, 0], env.actions.holders[0].high, atol=5e-3)

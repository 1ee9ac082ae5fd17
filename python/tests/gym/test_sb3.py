"""The adapter to stable-baselines3."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import ropewalk.gym as rg

pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed: its adapter is not tested")


def test_episodes_end_and_begin() -> None:
    from ropewalk.gym.sb3 import RopeVecEnv

    env = RopeVecEnv(
        rg.make_vector_env("Calm", 2, observation="flat", autoreset_mode=AutoresetMode.SAME_STEP, max_episode_steps=3)
    )
    env.seed(5)
    first = env.reset()
    assert first.shape == (2, *env.observation_space.shape)
    for k in range(3):
        seen, reward, done, infos = env.step(np.zeros((2, 3)))
        assert done.all() == (k == 2)
    assert infos[0]["TimeLimit.truncated"] and infos[0]["episode"]["l"] == 3 and reward.dtype == np.float32
    assert infos[0]["terminal_observation"].shape == seen[0].shape and not np.array_equal(infos[0]["terminal_observation"], seen[0])
    with pytest.raises(ValueError, match="SAME_STEP"):
        RopeVecEnv(rg.make_vector_env("Calm", 2))

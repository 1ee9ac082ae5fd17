"""PPO by stable-baselines3, as a second baseline."""

import sys
import time
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ropewalk.gym.learn import Curve
from ropewalk.gym.task import Task
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["NODES", "PpoPolicy", "train"]


COUNT, NODES = 32, 5
"""Environments that are stepped side by side, and places on the cable that are observed."""


class PpoPolicy:
    """What PPO has learned, without noise.

    Args:
        model: of stable-baselines3.
        env: its environments, which normalize observations.
    """

    def __init__(self, model: Any, env: Any) -> None:
        self._model, self._env = model, env

    def begin(self, mask: Any) -> None:
        """Nothing to be done."""

    def __call__(self, seen: Any) -> Any:
        """Actions, shape (N, a)."""
        return self._model.predict(self._env.normalize_obs(seen), deterministic=True)[0]


def train(task: Task, steps: int, seed: int, threads: int | None = None) -> tuple[PpoPolicy, Curve]:
    """Learns with PPO in ``steps`` steps of environments: the policy, which sees flat observations of ``NODES`` places, and how its mean
    return over the last 100 episodes went."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

    from ropewalk.gym.sb3 import RopeVecEnv

    started = time.process_time()
    worlds = RopeVectorEnv(
        task, COUNT, observation="flat", nodes=NODES, threads=threads, autoreset_mode=AutoresetMode.SAME_STEP
    )
    env = VecNormalize(VecMonitor(RopeVecEnv(worlds)), norm_reward=False)
    env.seed(seed)
    curve = Curve()

    class Note(BaseCallback):
        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            episodes = list(self.model.ep_info_buffer or ())
            if episodes:
                curve.steps.append(self.num_timesteps)
                curve.seconds.append(time.process_time() - started)
                curve.mean.append(float(np.mean([episode["r"] for episode in episodes])))
                print(
                    f"{task.name}: PPO, {curve.steps[-1]:7d} steps, {curve.seconds[-1]:5.0f} CPU-s, mean return {curve.mean[-1]:6.3f}",
                    file=sys.stderr,
                )

    model = PPO("MlpPolicy", env, n_steps=128, batch_size=512, gamma=0.99, learning_rate=1e-3, seed=seed, device="cpu")
    model.learn(steps, callback=Note())
    return PpoPolicy(model, env), curve

"""PPO by stable-baselines3, as a second baseline."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ropewalk.gym.policies import ExpertPolicy, RandomPolicy, play
from ropewalk.gym.task import Task
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["train"]


class _Learned:
    def __init__(self, model: Any) -> None:
        self._model = model

    def begin(self, mask: Any) -> None:
        """Nothing to be done."""

    def __call__(self, seen: Any) -> Any:
        return self._model.predict(seen, deterministic=True)[0]


def train(task: Task, steps: int, seed: int) -> tuple[list[int], list[float], dict[str, float]]:
    """Learns with PPO. Steps so far and mean returns of the last 100 episodes; and the return on 100 unseen seeds as
    :func:`ropewalk.gym.learn.normalized_return` gives it."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

    from ropewalk.gym.sb3 import RopeVecEnv

    count, nodes = 32, 5
    same_step = RopeVectorEnv(task, count, observation="flat", nodes=nodes, autoreset_mode=AutoresetMode.SAME_STEP)
    env = VecNormalize(VecMonitor(RopeVecEnv(same_step)), norm_reward=False)
    env.seed(seed)
    curve: tuple[list[int], list[float]] = ([], [])

    class Note(BaseCallback):
        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            returns = [episode["r"] for episode in self.model.ep_info_buffer or ()]
            if returns:
                curve[0].append(self.num_timesteps)
                curve[1].append(float(np.mean(returns)))

    model = PPO("MlpPolicy", env, n_steps=128, batch_size=512, gamma=0.99, learning_rate=1e-3, seed=seed, device="cpu")
    model.learn(steps, callback=Note())

    class Normalized(_Learned):
        def __call__(self, seen: Any) -> Any:
            return super().__call__(env.normalize_obs(seen))

    flat = RopeVectorEnv(task, 100, observation="flat", nodes=nodes)
    learned, chance = play(flat, Normalized(model), 1), play(flat, RandomPolicy(flat, 1), 1)
    named = RopeVectorEnv(task, 100)
    expert = play(named, ExpertPolicy(named), 1)
    low, high = float(chance.returns.mean()), float(expert.returns.mean())
    mean = float(learned.returns.mean())
    found = {"normalized": (mean - low) / (high - low), "return": mean, "random": low, "expert": high}
    return curve[0], curve[1], {**found, "success": float(learned.success.mean())}

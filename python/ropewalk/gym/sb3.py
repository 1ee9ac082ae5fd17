"""The environments as a ``VecEnv`` of stable-baselines3."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ropewalk.gym.vector_env import RopeVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        "ropewalk.gym.sb3 needs the package stable-baselines3, which is not installed\n"
        "hint: pip install 'stable-baselines3>=2.4'"
    ) from error

__all__ = ["RopeVecEnv"]


class RopeVecEnv(VecEnv):
    """Environments for stable-baselines3: an episode that ends begins anew within the same step, and the last observation of the old
    one is in ``info["terminal_observation"]``.

    Args:
        env: the environments, made with ``autoreset_mode=AutoresetMode.SAME_STEP``.
    """

    def __init__(self, env: RopeVectorEnv) -> None:
        if env.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f"autoreset_mode is {env.autoreset_mode}, expected AutoresetMode.SAME_STEP")
        self.env = env
        self._given: Any = None
        self._began = np.zeros(env.num_envs, dtype=np.int64)
        self._returns = np.zeros(env.num_envs)
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> Any:
        """Begins episodes with the seeds that :meth:`seed` gave."""
        seeds = list(self._seeds)
        seen, _ = self.env.reset(seed=seeds if any(seed is not None for seed in seeds) else None)
        self._reset_seeds()
        self._reset_options()
        self._began[:] = 0
        self._returns[:] = 0.0
        return seen

    def step_async(self, actions: NDArray[Any]) -> None:
        """Takes actions."""
        self._given = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Takes the step."""
        seen, reward, terminated, truncated, found = self.env.step(self._given)
        done = terminated | truncated
        self._began += 1
        self._returns += reward
        infos: list[dict[str, Any]] = []
        for i in range(self.num_envs):
            info: dict[str, Any] = {"is_success": bool(found["is_success"][i]), "step_failed": bool(found["step_failed"][i])}
            info["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
            if done[i]:
                info["terminal_observation"] = found["final_obs"][i]
                info["episode"] = {"r": float(self._returns[i]), "l": int(self._began[i])}
            infos.append(info)
        self._began[done] = 0
        self._returns[done] = 0.0
        return seen, reward.astype(np.float32), done, infos

    def close(self) -> None:
        """Closes the environments."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: None | int | Iterable[int] = None) -> list[Any]:
        """An attribute, once for each environment."""
        return [getattr(self.env, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: None | int | Iterable[int] = None) -> None:
        """Sets an attribute of all environments."""
        setattr(self.env, attr_name, value)

    def env_method(
        self, method_name: str, *arguments: Any, indices: None | int | Iterable[int] = None, **named: Any
    ) -> list[Any]:
        """Calls a method of all environments together."""
        return [getattr(self.env, method_name)(*arguments, **named)] * len(self._indices(indices))

    def env_is_wrapped(self, wrapper_class: type, indices: None | int | Iterable[int] = None) -> list[bool]:
        """They are not."""
        return [False] * len(self._indices(indices))

    def _indices(self, indices: None | int | Iterable[int]) -> Sequence[int]:
        return list(self._get_indices(indices))

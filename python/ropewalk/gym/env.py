"""One environment: a vector of one."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ropewalk.gym.task import Task
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["RopeEnv"]


class RopeEnv(gymnasium.Env[Any, Any]):
    """One environment of a task; arguments as for :class:`RopeVectorEnv`, of which it is the case N = 1.

    Args:
        task: the task.
        arguments: those of :class:`RopeVectorEnv` but ``num_envs`` and ``autoreset_mode``.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25.0}

    def __init__(self, task: Task, **arguments: Any) -> None:
        self.vector = RopeVectorEnv(task, 1, autoreset_mode=AutoresetMode.DISABLED, **arguments)
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": task.rate}
        self.render_mode = self.vector.render_mode
        self.action_space = self.vector.single_action_space
        self.observation_space = self.vector.single_observation_space

    @property
    def task(self) -> Task:
        """The task."""
        return self.vector.task

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        seen, info = self.vector.reset(seed=seed)
        return self._first(seen), self._info(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step of 1/rate s; an action of shape (a,) within -1 and 1."""
        seen, reward, terminated, truncated, info = self.vector.step(np.asarray(action)[None])
        # A single environment is reset by whoever steps it, also where it goes on past the end of an episode.
        self.vector._ended[:] = False
        return self._first(seen), float(reward[0]), bool(terminated[0]), bool(truncated[0]), self._info(info)

    def render(self) -> NDArray[np.uint8] | None:
        """An image, uint8, shape (480, 640, 3)."""
        return self.vector.render()[0] if self.render_mode == "rgb_array" else None

    def _first(self, seen: Any) -> Any:
        return self.vector.observations.row(seen, 0)

    @staticmethod
    def _info(info: dict[str, Any]) -> dict[str, Any]:
        return {key: values[0].item() for key, values in info.items() if not key.startswith("_")}

"""Environments for reinforcement learning, with the interfaces of gymnasium (``pip install 'ropewalk[gym]'``).

``gymnasium.make("ropewalk/Straighten-v0")``, ``gymnasium.make_vec("ropewalk/Straighten-v0", num_envs=64)``; see ``docs/gym.md``.
Importing this module registers the environments.
"""

try:
    import gymnasium as _gymnasium
except ImportError as error:
    raise ImportError(
        "ropewalk.gym needs the package gymnasium, which is not installed\n"
        "hint: pip install 'ropewalk[gym]', or pip install 'gymnasium>=1.2.2,<2'"
    ) from error

from typing import Any

from ropewalk.gym.env import RopeEnv
from ropewalk.gym.observations import View
from ropewalk.gym.policies import ExpertPolicy, Outcome, Policy, RandomPolicy, play
from ropewalk.gym.task import Episode, Task
from ropewalk.gym.tasks import TASKS
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = [
    "TASKS",
    "Episode",
    "ExpertPolicy",
    "Outcome",
    "Policy",
    "RandomPolicy",
    "RopeEnv",
    "RopeVectorEnv",
    "Task",
    "View",
    "make_env",
    "make_vector_env",
    "play",
]


def _task(name: str, arguments: dict[str, Any] | None) -> Task:
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}, expected one of {', '.join(TASKS)}")
    return TASKS[name](**(arguments or {}))


def make_env(task: str, task_arguments: dict[str, Any] | None = None, **arguments: Any) -> RopeEnv:
    """One environment of a task by name; further arguments are those of :class:`RopeEnv`."""
    return RopeEnv(_task(task, task_arguments), **arguments)


def make_vector_env(
    task: str, num_envs: int = 1, task_arguments: dict[str, Any] | None = None, **arguments: Any
) -> RopeVectorEnv:
    """Many environments of a task by name; further arguments are those of :class:`RopeVectorEnv`."""
    return RopeVectorEnv(_task(task, task_arguments), num_envs, **arguments)


for _name in TASKS:
    _id = f"ropewalk/{_name}-v0"
    if _id not in _gymnasium.registry:
        _gymnasium.register(
            _id,
            entry_point="ropewalk.gym:make_env",
            vector_entry_point="ropewalk.gym:make_vector_env",
            kwargs={"task": _name},
        )

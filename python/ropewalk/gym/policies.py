"""Policies: scripted experts, random actions; and how an environment is played with one."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.task import Observation, Script
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["ExpertPolicy", "Outcome", "Policy", "RandomPolicy", "play"]

Bool = NDArray[np.bool_]


class Policy(Protocol):
    """What acts in N environments."""

    def begin(self, mask: Bool) -> None:
        """Episodes of the environments of the mask begin with the next observation."""

    def __call__(self, seen: Any) -> FloatArray:
        """Actions, shape (N, a), for observations."""


class RandomPolicy:
    """Actions evenly distributed over the action space.

    Args:
        env: the environments.
        seed: of the actions.
    """

    def __init__(self, env: RopeVectorEnv, seed: int = 0) -> None:
        self._shape = (env.num_envs, len(env.actions.names))
        self._random = np.random.default_rng(seed)

    def begin(self, mask: Bool) -> None:
        """Nothing to be done."""

    def __call__(self, seen: Any) -> FloatArray:
        """Actions, shape (N, a)."""
        return self._random.uniform(-1.0, 1.0, self._shape)


class ExpertPolicy:
    """The scripted expert of the task: it sees what any policy sees (of kind ``"dict"``), and acts by actions alone.

    Args:
        env: the environments.
    """

    def __init__(self, env: RopeVectorEnv) -> None:
        if env.observations.kind != "dict":
            raise ValueError("the expert reads observations by name: make the environments with observation='dict'")
        self._env = env
        self._scripts: list[Script | None] = [None] * env.num_envs
        self._idle = np.zeros(len(env.actions.names))

    def begin(self, mask: Bool) -> None:
        """Starts the scripts of these environments."""
        for i in np.flatnonzero(mask):
            self._scripts[i] = None

    def __call__(self, seen: dict[str, Any]) -> FloatArray:
        """Actions, shape (N, a)."""
        out = []
        for i, script in enumerate(self._scripts):
            own: Observation = {key: part[i].astype(np.float64) for key, part in seen.items() if key not in ("rgb", "mask")}
            try:
                if script is None:
                    script = self._scripts[i] = self._env.task.script(own)
                    out.append(next(script))
                else:
                    out.append(script.send(own))
            except StopIteration:
                out.append(self._idle)
        return np.clip(np.array(out), -1.0, 1.0)


def lead(
    seen: Observation,
    targets: list[FloatArray],
    speed: float,
    top: float,
    rate: float,
    near: float = 2e-3,
    grip: Sequence[float] = (),
) -> Generator[FloatArray, Observation, Observation]:
    """Leads the holders through ``targets``, each of shape (h, 3), one after the other, along straight lines.

    Args:
        seen: the observation now.
        targets: places in m.
        speed: of the holder that has the longest way, in m/s.
        top: speed in m/s at an action of 1.
        rate: steps per second.
        near: distance in m at which a target counts as reached.
        grip: what the grip of an end effector does on this path: 1 to close it, -1 to open it.
    """
    for target in targets:
        while True:
            way = target - seen["ends"]
            far = float(np.linalg.norm(way, axis=1).max())
            if far < near:
                break
            velocity = way * min(speed / far, rate)
            seen = yield np.append(velocity / top, grip)
    return seen


def wait(seen: Observation, steps: int) -> Generator[FloatArray, Observation, Observation]:
    """Keeps the holders where they are."""
    for _ in range(steps):
        seen = yield np.zeros(seen["ends"].size)
    return seen


@dataclass(frozen=True)
class Outcome:
    """How episodes have ended, in the order of the environments; one episode each."""

    success: Bool
    """Whether the task was done, shape (N,)."""
    returns: FloatArray
    """Sum of rewards, shape (N,)."""
    steps: NDArray[np.int64]
    """Steps taken, shape (N,)."""
    failed: Bool
    """Whether a step failed, shape (N,)."""


def play(env: RopeVectorEnv, policy: Policy, seed: int | Sequence[int] = 0) -> Outcome:
    """Plays one episode in each environment, from a reset with ``seed`` on. An environment that is done waits for the others."""
    seen, _ = env.reset(seed=seed)
    count = env.num_envs
    policy.begin(np.ones(count, dtype=bool))
    done, success, failed = np.zeros((3, count), dtype=bool)
    returns, steps = np.zeros(count), np.zeros(count, dtype=np.int64)
    while not done.all():
        seen, reward, terminated, truncated, info = env.step_some(policy(seen), ~done)
        returns += np.where(done, 0.0, reward)
        steps += ~done
        success |= info["is_success"] & ~done
        failed |= info["step_failed"] & ~done
        done |= terminated | truncated
    return Outcome(success, returns, steps, failed)

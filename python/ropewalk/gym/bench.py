"""How fast environments step, next to the bare engine."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ropewalk.gym.policies import ExpertPolicy
from ropewalk.gym.task import Task
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["Rate", "bench", "reset_cost"]


@dataclass(frozen=True)
class Rate:
    """How fast environments step."""

    whole: float
    """Steps of environments per second, all included."""
    engine: float
    """Steps per second of the engine alone."""

    @property
    def overhead(self) -> float:
        """Share of a step that Python, commands, observations and judging take."""
        return max(0.0, 1.0 - self.whole / self.engine)


def bench(task: Task, threads: int = 1, count: int = 32, steps: int = 40, rounds: int = 3) -> Rate:
    """Steps per CPU-second on one thread, or per second of the clock on several, with the expert's actions.

    The engine is stepped alone from the same states with the same commands: what remains is Python, commands, observations and
    judging. Of several rounds the least times count. Steps in which nothing is done any more, because the episode has ended, are
    left out.
    """
    clock: Callable[[], float] = time.process_time if threads == 1 else time.perf_counter
    env = RopeVectorEnv(task, count, threads=threads)
    expert = ExpertPolicy(env)
    times = []
    taken = 0
    for _ in range(rounds):
        seen, _ = env.reset(seed=0)
        expert.begin(np.ones(count, dtype=bool))
        going, total, engine, taken = np.ones(count, dtype=bool), 0.0, 0.0, 0
        for _ in range(steps):
            action, states = expert(seen), env.batch.state
            started = clock()
            seen, _, terminated, truncated, _ = env.step_some(action, going)
            total += clock() - started
            after = env.batch.state
            env.batch.state = states
            env.actions.apply(env.batch, env.actions.check(action, count), going)
            started = clock()
            env.batch.step(env._steps_per_action, check=False, mask=going)
            engine += clock() - started
            env.batch.state = after
            taken += int(going.sum())
            going &= ~(terminated | truncated)
            if not going.any():
                break
        times.append((total, engine))
    whole, bare = np.min(times, axis=0)
    return Rate(taken / whole, taken / bare)


def reset_cost(task: Task, count: int = 32) -> dict[str, float]:
    """CPU-milliseconds of a reset of one world: with new values, which are read into a new model, and with the old ones."""
    cost = {}
    for name, randomize in (("new_model_ms", True), ("same_model_ms", False)):
        env = RopeVectorEnv(task, count, threads=1, randomize=randomize)
        env.reset(seed=0)
        started = time.process_time()
        env.reset()
        cost[name] = 1e3 * (time.process_time() - started) / count
    return cost

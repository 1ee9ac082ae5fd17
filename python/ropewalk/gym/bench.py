"""How fast environments step, next to the bare engine."""

import time

import numpy as np

from ropewalk.gym.policies import ExpertPolicy
from ropewalk.gym.task import Task
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["bench", "reset_cost"]


def bench(task: Task, count: int = 32, steps: int = 20, rounds: int = 3) -> dict[str, float]:
    """Steps of environments per CPU-second with the expert's actions on one thread, and the share of it that is not the engine's.

    The engine is stepped alone from the same states with the same commands: what remains is Python, commands, observations and
    judging. The least times of several rounds count.
    """
    env = RopeVectorEnv(task, count, threads=1)
    expert = ExpertPolicy(env)
    whole, bare = np.inf, np.inf
    for k in range(rounds):
        seen, _ = env.reset(seed=k)
        expert.begin(np.ones(count, dtype=bool))
        total = engine = 0.0
        every = np.ones(count, dtype=bool)
        for _ in range(steps):
            action = expert(seen)
            states = env.batch.state
            started = time.process_time()
            seen, *_ = env.step_some(action, every)
            total += time.process_time() - started
            after = env.batch.state
            env.batch.state = states
            env.actions.apply(env.batch, env.actions.check(action, count), every)
            started = time.process_time()
            env.batch.step(env._steps_per_action, check=False)
            engine += time.process_time() - started
            env.batch.state = after
        whole, bare = min(whole, total), min(bare, engine)
    return {
        "steps_per_cpu_second": count * steps / whole,
        "engine_steps_per_cpu_second": count * steps / bare,
        "overhead": max(0.0, 1.0 - bare / whole),
    }


def reset_cost(task: Task, count: int = 32) -> dict[str, float]:
    """CPU-seconds of a reset of one world: with new values, which are read into a new model, and with the old ones."""
    cost = {}
    for name, randomize in (("new_model_ms", True), ("same_model_ms", False)):
        env = RopeVectorEnv(task, count, threads=1, randomize=randomize)
        env.reset(seed=0)
        started = time.process_time()
        env.reset()
        cost[name] = 1e3 * (time.process_time() - started) / count
    return cost

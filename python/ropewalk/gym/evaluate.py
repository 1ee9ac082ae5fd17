"""How often a policy succeeds, and how its return compares with those of random actions and of the expert."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ropewalk.gym.policies import ExpertPolicy, Outcome, Policy, RandomPolicy, play
from ropewalk.gym.task import Task
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["UNSEEN", "Scale", "Score", "evaluate"]

UNSEEN = tuple(range(40_000, 40_100))
"""Seeds on which learned policies are judged. Nothing learns on them, and no setting was chosen by them: 30000 to 30099 served for that."""


def evaluate(task: Task, policy: str, seeds: Sequence[int], threads: int | None = None) -> Outcome:
    """One episode with each seed, as ``reset(seed=…)`` of a single environment begins it.

    Args:
        task: the task.
        policy: ``"expert"`` or ``"random"``; random actions follow from the first seed.
        seeds: the seeds.
        threads: threads of the batch.
    """
    env = RopeVectorEnv(task, len(seeds), threads=threads)
    return play(env, ExpertPolicy(env) if policy == "expert" else RandomPolicy(env, seeds[0]), list(seeds))


@dataclass(frozen=True)
class Score:
    """How a policy does on unseen seeds."""

    mean_return: float
    """Mean return."""
    normalized: float
    """The same, where 0 is that of random actions and 1 that of the expert."""
    success: float
    """Share of episodes that succeed."""


class Scale:
    """Mean returns of random actions (0) and of the expert (1) on unseen seeds.

    Args:
        task: the task.
        threads: threads of the batch.
    """

    def __init__(self, task: Task, threads: int | None = None) -> None:
        self.random, self.expert = (
            float(np.mean(evaluate(task, policy, UNSEEN, threads).returns)) for policy in ("random", "expert")
        )

    def score(self, env: RopeVectorEnv, policy: Policy) -> Score:
        """How a policy does in an environment of 100."""
        outcome = play(env, policy, UNSEEN)
        mean = float(outcome.returns.mean())
        return Score(mean, (mean - self.random) / (self.expert - self.random), float(outcome.success.mean()))

"""A baseline that learns: covariance matrix adaptation, or the cross-entropy method, on linear policies, in NumPy.

A policy is tanh(W (seen - mean)/deviation + b) of a few numbers of the observation. Each iteration draws policies about a mean,
plays the same episodes with each of them side by side, and moves the mean to the best ones.
"""

import sys
import time
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cem import Cem
from ropewalk.gym.cma import Cma
from ropewalk.gym.policies import RandomPolicy, play
from ropewalk.gym.task import Task
from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["SETTINGS", "Curve", "LinearPolicy", "Settings", "learn"]

Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class Settings:
    """Settings of the baseline.

    Args:
        keys: parts of the observation that the policy sees.
        nodes: places on the cable that are observed.
        population: policies of an iteration.
        episodes: episodes that each policy plays in an iteration.
        iterations: iterations.
        deviation: of the weights at the start.
        method: ``"cma"`` or ``"cem"``, the cross-entropy method, with a noise of 0.1.
        probe_steps: steps with random actions from which mean and deviation of what is seen are found.
    """

    keys: tuple[str, ...] = ("nodes", "ends", "tension", "wrench")
    nodes: int = 3
    population: int = 32
    episodes: int = 3
    iterations: int = 25
    deviation: float = 0.3
    method: Literal["cma", "cem"] = "cma"
    probe_steps: int = 10


SETTINGS = {
    "Straighten": Settings(keys=("ends", "tension"), iterations=28, deviation=0.4),
    # Whole episodes: in a few steps a hand goes nowhere, and weights in units of that make it run away, or too stiff to give way.
    # Twice as many policies of two episodes each, rather than 32 of three: the spread of 30 weights is estimated from a fifth of them, and
    # from six it vanished before any policy succeeded (seed 2).
    "Calm": Settings(
        keys=("ends", "wrench"), population=64, episodes=2, iterations=24, method="cem", probe_steps=100
    ),
}
"""Settings of tasks whose baseline is reported."""


class LinearPolicy:
    """Linear policies, one for each environment or one for all.

    Args:
        weights: shape (f + 1, a), or (N, f + 1, a) for N environments; the last row is b.
        keys: parts of the observation.
        mean: of the features, shape (f,).
        deviation: of the features, shape (f,).
    """

    def __init__(self, weights: FloatArray, keys: tuple[str, ...], mean: FloatArray, deviation: FloatArray) -> None:
        self.weights, self.keys, self.mean, self.deviation = weights, keys, mean, deviation

    def begin(self, mask: Bool) -> None:
        """Nothing to be done."""

    def __call__(self, seen: dict[str, Any]) -> FloatArray:
        """Actions, shape (N, a)."""
        found = np.clip((features(seen, self.keys) - self.mean) / self.deviation, -5.0, 5.0)
        weights = self.weights if self.weights.ndim == 3 else self.weights[None]
        actions: FloatArray = np.tanh(np.sum(found[:, :, None] * weights[:, :-1], axis=1) + weights[:, -1])
        return actions


def features(seen: dict[str, Any], keys: tuple[str, ...]) -> FloatArray:
    """The parts of observations in one row each, shape (N, f)."""
    parts = [np.asarray(seen[key], dtype=np.float64) for key in keys]
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


@dataclass
class Curve:
    """How learning went."""

    steps: list[int] = field(default_factory=list)
    """Steps of environments so far, by iteration."""
    seconds: list[float] = field(default_factory=list)
    """CPU-seconds so far."""
    best: list[float] = field(default_factory=list)
    """Mean return of the best quarter of the policies of the iteration."""
    mean: list[float] = field(default_factory=list)
    """Mean return of all policies of the iteration."""
    success: list[float] = field(default_factory=list)
    """Share of episodes of the best policies that succeed."""


def learn(
    task: Task, settings: Settings, *, seed: int = 0, threads: int | None = None, verbose: bool = False
) -> tuple[LinearPolicy, Curve]:
    """Learns a policy.

    Args:
        task: the task.
        settings: settings.
        seed: of episodes and weights.
        threads: threads of the batch.
        verbose: prints a line for each iteration to the standard error.
    """
    started = time.process_time()
    count = settings.population * settings.episodes
    env = RopeVectorEnv(task, count, nodes=settings.nodes, threads=threads)
    mean_seen, deviation_seen = _scales(env, settings, seed)
    shape = (len(mean_seen) + 1, len(env.actions.names))
    deviation = np.full(shape, settings.deviation)
    # A hand that goes astray by itself learns nothing else.
    deviation[-1] *= 0.2
    about = (np.zeros(deviation.size), deviation.ravel(), settings.population, seed)
    search = Cma(*about) if settings.method == "cma" else Cem(*about, noise=0.1, iterations=settings.iterations)
    curve, steps = Curve(), 0
    for iteration in range(settings.iterations):
        drawn = search.ask().reshape(-1, *shape)
        policy = LinearPolicy(np.repeat(drawn, settings.episodes, axis=0), settings.keys, mean_seen, deviation_seen)
        # All policies play the same episodes: seeds that nothing is evaluated on.
        seeds = 10_000_000 + 1000 * seed + settings.episodes * iteration + np.arange(settings.episodes)
        outcome = play(env, policy, [int(s) for s in np.tile(seeds, settings.population)])
        returns = outcome.returns.reshape(settings.population, -1).mean(axis=1)
        search.tell(returns)
        best = np.argsort(-returns, kind="stable")[: settings.population // 4]
        steps += int(outcome.steps.sum())
        curve.steps.append(steps)
        curve.seconds.append(time.process_time() - started)
        curve.best.append(float(returns[best].mean()))
        curve.mean.append(float(returns.mean()))
        curve.success.append(float(outcome.success.reshape(settings.population, -1)[best].mean()))
        if verbose:
            print(
                f"{task.name}: iteration {iteration + 1:2d}, {steps:7d} steps, {curve.seconds[-1]:5.1f} CPU-s, mean return "
                f"{curve.mean[-1]:6.3f}, of the best {curve.best[-1]:6.3f}, success of the best {curve.success[-1]:.2f}",
                file=sys.stderr,
            )
    return LinearPolicy(search.mean.reshape(shape), settings.keys, mean_seen, deviation_seen), curve


def _scales(env: RopeVectorEnv, settings: Settings, seed: int) -> tuple[FloatArray, FloatArray]:
    """Mean and deviation of the features while actions are random."""
    policy = RandomPolicy(env, seed)
    seen, _ = env.reset(seed=seed)
    rows = [features(seen, settings.keys)]
    for _ in range(settings.probe_steps):
        seen, *_ = env.step(policy(seen))
        rows.append(features(seen, settings.keys))
    found = np.concatenate(rows)
    return found.mean(axis=0), np.maximum(found.std(axis=0), 1e-2)

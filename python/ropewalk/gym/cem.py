"""The cross-entropy method: draws points from a normal distribution and fits it to the best ones."""

import numpy as np

from ropewalk._arrays import FloatArray

__all__ = ["Cem"]


class Cem:
    """Draws points, and moves to where their values are great.

    Args:
        mean: where to begin, shape (n,).
        deviation: of the first points, shape (n,).
        population: points of an iteration, of which a fifth are the best.
        seed: of the points.
        noise: added to the deviations in the first iteration, less in each, none in the last: without it the deviations of so few points
            vanish before the top is reached.
        iterations: how many there will be.
    """

    def __init__(
        self, mean: FloatArray, deviation: FloatArray, population: int, seed: int, noise: float, iterations: int
    ) -> None:
        self.mean, self._deviation, self._population = mean.copy(), deviation.copy(), population
        self._noise, self._iterations, self._steps = noise, iterations, 0
        self._random = np.random.default_rng(seed)

    def ask(self) -> FloatArray:
        """Points to be tried, shape (population, n)."""
        drawn = self._random.standard_normal((self._population, len(self.mean)))
        self._points: FloatArray = self.mean + self._deviation * drawn
        return self._points

    def tell(self, found: FloatArray) -> None:
        """Takes the values at the points that were asked for, shape (population,)."""
        best = self._points[np.argsort(-found, kind="stable")[: max(2, self._population // 5)]]
        left = max(0.0, 1.0 - (self._steps + 1.0) / self._iterations)
        self.mean, self._deviation = best.mean(axis=0), best.std(axis=0) + self._noise * left
        self._steps += 1

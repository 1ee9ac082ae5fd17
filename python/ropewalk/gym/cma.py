"""Covariance matrix adaptation: finds the greatest of a function from its values at random points (Hansen 2016, arXiv:1604.00772)."""

import numpy as np

from ropewalk._arrays import FloatArray

__all__ = ["Cma"]


class Cma:
    """Draws points, and moves to where their values are great.

    Args:
        mean: where to begin, shape (n,).
        deviation: of the first points, shape (n,) or one for all.
        population: points of an iteration.
        seed: of the points.
    """

    def __init__(self, mean: FloatArray, deviation: FloatArray, population: int, seed: int) -> None:
        n = len(mean)
        self.mean, self.sigma, self._population = mean.copy(), 1.0, population
        self._random = np.random.default_rng(seed)
        ranks = np.log(0.5 * (population + 1)) - np.log(np.arange(1, population // 2 + 1))
        self._weights = ranks / ranks.sum()
        mass = 1.0 / np.sum(self._weights**2)
        self._mass = mass
        self._c_sigma = (mass + 2.0) / (n + mass + 5.0)
        self._damping = 1.0 + 2.0 * max(0.0, np.sqrt((mass - 1.0) / (n + 1.0)) - 1.0) + self._c_sigma
        self._c_path = (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n)
        self._c_one = 2.0 / ((n + 1.3) ** 2 + mass)
        self._c_rank = min(1.0 - self._c_one, 2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0) ** 2 + mass))
        self._norm = np.sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n))
        self._covariance = np.diag(np.broadcast_to(deviation, (n,)) ** 2)
        self._path, self._path_sigma = np.zeros(n), np.zeros(n)
        self._steps = 0

    def ask(self) -> FloatArray:
        """Points to be tried, shape (population, n)."""
        values, self._axes = np.linalg.eigh(self._covariance)
        self._lengths = np.sqrt(np.maximum(values, 1e-20))
        drawn = self._random.standard_normal((self._population, len(self.mean)))
        self._ways: FloatArray = drawn * self._lengths @ self._axes.T
        return self.mean + self.sigma * self._ways

    def tell(self, found: FloatArray) -> None:
        """Takes the values at the points that were asked for, shape (population,)."""
        self._steps += 1
        best = self._ways[np.argsort(-found, kind="stable")[: len(self._weights)]]
        way = self._weights @ best
        self.mean = self.mean + self.sigma * way
        white = self._axes @ ((self._axes.T @ way) / self._lengths)
        c = self._c_sigma
        self._path_sigma = (1.0 - c) * self._path_sigma + np.sqrt(c * (2.0 - c) * self._mass) * white
        length = np.linalg.norm(self._path_sigma)
        moving = length / np.sqrt(1.0 - (1.0 - c) ** (2 * self._steps)) < (1.4 + 2.0 / (len(way) + 1.0)) * self._norm
        c = self._c_path
        self._path = (1.0 - c) * self._path + moving * np.sqrt(c * (2.0 - c) * self._mass) * way
        kept = 1.0 - self._c_one - self._c_rank + (not moving) * self._c_one * c * (2.0 - c)
        spread = (best * self._weights[:, None]).T @ best
        self._covariance = kept * self._covariance + self._c_one * np.outer(self._path, self._path) + self._c_rank * spread
        self.sigma *= float(np.exp(min(1.0, self._c_sigma / self._damping * (length / self._norm - 1.0))))

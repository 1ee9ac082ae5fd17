"""Values of a scene that differ between the worlds of a batch: given ones, and ones that are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ropewalk._arrays import FloatArray

__all__ = ["Choice", "Distribution", "LogUniform", "Normal", "Parameters", "Uniform", "values_of"]


def _floats(value: ArrayLike) -> FloatArray:
    return np.asarray(value, dtype=np.float64)


@runtime_checkable
class Distribution(Protocol):
    """Something that values are drawn from."""

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""


@dataclass(frozen=True)
class Uniform:
    """Uniform between two numbers, or two arrays of the same shape."""

    low: ArrayLike
    high: ArrayLike

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""
        return np.asarray(generator.uniform(_floats(self.low), _floats(self.high))).tolist()


@dataclass(frozen=True)
class LogUniform:
    """Uniform in the logarithm between two positive numbers: for stiffness, say."""

    low: float
    high: float

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""
        return float(np.exp(generator.uniform(np.log(self.low), np.log(self.high))))


@dataclass(frozen=True)
class Normal:
    """Normal with a mean and a standard deviation, numbers or arrays of the same shape."""

    mean: ArrayLike
    deviation: ArrayLike

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""
        return np.asarray(generator.normal(_floats(self.mean), _floats(self.deviation))).tolist()


@dataclass(frozen=True)
class Choice:
    """One of several values, each as likely."""

    values: Sequence[object]

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""
        return self.values[int(generator.integers(len(self.values)))]


Parameters = Mapping[str, ArrayLike | Sequence[object] | Distribution]
"""By path, such as ``"rod.rope.friction"``: N values, one for each world, or what to draw them from."""


def values_of(parameters: Parameters, world: int, count: int, seed: int, resets: int) -> dict[str, Any]:
    """The values of world ``world`` of ``count``, after ``resets`` resets: drawn from a stream of its own, so that they do
    not depend on what is drawn for others."""
    generator = np.random.default_rng([seed, world, resets])
    out: dict[str, Any] = {}
    for path, given in parameters.items():
        if isinstance(given, Distribution):
            out[path] = given.draw(generator)
            continue
        values = np.asarray(given).tolist() if isinstance(given, np.ndarray) else given
        if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
            raise ValueError(
                f"parameter {path!r} is {given!r}, expected {count} values, one for each world, or a distribution"
            )
        out[path] = values[world]
    return out

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


def _pair(of: object, first: str, second: str) -> tuple[FloatArray, FloatArray]:
    """Two fields of a distribution: finite, and of the same shape."""
    kind, a, b = type(of).__name__, _floats(getattr(of, first)), _floats(getattr(of, second))
    if a.shape != b.shape:
        raise ValueError(f"{first} of {kind} has the shape {a.shape} and {second} {b.shape}, expected the same")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError(f"{first} and {second} of {kind} are {a} and {b}, expected finite numbers")
    return a, b


@runtime_checkable
class Distribution(Protocol):
    """Something that values are drawn from."""

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""


@dataclass(frozen=True)
class Uniform:
    """Uniform between two numbers, or two arrays of the same shape, in the unit of the parameter."""

    low: ArrayLike
    """Least value."""
    high: ArrayLike
    """Greatest value."""

    def __post_init__(self) -> None:
        low, high = _pair(self, "low", "high")
        if np.any(low > high):
            raise ValueError(f"low of Uniform is {low}, above high, which is {high}")

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""
        return np.asarray(generator.uniform(_floats(self.low), _floats(self.high))).tolist()


@dataclass(frozen=True)
class LogUniform:
    """Uniform in the logarithm between two positive numbers, in the unit of the parameter: for stiffness, say."""

    low: float
    """Least value, above 0."""
    high: float
    """Greatest value."""

    def __post_init__(self) -> None:
        low, high = _pair(self, "low", "high")
        if not np.all((0.0 < low) & (low <= high)):
            raise ValueError(f"low and high of LogUniform are {low} and {high}, expected 0 < low <= high")

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""
        return float(np.exp(generator.uniform(np.log(self.low), np.log(self.high))))


@dataclass(frozen=True)
class Normal:
    """Normal with a mean and a standard deviation, numbers or arrays of the same shape, in the unit of the parameter."""

    mean: ArrayLike
    """Mean."""
    deviation: ArrayLike
    """Standard deviation, not below 0."""

    def __post_init__(self) -> None:
        _, deviation = _pair(self, "mean", "deviation")
        if np.any(deviation < 0.0):
            raise ValueError(f"deviation of Normal is {deviation}, expected 0 or more")

    def draw(self, generator: np.random.Generator) -> Any:
        """A value."""
        return np.asarray(generator.normal(_floats(self.mean), _floats(self.deviation))).tolist()


@dataclass(frozen=True)
class Choice:
    """One of several values, each as likely."""

    values: Sequence[object]
    """The values, at least one."""

    def __post_init__(self) -> None:
        if len(self.values) == 0:
            raise ValueError("Choice has no values, expected at least one")

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

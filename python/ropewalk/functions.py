"""Functions of time, for what moves, loads and drives. Where one is expected, a number will do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from ropewalk._part import Part

__all__ = ["Function", "Interpolation", "Motion", "Ramp", "Sine", "Table"]

Interpolation = Literal["linear", "smooth", "hold"]
"""``smooth`` is 3u^2 - 2u^3 between keys: at rest at every key."""


@dataclass(frozen=True)
class Ramp(Part):
    """From one value to another; before and after, the end values hold."""

    _tag = "ramp"
    times: Sequence[float]
    """Start and end in s."""
    values: Sequence[float]
    """Values there, in the unit of what it drives."""
    interpolation: Interpolation | None = None
    """The way between; linear by default."""


@dataclass(frozen=True)
class Sine(Part):
    """offset + amplitude sin(2 pi frequency t + phase)."""

    _tag = "sine"
    amplitude: float
    """Amplitude, in the unit of what it drives."""
    frequency: float
    """Frequency in Hz."""
    phase: float | None = None
    """Phase in rad; 0 by default."""
    offset: float | None = None
    """Mean value, in the same unit; 0 by default."""


@dataclass(frozen=True)
class Table(Part):
    """Values at keys; before the first and after the last the end values hold."""

    _tag = "table"
    times: ArrayLike
    """Times of the keys in s, increasing, shape (k,)."""
    values: ArrayLike
    """Values there, in the unit of what it drives, shape (k,)."""
    interpolation: Interpolation | None = None
    """The way between; linear by default."""


Function = float | Ramp | Sine | Table


@dataclass(frozen=True)
class Motion(Part):
    """A rigid motion from where something is at the start."""

    translation: Sequence[Function] | None = None
    """Along x, y and z in m, three functions of time."""
    axis: ArrayLike | None = None
    """Axis of rotation through the held point, shape (3,); the rod's tangent by default."""
    angle: Function | None = None
    """Angle about it in rad; may be many turns."""

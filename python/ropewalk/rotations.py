"""Rotations from the axes of what is placed to those in which it is placed."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ropewalk._part import Part

__all__ = ["AxisAngle", "QuatXyzw", "Rotation", "Rpy"]


@dataclass(frozen=True)
class QuatXyzw(Part):
    """A quaternion x, y, z, w; made unit."""

    quat_xyzw: ArrayLike
    """Shape (4,)."""


@dataclass(frozen=True)
class Rpy(Part):
    """Roll, pitch and yaw in rad, as in URDF: about the fixed axes x, then y, then z."""

    rpy: ArrayLike
    """Shape (3,)."""


@dataclass(frozen=True)
class AxisAngle(Part):
    """An angle about an axis."""

    axis: ArrayLike
    """Axis, shape (3,)."""
    angle: float
    """Angle in rad."""

    def document(self) -> Any:
        return {"axis_angle": {"axis": self.axis, "angle": self.angle}}


Rotation = QuatXyzw | Rpy | AxisAngle

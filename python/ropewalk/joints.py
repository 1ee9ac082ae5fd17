"""Joints by which bodies hang on the world or on one another. Their frame is that of the body at zero."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ropewalk._part import Part

__all__ = ["Ball", "Joint", "Planar", "Prismatic", "Revolute", "Universal"]


@dataclass(frozen=True)
class _AxisJoint(Part):
    axis: ArrayLike
    """Axis in the joint's frame, shape (3,)."""
    position: float | None = None
    """Position at the start in rad or m."""
    velocity: float | None = None
    """Velocity at the start in rad/s or m/s."""
    limits: ArrayLike | None = None
    """Least and greatest position in rad or m, shape (2,); none by default."""
    effort_limit: float | None = None
    """Greatest effort of its actuators in N m or N; none by default."""
    damping: float | None = None
    """Viscous damping in N m s/rad or N s/m."""
    dry_friction: float | None = None
    """Dry friction in N m or N."""
    armature: float | None = None
    """Inertia of its motor seen at the joint in kg m^2 or kg."""
    spring_stiffness: float | None = None
    """Spring in N m/rad or N/m."""
    spring_rest: float | None = None
    """Where the spring is at rest in rad or m."""


@dataclass(frozen=True)
class Revolute(_AxisJoint):
    """Turns about an axis."""

    _tag = "revolute"


@dataclass(frozen=True)
class Prismatic(_AxisJoint):
    """Slides along an axis."""

    _tag = "prismatic"


@dataclass(frozen=True)
class Ball(Part):
    """Turns about the frame's origin."""

    _tag = "ball"
    rates: ArrayLike | None = None
    """Angular velocity at the start in rad/s, axes of the joint's frame, shape (3,)."""
    damping: float | None = None
    """Viscous damping in N m s/rad."""
    dry_friction: float | None = None
    """Dry friction in N m about each axis."""


@dataclass(frozen=True)
class Universal(Part):
    """Turns about two axes, one after the other."""

    _tag = "universal"
    axes: ArrayLike
    """The axis that stays, then the one that turns with the first, shape (2, 3)."""
    angles: ArrayLike | None = None
    """Angles at the start in rad, shape (2,)."""
    rates: ArrayLike | None = None
    """Their rates at the start in rad/s, shape (2,)."""
    damping: float | None = None
    """Viscous damping in N m s/rad."""
    dry_friction: float | None = None
    """Dry friction in N m about each axis."""


@dataclass(frozen=True)
class Planar(Part):
    """Slides in a plane and turns about its normal."""

    _tag = "planar"
    normal: ArrayLike
    """Normal of the plane in the joint's frame, shape (3,)."""
    rates: ArrayLike | None = None
    """Velocity along the two axes of the plane in m/s and about its normal in rad/s at the start, shape (3,)."""
    damping: float | None = None
    """Viscous damping in N s/m and N m s/rad."""
    dry_friction: float | None = None
    """Dry friction in N along each axis and in N m about the normal."""


Joint = Revolute | Prismatic | Ball | Universal | Planar

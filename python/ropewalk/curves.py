"""Centerlines of rods at the start. Points and directions have the shape (3,); lengths in m, angles in rad."""

import os
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ropewalk._part import Part

__all__ = ["Arc", "Circle", "Curve", "Helix", "Line", "Nodes", "Overhand", "PointsFile", "Spline", "Stadium"]


@dataclass(frozen=True)
class Line(Part):
    """A straight line."""

    _tag = "line"
    from_: ArrayLike
    """Start in m."""
    to: ArrayLike
    """End in m."""


@dataclass(frozen=True)
class Arc(Part):
    """An arc of a circle, with straight tails."""

    _tag = "arc"
    start: ArrayLike
    """Start in m."""
    tangent: ArrayLike
    """Direction at the start."""
    toward: ArrayLike
    """Direction from the start to the center; made perpendicular to the tangent."""
    radius: float
    """Radius in m."""
    angle: float
    """Angle of the arc in rad."""
    tails: ArrayLike | None = None
    """Lengths of straight parts before its start and after its end in m, shape (2,)."""


@dataclass(frozen=True)
class Circle(Part):
    """A full circle; the rod is closed."""

    _tag = "circle"
    radius: float
    """Radius in m."""
    center: ArrayLike | None = None
    """Center in m; the origin by default."""
    normal: ArrayLike | None = None
    """Normal of its plane, z by default; the circle runs counter-clockwise about it."""


@dataclass(frozen=True)
class Helix(Part):
    """A helix."""

    _tag = "helix"
    radius: float
    """Radius in m."""
    pitch: float
    """Advance along the axis in each turn in m."""
    turns: float
    """Turns."""
    base: ArrayLike | None = None
    """Point on the axis beside the start in m; the origin by default."""
    axis: ArrayLike | None = None
    """Direction in which it advances; z by default."""
    start: ArrayLike | None = None
    """Direction from the axis to the start; x by default."""
    left_handed: bool | None = None
    """Turn against the axis instead of with it."""


@dataclass(frozen=True)
class Spline(Part):
    """A smooth curve (twice continuously differentiable) through points."""

    _tag = "spline"
    points: ArrayLike
    """Points in m, shape (k, 3)."""


@dataclass(frozen=True)
class Overhand(Part):
    """A loose overhand knot of order n; its ends lie along x, its loop towards +z."""

    _tag = "overhand"
    order: int
    """Order n: the two strands cross 2n + 1 times."""
    length: float
    """Length of the rope in m."""
    gap: float
    """Distance of the two strands where they cross in m; a little more than the diameter."""
    end_distance: float | None = None
    """Distance between the ends in m; 0.3 of the length by default."""
    center: ArrayLike | None = None
    """Where the middle of the braid is in m; the origin by default."""
    left_handed: bool | None = None
    """The mirror image."""


@dataclass(frozen=True)
class Stadium(Part):
    """Two half circles and two straight lines between them, as of a belt on two pulleys; the rod is closed."""

    _tag = "stadium"
    centers: ArrayLike
    """Middles of the two half circles in m, shape (2, 3)."""
    radius: float
    """Radius of the half circles in m."""
    normal: ArrayLike | None = None
    """Normal of its plane, z by default; the curve runs counter-clockwise about it."""


@dataclass(frozen=True)
class Nodes(Part):
    """Nodes as given; with ``segments`` of the rod, a smooth curve is put through them."""

    positions: ArrayLike
    """Positions in m, shape (n, 3)."""

    def document(self) -> Any:
        return {"nodes": self.positions}


@dataclass(frozen=True)
class PointsFile(Part):
    """Nodes from a file with three columns by comma or space."""

    file: str | os.PathLike[str]
    """The file; its path counts from that of the scene."""

    def document(self) -> Any:
        return {"points": self.file}


Curve = Line | Arc | Circle | Helix | Spline | Overhand | Stadium | Nodes | PointsFile

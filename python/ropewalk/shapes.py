"""Shapes of bodies, each in its own frame; lengths in m."""

import os
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ropewalk._part import Part
from ropewalk.rotations import Rotation

__all__ = [
    "Box",
    "Capsule",
    "Convex",
    "Cylinder",
    "HalfSpace",
    "Heightfield",
    "Mesh",
    "Placed",
    "Shape",
    "Sphere",
    "Turned",
]


@dataclass(frozen=True)
class Sphere(Part):
    """A ball about the origin."""

    _tag = "sphere"
    radius: float
    """Radius in m."""


@dataclass(frozen=True)
class Box(Part):
    """A box about the origin."""

    _tag = "box"
    size: ArrayLike
    """Full lengths along x, y and z in m, shape (3,)."""


@dataclass(frozen=True)
class Cylinder(Part):
    """A cylinder about the z axis, centered."""

    _tag = "cylinder"
    radius: float
    """Radius in m."""
    length: float
    """Length in m."""


@dataclass(frozen=True)
class Capsule(Part):
    """A capsule about the z axis, centered."""

    _tag = "capsule"
    radius: float
    """Radius in m."""
    length: float
    """Distance of the centers of its caps in m."""


@dataclass(frozen=True)
class HalfSpace(Part):
    """All that lies below z = 0; it has no mass of its own."""

    def document(self) -> Any:
        return "half_space"


@dataclass(frozen=True)
class Convex(Part):
    """The convex hull of points, from a file or given."""

    _tag = "convex"
    file: str | os.PathLike[str] | None = None
    """STL or OBJ file; its path counts from that of the scene. Either this or ``vertices``."""
    vertices: ArrayLike | None = None
    """Points in m, shape (k, 3)."""
    scale: float | None = None
    """Factor on the coordinates: 1e-3 for a file in mm."""


@dataclass(frozen=True)
class Turned(Part):
    """The convex hull of circles about the z axis, as from a lathe."""

    _tag = "turned"
    profile: ArrayLike
    """Height z and radius of each circle in m, shape (k, 2)."""
    sides: int | None = None
    """Sides of the polygons of equal area that stand for the circles."""


@dataclass(frozen=True)
class Mesh(Part):
    """A surface of triangles, from a file or given."""

    _tag = "mesh"
    file: str | os.PathLike[str] | None = None
    """STL or OBJ file; its path counts from that of the scene. Either this or ``vertices`` and ``triangles``."""
    vertices: ArrayLike | None = None
    """Vertices in m, shape (k, 3)."""
    triangles: ArrayLike | None = None
    """Vertices of each triangle, counted from 0, counter-clockwise seen from outside, shape (t, 3)."""
    scale: float | None = None
    """Factor on the coordinates: 1e-3 for a file in mm."""


@dataclass(frozen=True)
class Heightfield(Part):
    """All that lies below a surface of given heights; it has no mass of its own."""

    _tag = "heightfield"
    size: ArrayLike
    """Full lengths along x and y in m, about the origin, shape (2,)."""
    heights: ArrayLike
    """Heights in m, shape (ny, nx): a row for each y from the least, each from the least x."""


Shape = Sphere | Box | Cylinder | Capsule | HalfSpace | Convex | Turned | Mesh | Heightfield


@dataclass(frozen=True)
class Placed(Part):
    """A shape with its place in a body that has several."""

    shape: Shape
    """The shape."""
    position: ArrayLike | None = None
    """Where its origin is in the body's frame in m, shape (3,)."""
    rotation: Rotation | None = None
    """How it is turned in the body's frame."""

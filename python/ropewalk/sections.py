"""Cross-sections of rods. Widths and semi-axes 1 lie along the director m1, 2 along m2."""

from collections.abc import Sequence
from dataclasses import dataclass

from ropewalk._part import Part

__all__ = ["Circle", "Ellipse", "Rectangle", "Section", "Stiffness", "Tube"]


@dataclass(frozen=True)
class Circle(Part):
    """A disc."""

    _tag = "circle"
    radius: float
    """Radius in m."""


@dataclass(frozen=True)
class Ellipse(Part):
    """An ellipse."""

    _tag = "ellipse"
    semi_axis_1: float
    """Semi-axis along m1 in m."""
    semi_axis_2: float
    """Semi-axis along m2 in m."""


@dataclass(frozen=True)
class Rectangle(Part):
    """A rectangle; contact takes its flat sides as flat."""

    _tag = "rectangle"
    width: float
    """Side along m1 in m."""
    height: float
    """Side along m2 in m."""


@dataclass(frozen=True)
class Tube(Part):
    """A round tube."""

    _tag = "tube"
    outer_radius: float
    """Outer radius in m."""
    inner_radius: float
    """Inner radius in m."""


@dataclass(frozen=True)
class Stiffness(Part):
    """Stiffness and mass given outright, as measured on a real cable; the material is not read."""

    _tag = "stiffness"
    stretch: float
    """EA in N."""
    bend: Sequence[float]
    """EI1 and EI2 in N m^2: bending towards m1 and towards m2."""
    twist: float
    """GJ in N m^2."""
    line_density: float
    """Mass per length in kg/m."""
    radius: float
    """Radius of the skin in m."""
    spin_inertia: float | None = None
    """Polar moment of inertia per length in kg m; that of a uniform disc by default."""


Section = Circle | Ellipse | Rectangle | Tube | Stiffness

"""Which knot a rope is, how it is linked, and how it winds about an axis.

Points are positions in m along a polygon, shape (n, 3), or (N, n, 3) for N of them, as ``rod.positions`` gives them. What passes
through nothing keeps its topology: these numbers change only where an end is led through a loop.
"""

import numpy as np
from numpy.typing import ArrayLike

from ropewalk import _core
from ropewalk._arrays import FloatArray, floats

__all__ = ["knot_determinant", "linking", "winding"]


def _many(name: str, points: ArrayLike) -> tuple[FloatArray, bool]:
    array = floats(name, points)
    single = array.ndim == 2
    array = array[None] if single else array
    if array.ndim != 3 or array.shape[2] != 3:
        raise ValueError(f"{name} has the shape {np.shape(points)}, expected (n, 3) or (N, n, 3)")
    return np.ascontiguousarray(array), single


def knot_determinant(points: ArrayLike, ends: tuple[float, float, float] | None = None) -> FloatArray:
    """Determinant of the knot that an open polygon is: 1 for none, 3 for an overhand knot, 5 for a figure eight.

    Args:
        points: the polygon, shape (n, 3) or (N, n, 3).
        ends: the direction in which both ends go on to infinity; along the line between them by default.

    Returns:
        Shape () or (N,); not a number where two nodes or all crossings coincide.
    """
    array, single = _many("points", points)
    found = _core.knot_determinant(array, ends)
    return found[0] if single else found


def linking(first: ArrayLike, first_closed: bool, second: ArrayLike, second_closed: bool) -> FloatArray:
    """Gauss's integral of two polygons, in turns: their linking number if both are closed.

    Args:
        first: shape (n, 3) or (N, n, 3).
        first_closed: whether its last point is joined to its first.
        second: shape (m, 3) or (N, m, 3), as many as ``first``.
        second_closed: whether its last point is joined to its first.
    """
    a, single = _many("first", first)
    b, _ = _many("second", second)
    if len(a) != len(b):
        raise ValueError(f"there are {len(a)} polygons in first and {len(b)} in second, expected as many")
    found = _core.linking(a, first_closed, b, second_closed)
    return found[0] if single else found


def winding(points: ArrayLike, center: ArrayLike) -> FloatArray:
    """Angle in rad that a polygon sweeps about a vertical axis, from its first to its last point, counter-clockwise from above.

    Args:
        points: shape (…, n, 3) or (…, n, 2).
        center: x and y of the axis in m, shape (…, 2).
    """
    arms = np.asarray(points, dtype=np.float64)[..., :2] - np.asarray(center, dtype=np.float64)[..., None, :2]
    here, there = arms[..., :-1, :], arms[..., 1:, :]
    cross = here[..., 0] * there[..., 1] - here[..., 1] * there[..., 0]
    dot = np.sum(here * there, axis=-1)
    swept: FloatArray = np.arctan2(cross, dot).sum(axis=-1)
    return swept

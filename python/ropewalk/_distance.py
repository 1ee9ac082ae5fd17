"""Distances of shapes: :func:`ropewalk.inspect.distance`."""

from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

from ropewalk import _arrays, _core
from ropewalk._arrays import FloatArray


class Separation(TypedDict):
    """Result of :func:`ropewalk.inspect.distance`."""

    distance: float
    """Signed distance in m; negative if the shapes overlap: the least translation that separates them."""
    normal_ba: FloatArray
    """Unit normal from B to A, shape (3,)."""
    point_a: FloatArray
    """Point on the surface of A in m, shape (3,)."""
    point_b: FloatArray
    """Point on the surface of B in m, shape (3,); point_a - point_b = distance normal_ba."""


_SIZES: dict[str, tuple[str, ...]] = {
    "sphere": ("radius",),
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "half_space": (),
    "convex": ("vertices",),
    "mesh": ("vertices", "triangles"),
    "heightfield": ("size_x", "size_y", "heights"),
}


def _keys(name: str, given: Mapping[str, Any], expected: tuple[str, ...]) -> None:
    """Refuses missing and unknown keys."""
    if missing := [key for key in expected if key not in given]:
        raise ValueError(f"{name} has no key {missing[0]!r}, expected {', '.join(map(repr, expected))}")
    if unknown := [key for key in given if key not in expected]:
        raise ValueError(f"{name} has the unknown key {unknown[0]!r}, expected {', '.join(map(repr, expected))}")


def _mapping(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} is {value!r}, expected a dictionary")
    return value


def _shape(name: str, value: object) -> dict[str, object]:
    """A shape as the compiled part takes it."""
    shape = _mapping(name, value)
    kind = shape.get("type")
    if kind not in _SIZES:
        raise ValueError(f"{name}['type'] is {kind!r}, expected one of {', '.join(map(repr, _SIZES))}")
    _keys(name, shape, ("type", *_SIZES[kind]))
    numbers: list[float] = []
    vertices: FloatArray = np.zeros((0, 3))
    triangles = np.zeros((0, 3), dtype=np.int64)
    for key in _SIZES[kind]:
        label, entry = f"{name}[{key!r}]", shape[key]
        if key == "size":
            numbers.extend(_arrays.vector(label, entry))
        elif key == "vertices":
            vertices = _arrays.vectors(label, entry)
        elif key == "triangles":
            triangles = _arrays.index_rows(label, entry, 3)
        elif key == "heights":
            heights = _arrays.matrix(label, entry)
            numbers.extend([*map(float, heights.shape), *heights.ravel().tolist()])
        else:
            numbers.append(_arrays.number(label, entry))
    return {"kind": kind, "numbers": np.array(numbers), "vertices": vertices, "triangles": triangles}


def _pose(name: str, value: object) -> dict[str, object]:
    """A pose as the compiled part takes it."""
    pose = _mapping(name, value)
    rotations = ("quat_xyzw", "quat_wxyz", "R")
    given = [key for key in rotations if key in pose]
    if len(given) != 1:
        found = " and ".join(map(repr, given)) or "no rotation"
        raise ValueError(f"{name} has {found}, expected one of {', '.join(map(repr, rotations))}")
    key = given[0]
    _keys(name, pose, ("p", key))
    label = f"{name}[{key!r}]"
    quat: list[float] | None = None
    matrix: list[list[float]] | None = None
    if key == "R":
        array = _arrays.matrix(label, pose[key])
        if array.shape != (3, 3):
            raise ValueError(f"{label} has the shape {array.shape}, expected (3, 3)")
        if not np.abs(array @ array.T - np.eye(3)).max() <= 1e-6 or np.linalg.det(array) <= 0:
            raise ValueError(f"{label} is not a rotation: its rows must be orthonormal to 1e-6, its determinant 1")
        matrix = array.tolist()
    else:
        array = _arrays.list_of(label, pose[key])
        if array.shape != (4,):
            raise ValueError(f"{label} has the shape {array.shape}, expected (4,)")
        if not abs(np.linalg.norm(array) - 1) <= 1e-6:
            raise ValueError(f"{label} has the length {np.linalg.norm(array)}, expected 1 to 1e-6")
        quat = (array if key == "quat_xyzw" else np.roll(array, -1)).tolist()
    return {"p": _arrays.vector(f"{name}['p']", pose["p"]), "quat_xyzw": quat, "R": matrix}


def distance(
    shape_a: Mapping[str, Any],
    pose_a: Mapping[str, Any],
    shape_b: Mapping[str, Any],
    pose_b: Mapping[str, Any],
) -> Separation:
    """Signed distance of two shapes, with its normal and nearest points.

    Shapes are dictionaries with the key "type" and sizes in m, each in its own frame:

    - {"type": "sphere", "radius"}
    - {"type": "box", "size": (x, y, z)}: full lengths
    - {"type": "cylinder", "radius", "length"}: about z, centered, full length
    - {"type": "capsule", "radius", "length"}: about z, centered, length between the centers of its caps
    - {"type": "half_space"}: all points with z <= 0
    - {"type": "convex", "vertices": shape (n, 3)}: their hull
    - {"type": "mesh", "vertices": shape (n, 3), "triangles": shape (m, 3)}: counter-clockwise seen from outside;
      solid if closed
    - {"type": "heightfield", "size_x", "size_y", "heights": shape (rows, columns)}: rows along y, columns along x,
      about the origin; all below is solid

    Poses are dictionaries with the position "p" in m and the rotation from the shape's frame to the world's as one of
    "quat_xyzw", "quat_wxyz", "R" (shape (3, 3)).

    Args:
        shape_a, shape_b: shapes A and B.
        pose_a, pose_b: their poses in the world.

    Returns:
        A dictionary, :class:`Separation`, in world axes. A negative distance is the least translation that separates the
        shapes; for a mesh, that out of its triangles.

    Raises:
        ValueError: a shape or a pose is not as above, or the pair has no distance (two half-spaces, two meshes).
    """
    return _core.distance(
        _shape("shape_a", shape_a), _pose("pose_a", pose_a), _shape("shape_b", shape_b), _pose("pose_b", pose_b)
    )

"""Rotations of the links of a chain."""

import numpy as np

from ropewalk._arrays import FloatArray

__all__ = ["axes", "frames", "multiply"]


def frames(nodes: FloatArray) -> FloatArray:
    """Rotations of the edges as x, y, z, w, shape (e, 4): z along the edge, without twist from edge to edge."""
    tangents = np.diff(nodes, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    quats = [_turn(np.array([0.0, 0.0, 1.0]), tangents[0])]
    for before, after in zip(tangents[:-1], tangents[1:], strict=True):
        quats.append(multiply(_turn(before, after), quats[-1]))
    return np.array(quats)


def _turn(a: FloatArray, b: FloatArray) -> FloatArray:
    """The least rotation from one unit vector to another."""
    if a @ b < -0.999999:
        side = np.cross(a, [1.0, 0.0, 0.0] if abs(a[0]) < 0.9 else [0.0, 1.0, 0.0])
        return np.array([*(side / np.linalg.norm(side)), 0.0])
    q = np.array([*np.cross(a, b), 1.0 + a @ b])
    return np.asarray(q / np.linalg.norm(q))


def multiply(p: FloatArray, q: FloatArray) -> FloatArray:
    """Product of quaternions x, y, z, w, over the last axis."""
    (x, y, z, w), (a, b, c, d) = np.moveaxis(p, -1, 0), np.moveaxis(q, -1, 0)
    parts = [w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c]
    return np.stack(parts, axis=-1)


def axes(quats: FloatArray) -> FloatArray:
    """Where rotations x, y, z, w, shape (n, 4), take the axis z, shape (n, 3)."""
    x, y, z, w = np.moveaxis(np.asarray(quats), -1, 0)
    return np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=-1)

"""Which knot a rope is tied in."""

import numpy as np

from ropewalk._arrays import FloatArray

__all__ = ["determinant"]

VIEW = np.array([0.2761, 0.1893, 0.9423])
"""Where the projection is looked at from: a direction in which no two edges of a scene coincide."""


def determinant(points: FloatArray) -> int:
    """The determinant |Δ(−1)| of the knot in an open centerline, shape (n, 3), whose ends go on straight to infinity and meet
    there: 1 without a knot, 2n + 1 for an overhand knot of order n. It changes if a strand passes through another."""
    points = np.asarray(points, dtype=float)
    points = _with_far_ends(points)
    z = VIEW / np.linalg.norm(VIEW)
    x = np.cross(z, [0.0, 1.0, 0.0])
    x /= np.linalg.norm(x)
    flat = points @ np.stack([x, np.cross(z, x), z], axis=1)
    crossings = _crossings(flat)
    if not crossings:
        return 1
    # An arc goes from one crossing under another strand to the next such crossing.
    unders = sorted(under for under, _ in crossings)
    arcs = len(unders) + 1

    def arc(place: float) -> int:
        return int(np.searchsorted(unders, place)) % (arcs - 1)

    matrix = np.zeros((len(unders), arcs - 1))
    for under, over in crossings:
        row = unders.index(under)
        matrix[row, arc(over)] += 2.0
        matrix[row, row] -= 1.0
        matrix[row, (row + 1) % (arcs - 1)] -= 1.0
    return 1 if len(unders) == 1 else round(abs(float(np.linalg.det(matrix[1:, 1:]))))


def _with_far_ends(points: FloatArray) -> FloatArray:
    """Closed by a detour: from both ends outward, away from the middle, and round far away, where no strand is."""
    center = points.mean(axis=0)
    reach = 4.0 * float(np.abs(points - center).max())
    axis = points[-1] - points[0]
    axis = axis / max(float(np.linalg.norm(axis)), 1e-12)
    far = [points[0] - reach * axis, points[-1] + reach * axis]
    side = np.cross(axis, VIEW)
    side = 2.0 * reach * side / max(float(np.linalg.norm(side)), 1e-12)
    return np.concatenate([[far[0] + side, far[0]], points, [far[1], far[1] + side, far[0] + side]])


def _crossings(flat: FloatArray) -> list[tuple[float, float]]:
    """Places along the curve, (under, over), of the crossings of its projection; a place is the number of its edge and the
    fraction on it."""
    start, along = flat[:-1, :2], np.diff(flat, axis=0)
    found = []
    for i in range(len(start) - 2):
        j = np.arange(i + 2, len(start))
        d, e = along[i, :2], along[j, :2]
        between = start[j] - start[i]
        cross = d[0] * e[:, 1] - d[1] * e[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            s = (between[:, 0] * e[:, 1] - between[:, 1] * e[:, 0]) / cross
            t = (between[:, 0] * d[1] - between[:, 1] * d[0]) / cross
        meet = (s >= 0.0) & (s < 1.0) & (t >= 0.0) & (t < 1.0)
        if i == 0:
            # The last edge ends where the first begins.
            meet &= j != len(start) - 1
        for k in np.flatnonzero(meet):
            a = float(flat[i, 2] + s[k] * along[i, 2])
            b = float(flat[j[k], 2] + t[k] * along[j[k], 2])
            first, second = i + float(s[k]), float(j[k] + t[k])
            found.append((first, second) if a < b else (second, first))
    return found

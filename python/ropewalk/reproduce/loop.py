"""The ring of a knot, and how circular it is: an overhand knot is a free loop, and the braid along which its ends come back to one another."""

import numpy as np

from ropewalk._arrays import FloatArray

__all__ = ["find_ring", "look_at_ring", "roundness"]

TOUCHING = 1.3
"""Strands nearer than this, in diameters, belong to the braid: at the start they are 1.07 apart."""


def roundness(points: FloatArray) -> float:
    """4π A/P² of the closed curve through points, shape (n, 3), A its vector area, P its perimeter: 1 for a circle, 0.84 for an ellipse twice as
    long as wide, 0.5 for one 4.3 times as long, near 0 for a figure of eight."""
    around = np.concatenate([points, points[:1]])
    area = 0.5 * np.linalg.norm(np.cross(around[:-1] - points[0], around[1:] - points[0]).sum(axis=0))
    length = np.linalg.norm(np.diff(around, axis=0), axis=1).sum()
    return float(4.0 * np.pi * area / max(length, 1e-12) ** 2)


def find_ring(nodes: FloatArray, diameter: float) -> tuple[int, int] | None:
    """First and last node of the ring: the longest piece between braided ones that touches nothing, and the rest of the braid after it. None if
    all of it is shorter than the tightest circle, 2π diameters."""
    steps = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    squares = (nodes**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2.0 * nodes @ nodes.T, 0.0))
    distances[np.abs(along[:, None] - along[None, :]) < 3.0 * diameter] = np.inf
    touching = np.flatnonzero(distances.min(axis=1) < TOUCHING * diameter)
    if len(touching) < 2:
        return None
    gaps = along[touching[1:]] - along[touching[:-1]]
    best = int(gaps.argmax())
    first, last = int(touching[best]), int(touching[-1])
    return (first, last) if along[last] - along[first] >= 2.0 * np.pi * diameter else None


def look_at_ring(nodes: FloatArray, diameter: float) -> dict[str, float]:
    """Roundness and length (m) of the ring; NaN where there is none."""
    piece = find_ring(nodes, diameter)
    if piece is None:
        return {"roundness": float("nan"), "ring": float("nan")}
    points = nodes[piece[0] : piece[1] + 1]
    return {"roundness": roundness(points), "ring": float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())}

"""The ring of a knot: how circular it is, and whether it snaps.

The paper says that the knot "abruptly transitions from a near-circular shape to a collapsed configuration". An overhand knot is a ring: a
free loop, and the braid along which its ends come back to one another. In numbers, set before any run was judged by them: with the roundness
Q = 4π A/P² of a closed curve (A its vector area, P its perimeter; 1 for a circle, 0.84 for an ellipse twice as long as wide, 0.5 for one
4.3 times as long, near 0 for a figure of eight), the knot snaps when what was a ring with Q ≥ 0.8 has, as the same piece of rope, Q < 0.5 no
more than 20 ms later, in which the ends are drawn apart by 16 mm.

(The first form of this took the free loop alone, closed by its chord. Half a ring has at most Q = 0.75, so nothing could count. The numbers
are as they were.)
"""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from ropewalk._arrays import FloatArray

__all__ = ["CIRCULAR", "COLLAPSED", "WINDOW", "LoopWatch", "find_ring", "roundness", "snap"]

CIRCULAR, COLLAPSED = 0.8, 0.5
"""Roundness from which on a ring is near-circular, and below which it is collapsed."""
WINDOW = 0.02
"""s within which a snap takes place."""
TOUCHING = 1.3
"""Strands nearer than this, in diameters, belong to the braid: at the start they are 1.07 apart."""


def roundness(points: FloatArray) -> float:
    """4π A/P² of the closed curve through points, shape (n, 3)."""
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


class LoopWatch:
    """Follows the ring of a knot that is being pulled tight."""

    def __init__(self, diameter: float) -> None:
        self._diameter = diameter
        self._past: deque[tuple[float, tuple[int, int] | None, float]] = deque()

    def look(self, nodes: FloatArray, time: float) -> dict[str, float]:
        """Roundness and length (m) of the ring now, and the least roundness now of any piece that was a near-circular ring within the last
        :data:`WINDOW`; NaN where there is none."""
        piece = find_ring(nodes, self._diameter)
        now = length = least = float("nan")
        if piece is not None:
            points = nodes[piece[0] : piece[1] + 1]
            now, length = roundness(points), float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        while self._past and self._past[0][0] < time - WINDOW - 1e-9:
            self._past.popleft()
        kept = {p for _, p, q in self._past if p is not None and q >= CIRCULAR}
        if kept:
            least = min(roundness(nodes[a : b + 1]) for a, b in kept)
        self._past.append((time, piece, now))
        return {"roundness": now, "loop": length, "was_loop": least}


def snap(values: Mapping[str, Any]) -> dict[str, float] | None:
    """The snap of a run with the series of :class:`LoopWatch`: time (s), distance of the ends (m), how long the ring had been no more
    near-circular (s), its length before (m), and the greatest fall of the elastic energy within the window (J)."""
    series = {key: np.array([np.nan if x is None else x for x in values["series"][key]], dtype=float) for key in ("was_loop", "roundness", "loop", "apart", "elastic")}
    time = np.array(values["time"])
    fallen = np.flatnonzero(series["was_loop"] < COLLAPSED)
    if not len(fallen):
        return None
    k = int(fallen[0])
    before = np.flatnonzero((time <= time[k]) & (series["roundness"] >= CIRCULAR))
    last = int(before[-1]) if len(before) else k
    inside = (time >= time[k] - WINDOW) & (time <= time[k] + WINDOW)
    energy = series["elastic"][inside]
    freed = float(np.max(np.maximum.accumulate(energy) - energy))
    return {"time": float(time[k]), "apart": float(series["apart"][k]), "duration": float(time[k] - time[last]), "loop": float(series["loop"][last]), "freed": freed}

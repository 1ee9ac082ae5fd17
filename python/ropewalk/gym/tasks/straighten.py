"""Straighten: two hands draw a slack cable taut, and not too hard."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO4
from ropewalk.gym.holders import Holder
from ropewalk.gym.policies import lead
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task

LENGTH = 0.8
SAG = 0.02
"""Greatest distance of a node from the chord, as a share of the length, of a straight cable."""
PULL = 15.0
"""Greatest tension in N."""
SPEED = 0.5


class Straighten(Task):
    """Two hands hold the ends of a hanging cable of 0.8 m, 40 segments, and draw it straight.

    Success: for 0.2 s no node is farther than 2 % of the length from the chord between the ends, and the tension is below 15 N
    everywhere.
    """

    name = "Straighten"
    seconds = 4.0
    node_count = 11

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        cable = DLO4.rod(curve={"nodes": hanging_arc(0.3, 0.0, 0.0, LENGTH).tolist()}, segments=40, mass_damping=0.25)
        clamps = {end: {"rod": "cable", "at": at, "hold": "position"} for end, at in (("left", "start"), ("right", "end"))}
        return {
            "title": "Two hands draw a cable straight",
            "time": {"dt": 4e-3, "duration": self.seconds},
            "rod": {"cable": cable},
            "clamp": clamps,
        }

    def holders(self) -> list[Holder]:
        """Both ends, held directly."""
        low, high = (-0.6, -0.4, 0.2), (0.6, 0.4, 0.8)
        return [Holder("left", SPEED, low, high), Holder("right", SPEED, low, high)]

    def draw(self, random: np.random.Generator) -> Episode:
        """The cable, and where it hangs."""
        values = DLO4.draw(random)
        nodes = hanging_arc(random.uniform(0.15, 0.45), random.uniform(-1.0, 1.0), random.uniform(-0.05, 0.05), LENGTH)
        values["rod.cable.curve.nodes"] = nodes.tolist()
        return Episode(values)

    def score(self, now: Snapshot) -> FloatArray:
        """Less what the greatest distance from the chord is, relative to a third of the length."""
        return -np.minimum(_sag(now) / (LENGTH / 3.0), 1.0)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """Straight, and not too taut."""
        straight: NDArray[np.bool_] = (_sag(now) < SAG * LENGTH) & (now.tension.max(axis=1) < PULL)
        return straight

    def script(self, seen: Observation) -> Script:
        """Draws the hands apart along the line between them until the cable is straight."""
        left, right = seen["ends"]
        middle, along = 0.5 * (left + right), (right - left) * [1.0, 1.0, 0.0]
        along /= np.linalg.norm(along)
        middle[:2] *= 0.3
        middle[2] = 0.5
        targets = [np.stack([middle - 0.48 * LENGTH * along, middle + 0.48 * LENGTH * along])]
        seen = yield from lead(seen, targets, SPEED, SPEED, self.rate)
        while True:
            # A long way while the cable is slack, little by little when it is taut.
            apart = np.clip(0.06 * (3.0 - seen["tension"].max()), -0.05, 0.1)
            seen = yield (np.stack([-along, along]) * apart / SPEED).ravel()


def _sag(now: Snapshot) -> FloatArray:
    """Greatest distance of a node from the chord in m, shape (N,)."""
    first, last = now.positions[:, :1], now.positions[:, -1:]
    chord = (last - first) / np.maximum(np.linalg.norm(last - first, axis=2, keepdims=True), 1e-9)
    arms = now.positions - first
    across = arms - np.sum(arms * chord, axis=2, keepdims=True) * chord
    sag: FloatArray = np.linalg.norm(across, axis=2).max(axis=1)
    return sag


def hanging_arc(span: float, yaw: float, tilt: float, length: float) -> FloatArray:
    """Nodes of an arc of this length that hangs between two points ``span`` apart, about (0, 0, 0.5); shape (41, 3)."""
    # The arc of this length with this chord: sin(a)/a is their ratio.
    low, high = 1e-3, np.pi
    for _ in range(60):
        a = 0.5 * (low + high)
        low, high = (a, high) if np.sin(a) / a > span / length else (low, a)
    angles = np.linspace(-a, a, 41)
    radius = 0.5 * length / a
    x, z = radius * np.sin(angles), radius * (np.cos(a) - np.cos(angles))
    z += tilt * x / (0.5 * span)
    return np.stack([x * np.cos(yaw), x * np.sin(yaw), 0.5 + z], axis=1)

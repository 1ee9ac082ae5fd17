"""Lace: a hand leads the end of a lace through an eyelet."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO5
from ropewalk.gym.holders import Holder
from ropewalk.gym.policies import lead
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task

SPEED = 0.4
RING, WIRE = 0.02, 3e-3
"""Radius of the eyelet's ring, and of its wire, in m."""
BARS = 12
THROUGH = 0.08
"""How far behind the eyelet the end has to be, in m."""
LENGTH = 0.6


class Lace(Task):
    """A lace of 0.6 m hangs between a wall and a hand. The hand leads its end through an eyelet, 34 mm wide inside, in the direction of
    the eyelet's normal.

    The goal is the center of the eyelet in m and its normal. Success: for 0.2 s the lace, closed far away, and the ring of the eyelet
    have the linking number 1, and the end is 8 cm or more behind the eyelet.
    """

    name = "Lace"
    seconds = 6.0
    node_count = 16
    goal_size = 6

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        points = [[0.0, 0.0, 0.35], [0.05, 0.0, 0.15], [0.12, 0.0, 0.15], [0.15, 0.0, 0.33]]
        rod = DLO5.rod(curve={"spline": {"points": points}}, segments=40, mass_damping=1.0)
        return {
            "title": "A hand laces an eyelet",
            "time": {"dt": 4e-3, "duration": self.seconds},
            "rod": {"cable": rod},
            "body": {"eyelet": {"shapes": _bars(), "position": [0.3, 0.0, 0.35], "motion": "fixed", "friction": 0.2}},
            "clamp": {
                "wall": {"rod": "cable", "at": "start", "hold": "position"},
                "hand": {"rod": "cable", "at": "end", "hold": "position"},
            },
        }

    def holders(self) -> list[Holder]:
        """The end, held directly."""
        return [Holder("hand", SPEED, (-0.1, -0.3, 0.1), (0.6, 0.3, 0.6))]

    def draw(self, random: np.random.Generator) -> Episode:
        """The lace, where the eyelet is and how it is turned."""
        center = random.uniform([0.26, -0.05, 0.3], [0.32, 0.05, 0.4])
        yaw = random.uniform(-0.5, 0.5)
        values = {
            **DLO5.draw(random),
            "body.eyelet.position": center.tolist(),
            "body.eyelet.rotation": {"rpy": [0.0, 0.0, yaw]},
        }
        return Episode(values, np.concatenate([center, [np.cos(yaw), np.sin(yaw), 0.0]]))

    def score(self, now: Snapshot) -> FloatArray:
        """Less how far the end has to go: to the eyelet, and behind it."""
        beyond, aside = _beyond(now)
        before = np.sqrt(beyond**2 + aside**2) + THROUGH
        return -np.minimum(np.where(now.once(_linked), np.maximum(THROUGH - beyond, 0.0), before) / 0.5, 1.0)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """Through, and far enough."""
        there: NDArray[np.bool_] = now.once(_linked) & (_beyond(now)[0] >= THROUGH)
        return there

    def script(self, seen: Observation) -> Script:
        """To a place before the eyelet, and straight on."""
        center, normal = seen["goal"][:3], seen["goal"][3:]
        path = [np.array([center + way * normal]) for way in (-0.06, 0.1)]
        yield from lead(seen, path, 0.2, SPEED, self.rate)


def _bars() -> list[dict[str, Any]]:
    """A ring about x of straight bars, in the eyelet's frame."""
    angles = 2.0 * np.pi * (np.arange(BARS) + 0.5) / BARS
    length = 2.0 * RING * np.tan(np.pi / BARS)
    return [
        {
            "shape": {"capsule": {"radius": WIRE, "length": length}},
            "position": [0.0, RING * np.cos(a), RING * np.sin(a)],
            "rotation": {"rpy": [a, 0.0, 0.0]},
        }
        for a in angles
    ]


def _beyond(now: Snapshot) -> tuple[FloatArray, FloatArray]:
    """How far the end is behind the plane of the eyelet, and from its axis, in m; shape (N,) each."""
    way = now.positions[:, -1] - now.goals[:, :3]
    beyond = np.sum(way * now.goals[:, 3:], axis=1)
    return beyond, np.linalg.norm(way - beyond[:, None] * now.goals[:, 3:], axis=1)


def _linked(now: Snapshot) -> NDArray[np.bool_]:
    """Whether the lace, closed far above, goes once through the ring along its normal, shape (N,).

    The ring is flat and upright: the linking number is the signed number of edges of the lace that cross its disk, and the lines that
    go up from both ends, parallel to the disk, cross it nowhere.
    """
    arms = now.positions - now.goals[:, None, :3]
    ahead = np.sum(arms * now.goals[:, None, 3:], axis=2)
    here, there = ahead[:, :-1], ahead[:, 1:]
    crossing = np.sign(there) - np.sign(here)
    share = here / np.where(crossing == 0.0, 1.0, here - there)
    at = arms[:, :-1] + share[..., None] * (arms[:, 1:] - arms[:, :-1])
    inside = np.sum(at**2, axis=2) < RING**2
    linked: NDArray[np.bool_] = np.sum(np.where(inside, crossing, 0.0), axis=1) == 2.0
    return linked

"""Tie: a hand ties a half hitch round a bar and pulls it tight."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO4
from ropewalk.gym.holders import Holder
from ropewalk.gym.policies import lead
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task
from ropewalk.topology import knot_determinant

SPEED = 0.5
BAR = 0.015
"""Radius of the bar in m; it lies along y at the height TOP."""
TOP = 0.8
WALL = 0.25
"""Distance in m of the fixed end from the bar."""
PULL = 1.0
"""Pull in N that the knot has to hold."""


class Tie(Task):
    """A rope of 0.9 m runs from a wall over a bar to a hand. The hand leads its end round the bar, across the rope, round it and
    through the loop, and pulls: a half hitch, which as a knot of the rope is an overhand knot.

    Success: for 0.4 s the rope is an overhand knot (its determinant is 3) while both ends pull with 1 N or more. The rope passes
    through nothing, so that it is a knot only if the end has gone the right way round.
    """

    name = "Tie"
    seconds = 12.0
    held_seconds = 0.4
    node_count = 31

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        return bar_scene("A hand ties a half hitch round a bar", _over_bar(0.0, 0.6), self.seconds)

    def holders(self) -> list[Holder]:
        """One end, held directly; the other is held by the wall."""
        return [Holder("hand", SPEED, (-0.5, -0.5, 0.1), (0.6, 0.5, 1.2))]

    def draw(self, random: np.random.Generator) -> Episode:
        """The rope, and where the hand begins."""
        nodes = _over_bar(random.uniform(-0.1, 0.1), random.uniform(0.57, 0.62))
        return Episode({**DLO4.draw(random), "rod.cable.curve.nodes": nodes.tolist()})

    def score(self, now: Snapshot) -> FloatArray:
        """-1 without a knot, more the harder a knot is pulled."""
        return np.where(now.once(is_overhand), -0.5 + 0.5 * np.minimum(end_pull(now) / PULL, 1.0), -1.0)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """Knotted, and pulled."""
        return now.once(is_overhand) & (end_pull(now) >= PULL)

    def script(self, seen: Observation) -> Script:
        """Down and under the bar, up in front of the rope, back over it, and forward through the loop below it."""

        def at(x: float, y: float, z: float) -> FloatArray:
            return np.array([[x, y, z - 0.8 + TOP]])

        front, back = -0.05, 0.05
        path = [
            at(0.05, 0.0, 0.3),
            at(-0.12, front, 0.45),
            at(-0.12, front, 0.95),
            at(-0.12, back, 0.95),
            at(-0.07, back, 0.74),
            at(-0.07, -0.15, 0.74),
            at(-0.05, -0.25, 0.6),
        ]
        seen = yield from lead(seen, path, 0.3, SPEED, self.rate)
        away = np.array([0.3, -0.3, -1.0]) / np.linalg.norm([0.3, -0.3, -1.0])
        while True:
            pull = np.clip(0.1 * (2.5 - seen["tension"][-1]), -0.1, 0.2)
            seen = yield pull * away / SPEED


def bar_scene(title: str, nodes: FloatArray, seconds: float) -> dict[str, Any]:
    """A rope with one end at a wall, the other in a hand, and a bar."""
    return {
        "title": title,
        "time": {"dt": 4e-3, "duration": seconds},
        "rod": {"cable": DLO4.rod(curve={"nodes": nodes.tolist()}, segments=60, mass_damping=1.0)},
        "body": {
            "bar": {
                "shape": {"cylinder": {"radius": BAR, "length": 0.5}},
                "position": [0.0, 0.0, TOP],
                "rotation": {"rpy": [0.5 * np.pi, 0.0, 0.0]},
                "motion": "fixed",
                "friction": 0.4,
            }
        },
        "clamp": {
            "wall": {"rod": "cable", "at": "start", "hold": "position"},
            "hand": {"rod": "cable", "at": "end", "hold": "position"},
        },
    }


def _over_bar(aside: float, tail: float) -> FloatArray:
    """Points along a rope from the wall over the bar, of which ``tail`` m hang down, the end ``aside`` m to the right; shape
    (n, 3)."""
    radius = BAR + DLO4.radius + 5e-4
    x = np.linspace(-WALL, 0.0, 18)[:-1]
    level = np.stack([x, np.zeros_like(x), np.full_like(x, TOP + radius)], axis=1)
    angles = np.linspace(0.0, 0.5 * np.pi, 5)
    bend = np.stack([radius * np.sin(angles), np.zeros_like(angles), TOP + radius * np.cos(angles)], axis=1)
    down = np.linspace(0.0, tail, 36)[1:]
    hang = np.stack([radius + aside * down**2 / tail**2, np.zeros_like(down), TOP - down], axis=1)
    return np.concatenate([level, bend, hang])


def is_overhand(now: Snapshot) -> NDArray[np.bool_]:
    """Whether the rope is an overhand knot, shape (N,)."""
    return knot_determinant(now.positions) == 3.0


def end_pull(now: Snapshot) -> FloatArray:
    """The lesser of the tensions at the two ends in N, shape (N,)."""
    return np.minimum(now.tension[:, 0], now.tension[:, -1])

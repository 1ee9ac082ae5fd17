"""Untie: a hand undoes a loose half hitch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO4
from ropewalk.gym.holders import Holder
from ropewalk.gym.policies import lead
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task
from ropewalk.gym.tasks.tie import SPEED, bar_scene, end_pull
from ropewalk.topology import knot_determinant

PULL = 0.3
"""Pull in N at which the rope shows that it is no knot."""
HITCH = np.array(
    [
        [-0.25, 0.0, 0.82],
        [-0.12, 0.0, 0.80],
        [-0.03, 0.0, 0.814],
        [0.0, 0.0, 0.8195],
        [0.0195, -0.003, 0.80],
        [0.03, -0.015, 0.72],
        [-0.01, -0.035, 0.64],
        [-0.08, -0.045, 0.63],
        [-0.125, -0.04, 0.70],
        [-0.135, -0.03, 0.80],
        [-0.13, 0.0, 0.835],
        [-0.115, 0.03, 0.80],
        [-0.09, 0.02, 0.745],
        [-0.075, -0.04, 0.725],
        [-0.06, -0.15, 0.70],
        [-0.05, -0.25, 0.66],
    ]
)
"""A loose half hitch round the bar, from the wall to the hand."""


class Untie(Task):
    """A rope runs from a wall over a bar, is tied there with a loose half hitch, and its other end is in a hand. The hand leads the end
    back out of the loop and draws the rope taut.

    Success: for 0.4 s the rope is no knot (its determinant is 1) while both ends pull with 0.3 N or more.
    """

    name = "Untie"
    seconds = 14.0
    held_seconds = 0.4
    node_count = 31

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        return bar_scene("A hand undoes a half hitch", HITCH, self.seconds)

    def holders(self) -> list[Holder]:
        """One end, held directly; the other is held by the wall."""
        return [Holder("hand", SPEED, (-0.5, -0.5, 0.1), (0.6, 0.5, 1.2))]

    def draw(self, random: np.random.Generator) -> Episode:
        """The rope, and how the knot lies."""
        nodes = HITCH.copy()
        nodes[5:9] += random.uniform(-0.01, 0.01, 3)
        nodes[-2:] += random.uniform(-0.02, 0.02, 3)
        return Episode({**DLO4.draw(random), "rod.cable.curve.nodes": nodes.tolist()})

    def score(self, now: Snapshot) -> FloatArray:
        """-1 with a knot, more the harder a rope without one is pulled."""
        return np.where(now.once(_free), -0.5 + 0.5 * np.minimum(end_pull(now) / PULL, 1.0), -1.0)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """Not knotted, and pulled."""
        return now.once(_free) & (end_pull(now) >= PULL)

    def script(self, seen: Observation) -> Script:
        """The way of the expert that ties, from its end to its beginning."""
        front, back = -0.06, 0.06
        path = [
            [-0.07, -0.12, 0.72],
            [-0.07, back, 0.72],
            [-0.13, back, 0.95],
            [-0.13, front, 0.95],
            [-0.14, front, 0.6],
            [0.05, front, 0.45],
        ]
        seen = yield from lead(seen, [np.array([point]) for point in path], 0.25, SPEED, self.rate)
        away = np.array([1.0, 0.1, -0.5]) / np.linalg.norm([1.0, 0.1, -0.5])
        while True:
            pull = np.clip(0.25 * (1.5 - seen["tension"][-1]), -0.1, 0.3)
            seen = yield pull * away / SPEED


def _free(now: Snapshot) -> NDArray[np.bool_]:
    """Whether the rope is no knot, shape (N,)."""
    return knot_determinant(now.positions) == 1.0

"""Fling: the tip of a rope goes through a gate that the hand cannot reach."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO5
from ropewalk.gym.holders import Holder
from ropewalk.gym.policies import lead, wait
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task

LENGTH = 0.6
SPEED = 2.0
HAND = np.array([-0.3, 0.0, 1.0])
GATE = 0.06
"""Half the width of the gate in m."""


class Fling(Task):
    """A hand swings a rope of 0.6 m so that its tip goes through a square gate, 12 cm wide, that is out of the hand's reach: only a
    rope that stands out from the hand by its motion comes there.

    Success: the tip goes forward through the plane of the gate, inside its frame.
    """

    name = "Fling"
    seconds = 3.0
    held_seconds = 0.0
    node_count = 7
    goal_size = 3

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        below = (HAND - [0.0, 0.0, LENGTH]).tolist()
        rope = DLO5.rod(curve={"line": {"from": HAND.tolist(), "to": below}}, segments=24, mass_damping=0.17)
        return {
            "title": "A hand flings the tip of a rope through a gate",
            "time": {"dt": 4e-3, "duration": self.seconds},
            "rod": {"cable": rope},
            "clamp": {"hand": {"rod": "cable", "at": "start", "hold": "position"}},
            "body": {"gate": {"shapes": _frame(), "position": [0.5, 0.0, 0.6], "motion": "fixed"}},
        }

    def holders(self) -> list[Holder]:
        """The upper end, held directly."""
        return [Holder("hand", SPEED, (-0.5, -0.2, 0.8), (0.2, 0.2, 1.1))]

    def draw(self, random: np.random.Generator) -> Episode:
        """The rope, and where the gate is."""
        gate = random.uniform([0.42, -0.1, 0.55], [0.55, 0.1, 0.66])
        return Episode({**DLO5.draw(random), "body.gate.position": gate.tolist()}, gate)

    def score(self, now: Snapshot) -> FloatArray:
        """Less the distance of the tip from the gate, relative to 1 m."""
        return -np.minimum(np.linalg.norm(now.positions[:, -1] - now.goals, axis=1), 1.0)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """The tip has gone through the gate in this step."""
        here, there = now.before[:, -1] - now.goals, now.positions[:, -1] - now.goals
        crosses = (here[:, 0] < 0.0) & (there[:, 0] >= 0.0)
        share = np.where(crosses, here[:, 0] / np.where(crosses, here[:, 0] - there[:, 0], 1.0), 0.0)[:, None]
        at = here + share * (there - here)
        through: NDArray[np.bool_] = crosses & (np.abs(at[:, 1:]) < GATE).all(axis=1)
        return through

    def script(self, seen: Observation) -> Script:
        """Draws the hand back, then forward, and stops it where the gate is as far away as the rope is long."""
        gate = seen["goal"]
        back = np.array([[-0.5, gate[1], HAND[2]]])
        seen = yield from lead(seen, [back], 0.4, SPEED, self.rate)
        seen = yield from wait(seen, 8)
        reach = np.sqrt(LENGTH**2 - (HAND[2] - gate[2]) ** 2)
        stop = np.array([[gate[0] - 0.92 * reach, gate[1], HAND[2]]])
        yield from lead(seen, [stop], 1.15, SPEED, self.rate)


def _frame() -> list[dict[str, Any]]:
    """Four bars about the gate, in its frame."""
    half, bar = GATE + 0.01, {"radius": 5e-3, "length": 2.0 * (GATE + 0.01)}
    upright = [{"shape": {"capsule": bar}, "position": [0.0, y, 0.0]} for y in (-half, half)]
    level = [
        {"shape": {"capsule": bar}, "position": [0.0, 0.0, z], "rotation": {"rpy": [0.5 * np.pi, 0.0, 0.0]}}
        for z in (-half, half)
    ]
    return upright + level

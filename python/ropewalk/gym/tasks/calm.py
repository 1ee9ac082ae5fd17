"""Calm: a hand stops a cable that swings from it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO4
from ropewalk.gym.holders import Holder
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task

LENGTH = 0.8
SPEED = 0.6
HOME = np.array([0.0, 0.0, 1.0])
HEIGHT = 0.06
"""Height in m from which a cable that has as much energy as the swing would fall, at the start."""


class Calm(Task):
    """A hand holds a cable of 0.8 m that swings; it brings the cable to rest under the place where the hand began.

    Success: for 0.2 s the cable moves by less than 3 cm/s (root mean square), its middle is within 2 cm of the vertical below the
    hand, and the hand within 10 cm of its home. Left alone the cable swings on for longer than an episode.
    """

    name = "Calm"
    seconds = 4.0
    node_count = 6

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        cable = DLO4.rod(curve={"line": {"from": HOME.tolist(), "to": [0.0, 0.0, 0.2]}}, segments=24, mass_damping=0.05)
        return {
            "title": "A hand stops a cable that swings",
            "time": {"dt": 4e-3, "duration": self.seconds},
            "rod": {"cable": cable},
            "clamp": {"hand": {"rod": "cable", "at": "start", "hold": "position"}},
        }

    def holders(self) -> list[Holder]:
        """The upper end, held directly."""
        return [Holder("hand", SPEED, (-0.4, -0.4, 0.9), (0.4, 0.4, 1.1))]

    def draw(self, random: np.random.Generator) -> Episode:
        """The cable, to which side it hangs at the start, and how fast it moves then."""
        values = DLO4.draw(random)
        yaw, angle = random.uniform(-np.pi, np.pi), random.uniform(0.35, 0.6)
        way = LENGTH * np.array([np.sin(angle) * np.cos(yaw), np.sin(angle) * np.sin(yaw), -np.cos(angle)])
        values["rod.cable.curve.line.to"] = (HOME + way).tolist()
        return Episode(values)

    def score(self, now: Snapshot) -> FloatArray:
        """Less the speed that the energy of the swing stands for, and the distance of the hand from its home."""
        low = 0.5 * LENGTH
        height = np.maximum(now.center[:, 2] - (now.ends[:, 0, 2] - low), 0.0)
        swing = np.sqrt((9.81 * height + 0.5 * now.speed**2) / (9.81 * HEIGHT))
        astray = np.linalg.norm(now.ends[:, 0] - HOME, axis=1)
        # Without an edge beyond which all is as bad: there is always a way down.
        unrest = swing + astray
        return -unrest / (1.0 + unrest)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """At rest, below the hand, at home."""
        aside = np.linalg.norm((now.center - now.ends[:, 0])[:, :2], axis=1)
        home = np.linalg.norm(now.ends[:, 0] - HOME, axis=1)
        calm: NDArray[np.bool_] = (now.speed < 0.03) & (aside < 0.02) & (home < 0.1)
        return calm

    def script(self, seen: Observation) -> Script:
        """Gives way to the cable's pull as a longer cable would, so that waves run up into the hand and do not come back; and
        goes home slowly."""
        while True:
            hand, force = seen["ends"][0], seen["wrench"][0, :3]
            velocity = 1.5 * (HOME - hand)
            # Waves run at the root of g L at the hand, and the slope of the cable there is that of its pull.
            velocity[:2] -= 2.5 * force[:2] / max(force[2], 0.05)
            seen = yield velocity / SPEED

"""Route: a hand lays a cable round pegs on a board, on the side that is asked for at each, and draws it taut."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO4
from ropewalk.gym.holders import Holder
from ropewalk.gym.policies import lead
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task
from ropewalk.topology import winding

SPEED = 0.4
PEG = 8e-3
"""Radius of the pegs in m."""
LEAST, MOST = 0.5, 20.0
"""Tension in N at the hand that is taut, and that is too much."""
START = [[0.0, 0.0], [-0.12, 0.0], [-0.24, 0.05], [-0.28, 0.12], [-0.22, 0.18], [-0.1, 0.17], [0.02, 0.1]]
"""Points along the cable at the start, from the wall to the hand, in m."""


class Route(Task):
    """A cable of 0.7 m is held by a wall at the edge of a board, and by a hand. The hand draws it between 2 to 5 upright pegs: on which
    side of each is part of the goal.

    The goal has x and y in m and the side of each peg: 1 if the cable is to pass on its left, seen along x, -1 on its right. Success:
    for 0.4 s the angle that the cable sweeps about each peg is within 0.5 pi of a half turn on that side (so that it winds about no
    peg once more), and the tension at the hand is between 0.5 N and 20 N.

    Args:
        pegs: number of pegs, 2 to 5.
    """

    name = "Route"
    seconds = 10.0
    held_seconds = 0.4
    node_count = 21

    def __init__(self, pegs: int = 3) -> None:
        if not 2 <= pegs <= 5:
            raise ValueError(f"pegs is {pegs}, expected 2 to 5")
        self.pegs = pegs
        self.goal_size = 3 * pegs
        self._spacing = 0.36 / pegs

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        points = [[*point, 4e-3] for point in START[:-1]] + [[*START[-1], 0.015]]
        rod = DLO4.rod(curve={"spline": {"points": points}}, segments=50, mass_damping=2.0)
        pegs = {
            f"peg{i}": {
                "shape": {"cylinder": {"radius": PEG, "length": 0.08}},
                "position": [0.1 + self._spacing * i, 0.0, 0.04],
                "motion": "fixed",
                "friction": 0.2,
            }
            for i in range(self.pegs)
        }
        return {
            "title": "A hand lays a cable round pegs",
            "time": {"dt": 4e-3, "duration": self.seconds},
            "rod": {"cable": rod},
            "body": {"board": {"shape": "half_space", "motion": "fixed", "friction": 0.3}, **pegs},
            "clamp": {
                "wall": {"rod": "cable", "at": "start", "hold": "position"},
                "hand": {"rod": "cable", "at": "end", "hold": "position"},
            },
        }

    def holders(self) -> list[Holder]:
        """The end, held directly; below the tops of the pegs, so that the cable cannot be lifted over them."""
        return [Holder("hand", SPEED, (-0.3, -0.3, 8e-3), (0.8, 0.3, 0.04))]

    def draw(self, random: np.random.Generator) -> Episode:
        """The cable, where the pegs are, and on which sides the cable is to pass."""
        values = DLO4.draw(random)
        x = 0.1 + self._spacing * (np.arange(self.pegs) + random.uniform(-0.1, 0.1, self.pegs))
        y = random.uniform(-0.04, 0.04, self.pegs)
        side = random.choice([-1.0, 1.0], self.pegs)
        for i in range(self.pegs):
            values[f"body.peg{i}.position"] = [float(x[i]), float(y[i]), 0.04]
        return Episode(values, np.stack([x, y, side], axis=1).ravel())

    def score(self, now: Snapshot) -> FloatArray:
        """Less the share of pegs that the cable does not yet pass on the right side, and what is lacking in tension."""
        wrong = 1.0 - now.once(_right).mean(axis=1)
        slack = 1.0 - np.clip(now.tension[:, -1] / LEAST, 0.0, 1.0)
        return -(0.8 * wrong + 0.2 * slack)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """On the right side of all pegs, and taut."""
        pull = now.tension[:, -1]
        there: NDArray[np.bool_] = now.once(_right).all(axis=1) & (pull > LEAST) & (pull < MOST)
        return there

    def script(self, seen: Observation) -> Script:
        """Past each peg on its side, one after the other, and on until the cable is taut."""
        pegs = seen["goal"].reshape(-1, 3)
        high = 0.015
        path = [np.array([[0.02, pegs[0, 1] + 0.07 * pegs[0, 2], high]])]
        path += [np.array([[x, y + 0.055 * side, high]]) for x, y, side in pegs]
        path.append(np.array([[pegs[-1, 0] + 0.12, pegs[-1, 1] + 0.03 * pegs[-1, 2], high]]))
        seen = yield from lead(seen, path, 0.2, SPEED, self.rate)
        # Across the last peg, so that the cable bends round it.
        away = np.array([1.0, -0.3 * pegs[-1, 2], 0.0]) / np.hypot(1.0, 0.3)
        while True:
            pull = np.clip(0.1 * (2.0 - seen["tension"][-1]), -0.1, 0.15)
            seen = yield pull * away / SPEED


def _right(now: Snapshot) -> NDArray[np.bool_]:
    """Whether the cable passes each peg as it should, shape (N, pegs)."""
    goal = now.goals.reshape(len(now.goals), -1, 3)
    swept = winding(now.positions[:, None], goal[:, :, :2])
    # Along x and to the left of a peg, a cable sweeps half a turn clockwise.
    right: NDArray[np.bool_] = np.abs(swept + np.pi * goal[:, :, 2]) < 0.5 * np.pi
    return right

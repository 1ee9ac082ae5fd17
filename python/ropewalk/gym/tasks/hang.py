"""Hang: the end effector of an arm grips the end of a cable, leads it over a peg, and lets go."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO4
from ropewalk.gym.holders import Grip, Holder
from ropewalk.gym.policies import lead
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task
from ropewalk.topology import winding

SPEED = 0.4
LENGTH = 0.6
WALL = np.array([0.62, -0.2, 0.72])
"""Where the cable is fixed, in m."""
PEG, REACH = 0.012, 0.26
"""Radius and length of the peg in m; it lies along x."""
START = 1.8
"""Angle in rad that the cable sweeps about the peg at the start, at most."""


class Hang(Task):
    """A cable of 0.6 m hangs from a wall. An arm of seven joints grips its free end, leads it over a peg, and lets go of it.

    The end effector acts: its velocity, and its grip, which closes only within 15 mm of the end of the cable. The goal is the middle of
    the peg in m. Success: for 0.4 s the grip is open, the cable runs over the peg and hangs down behind it (it sweeps half a turn or
    more about it), and moves by less than 0.3 m/s (root mean square): then the peg carries it.
    """

    name = "Hang"
    seconds = 10.0
    held_seconds = 0.4
    node_count = 13
    goal_size = 3

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        peg = {
            "shape": {"capsule": {"radius": PEG, "length": REACH}},
            "position": [0.63, 0.05, 0.56],
            "rotation": {"rpy": [0.0, 0.5 * np.pi, 0.0]},
            "motion": "fixed",
            "friction": 0.4,
        }
        forward = {"rpy": [0.0, 0.5 * np.pi, 0.0]}
        hand = {"robot": "arm", "link": "hand"}
        return {
            "title": "An arm hangs a cable over a peg",
            "time": {"dt": 4e-3, "duration": self.seconds},
            "rod": {"cable": DLO4.rod(curve=_curve(0.0, 0.0), segments=36, mass_damping=1.0)},
            "clamp": {"wall": {"rod": "cable", "at": "start", "hold": "position"}},
            "body": {"peg": peg},
            "robot": {
                "arm": {
                    "urdf": "robot:arm7_gripper",
                    "position": [0.06, 0.0, 0.1],
                    "joints": {"shoulder_pitch": -0.3, "elbow": 1.6, "wrist_pitch": 0.27, "grip": 0.015},
                    "gravity_compensation": True,
                }
            },
            "control": {"arm": {"robot": "arm", "position_gain": 1e4, "velocity_gain": 300.0}},
            "end_effector": {"hand": {**hand, "times": [0.0], "positions": [[0.5, 0.0, 0.4]], "rotations": [forward]}},
            # Begins only when it is told to.
            "attach": {"grip": {"kind": "ball", "rod": "cable", "at": "end", "to": hand, "from": 1e6}},
        }

    def holders(self) -> list[Holder]:
        """The end effector of the arm."""
        return [Holder("hand", SPEED, (0.48, -0.3, 0.08), (0.65, 0.26, 0.69), Grip("arm", "hand", "grip"))]

    def draw(self, random: np.random.Generator) -> Episode:
        """The cable, to which side it swings at the start, and where the peg is."""
        peg = random.uniform([0.62, 0.03, 0.53], [0.64, 0.08, 0.59])
        aside = random.uniform(-0.1, 0.1, 2)
        values = {**DLO4.draw(random), "rod.cable.curve": _curve(*aside), "body.peg.position": peg.tolist()}
        return Episode(values, peg)

    def score(self, now: Snapshot) -> FloatArray:
        """Nearer when the hand is at the end of the cable, when the cable is farther round the peg, and when it hangs there."""
        hand = np.linalg.norm(now.ends[:, 0] - now.positions[:, -1], axis=1)
        swept = now.once(_swept)
        progress = np.clip((START - swept) / (START + np.pi), 0.0, 1.0)
        before = 0.2 * (1.0 - np.minimum(hand / 0.5, 1.0)) + 0.6 * progress
        return np.where(swept < -np.pi, -0.1 * now.grip[:, 0], before - 1.0)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """Over the peg, let go, and at rest."""
        there: NDArray[np.bool_] = (now.once(_swept) < -np.pi) & (now.grip[:, 0] == 0.0) & (now.speed < 0.3)
        return there

    def script(self, seen: Observation) -> Script:
        """To the end of the cable, up before the peg, over it, down behind it; opens, and draws back."""
        x, y, z = seen["goal"]
        while seen["grip"][0] == 0.0:
            # Follows the end, from where the hand stands towards it, along the axis of the hand at last.
            way = seen["nodes"][-1] - seen["ends"][0]
            way[0] -= min(0.06, 3.0 * float(np.hypot(way[1], way[2])))
            velocity = 4.0 * way + 0.8 * seen["velocities"][-1]
            seen = yield np.append(velocity / SPEED, 1.0)
        # Away from the wall while it rises, so that the cable does not fall over the gripper.
        path = [[x - 0.12, y - 0.14, 0.3], [x - 0.12, y - 0.14, z + 0.1], [x, y - 0.14, z + 0.1], [x, y + 0.16, z + 0.1]]
        targets = [np.array([point]) for point in [*path, [x, y + 0.16, z - 0.18]]]
        seen = yield from lead(seen, targets, 0.3, SPEED, self.rate, near=0.01, grip=[1.0])
        away = np.array([[x - 0.15, y + 0.16, z - 0.18]])
        yield from lead(seen, [away], 0.2, SPEED, self.rate, near=0.01, grip=[-1.0])


def _curve(forward: float, aside: float) -> dict[str, Any]:
    """A straight cable from the wall down, its end this far from the vertical along x and y in m."""
    down = np.sqrt(LENGTH**2 - forward**2 - aside**2)
    return {"line": {"from": WALL.tolist(), "to": (WALL + [forward, aside, -down]).tolist()}}


def _swept(now: Snapshot) -> FloatArray:
    """Angle in rad that the cable sweeps about the peg, seen against x, shape (N,)."""
    return winding(now.positions[:, :, 1:], now.goals[:, 1:])

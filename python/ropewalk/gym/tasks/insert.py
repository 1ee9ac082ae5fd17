"""Insert: a hand holds a cable behind its plug and puts the plug into a hole."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO1
from ropewalk.gym.holders import Holder
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task

SPEED = 0.15
LENGTH = 0.25
HELD, PLUG = 0.18, 0.205
"""Where the hand holds the cable, and where its plug begins, in m along it."""
HALF = 4e-3
"""Half the thickness of the plug in m."""
GAP = 1e-3
"""Clearance of the plug in the hole on each side in m."""
DEEP = 0.025
"""How deep the plug has to be in the hole, in m."""
FORCE = 20.0
"""Greatest force of the hand in N."""


class Insert(Task):
    """A hand holds a cable 25 mm behind its stiff plug, 8 mm thick, and puts it into a square hole of 10 mm, not always straight: the plug
    points up to 0.06 rad aside. The cable between hand and plug gives way.

    The goal is the middle of the mouth of the hole in m; its axis is x. Success: for 0.2 s the plug is 25 mm deep in the hole. The episode
    is lost when the hand pushes with 20 N or more.
    """

    name = "Insert"
    seconds = 6.0
    node_count = 11
    goal_size = 3

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        plug = {"stretch": 2e4, "bend": [0.5, 0.5], "twist": 0.5, "line_density": 0.08, "radius": HALF}
        rod = DLO1.rod(
            curve=_curve(0.0, 0.0),
            segments=30,
            mass_damping=2.0,
            pieces=[{"from": PLUG / LENGTH, "to": 1.0, "section": {"stiffness": plug}}],
        )
        return {
            "title": "A hand puts a plug into a hole",
            "time": {"dt": 4e-3, "duration": self.seconds},
            "rod": {"cable": rod},
            "body": {"socket": {"shapes": _walls(), "position": [0.45, 0.0, 0.3], "motion": "fixed", "friction": 0.2}},
            "clamp": {"hand": {"rod": "cable", "at": {"arclength": HELD}}},
        }

    def holders(self) -> list[Holder]:
        """The cable behind the plug, held directly; its direction stays as it is."""
        return [Holder("hand", SPEED, (0.0, -0.2, 0.1), (0.5, 0.2, 0.5))]

    def draw(self, random: np.random.Generator) -> Episode:
        """The cable, how the plug points, and where the hole is."""
        hole = random.uniform([0.43, -0.04, 0.27], [0.47, 0.04, 0.33])
        yaw, pitch = random.uniform(-0.06, 0.06, 2)
        values = {
            **DLO1.draw(random),
            "rod.cable.curve": _curve(float(yaw), float(pitch)),
            "body.socket.position": hole.tolist(),
        }
        return Episode(values, hole)

    def score(self, now: Snapshot) -> FloatArray:
        """Less how far the tip is from where it should be."""
        way = now.positions[:, -1] - (now.goals + [DEEP, 0.0, 0.0])
        return -np.minimum(np.linalg.norm(way, axis=1) / 0.2, 1.0)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """Deep in the hole."""
        way = now.positions[:, -1] - now.goals
        inside: NDArray[np.bool_] = (way[:, 0] > DEEP) & (np.abs(way[:, 1:]) < HALF + GAP).all(axis=1)
        return inside

    def lost(self, now: Snapshot) -> NDArray[np.bool_]:
        """Pushed too hard."""
        too_hard: NDArray[np.bool_] = np.linalg.norm(now.wrench[:, 0, :3], axis=1) >= FORCE
        return too_hard

    def script(self, seen: Observation) -> Script:
        """Brings the tip before the hole, then pushes it in, keeping it on the axis; gives way where it is pushed back."""
        while True:
            tip = seen["nodes"][-1] - seen["goal"]
            force = seen["wrench"][0, :3]
            velocity = np.array([0.0, -4.0 * tip[1], -4.0 * tip[2]])
            centered = float(np.hypot(tip[1], tip[2]))
            if tip[0] > -5e-3 or centered < 4e-4:
                velocity[0] = 0.03 if force[0] < 4.0 else -0.02
            else:
                velocity[0] = 4.0 * (-0.012 - tip[0])
            seen = yield velocity / SPEED


def _curve(yaw: float, pitch: float) -> dict[str, Any]:
    """A straight cable whose plug points aside."""
    way = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
    tip = np.array([0.4, 0.0, 0.3])
    return {"line": {"from": (tip - LENGTH * way).tolist(), "to": tip.tolist()}}


def _walls() -> list[dict[str, Any]]:
    """Four walls about a square hole along x that begins at the origin of the socket."""
    half, thick, depth = HALF + GAP, 0.02, 0.05
    across = half + 0.5 * thick
    sizes = [[depth, thick, 2.0 * (half + thick)], [depth, 2.0 * half, thick]]
    sides = [(sizes[0], [0.0, across * s, 0.0]) for s in (-1, 1)] + [(sizes[1], [0.0, 0.0, across * s]) for s in (-1, 1)]
    return [{"shape": {"box": {"size": size}}, "position": [0.5 * depth, at[1], at[2]]} for size, at in sides]

"""Shape: two hands bring a hanging cable into a given shape."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.cables import DLO1
from ropewalk.gym.holders import Holder
from ropewalk.gym.policies import lead
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Observation, Script, Task
from ropewalk.gym.tasks.straighten import hanging_arc

LENGTH = 0.8
SPEED = 0.5
NEAR = 0.02
"""Mean distance of the nodes from the goal in m that counts as there."""
POINTS = 11


class Shape(Task):
    """Two hands hold the ends of a stiff cable of 0.8 m and bring it into a shape that is given by eleven points along it.

    The shape is one that the cable takes at rest, with its own stiffness and weight, between two other places of the hands.
    Success: for 0.4 s the points of the cable are within 2 cm of those of the goal on average, and within 4 cm each.
    """

    name = "Shape"
    seconds = 5.0
    held_seconds = 0.4
    node_count = POINTS
    goal_size = 3 * POINTS

    def scene(self) -> dict[str, Any]:
        """The document of the scene."""
        cable = DLO1.rod(curve={"nodes": hanging_arc(0.3, 0.0, 0.0, LENGTH).tolist()}, segments=40, mass_damping=0.5)
        clamps = {end: {"rod": "cable", "at": at, "hold": "position"} for end, at in (("left", "start"), ("right", "end"))}
        return {
            "title": "Two hands bring a cable into a given shape",
            "time": {"dt": 4e-3, "duration": self.seconds},
            "rod": {"cable": cable},
            "clamp": clamps,
        }

    def holders(self) -> list[Holder]:
        """Both ends, held directly."""
        low, high = (-0.6, -0.5, 0.2), (0.6, 0.5, 0.9)
        return [Holder("left", SPEED, low, high), Holder("right", SPEED, low, high)]

    def draw(self, random: np.random.Generator) -> Episode:
        """The cable, where it hangs, and where the hands are in the goal."""
        values = DLO1.draw(random)
        nodes = hanging_arc(random.uniform(0.2, 0.4), random.uniform(-0.5, 0.5), random.uniform(-0.05, 0.05), LENGTH)
        values["rod.cable.curve.nodes"] = nodes.tolist()
        middle = random.uniform([-0.15, -0.15, 0.4], [0.15, 0.15, 0.7])
        yaw, span, tilt = random.uniform(-1.0, 1.0), random.uniform(0.45, 0.7), random.uniform(-0.12, 0.12)
        half = 0.5 * np.array([span * np.cos(yaw), span * np.sin(yaw), 2.0 * tilt])
        return Episode(values, np.concatenate([middle - half, middle + half]))

    def complete(self, episode: Episode, now: Snapshot, world: int) -> FloatArray:
        """The shape at rest between the hands of the goal."""
        twin = now.batch.world(world)
        for name, place in zip(("left", "right"), np.split(episode.goal, 2), strict=True):
            twin.clamps[name].set_target(place, over=1.0)
        twin.step(round(1.0 / twin.dt))
        twin.equilibrate()
        nodes = twin.rods[self.rod].positions
        return nodes[np.linspace(0, len(nodes) - 1, POINTS).round().astype(int)].ravel()

    def score(self, now: Snapshot) -> FloatArray:
        """Less the mean distance, relative to half the length."""
        return -np.minimum(_distances(now).mean(axis=1) / (0.5 * LENGTH), 1.0)

    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """All points near those of the goal."""
        far = _distances(now)
        there: NDArray[np.bool_] = (far.mean(axis=1) < NEAR) & (far.max(axis=1) < 2.0 * NEAR)
        return there

    def script(self, seen: Observation) -> Script:
        """Leads the ends of the cable to those of the goal."""
        goal = seen["goal"].reshape(-1, 3)
        yield from lead(seen, [goal[[0, -1]]], 0.35, SPEED, self.rate, near=1e-3)


def _distances(now: Snapshot) -> FloatArray:
    """Distance of each point from that of the goal in m, shape (N, p)."""
    at = np.linspace(0, now.positions.shape[1] - 1, POINTS).round().astype(int)
    distances: FloatArray = np.linalg.norm(now.positions[:, at] - now.goals.reshape(len(now.goals), -1, 3), axis=2)
    return distances

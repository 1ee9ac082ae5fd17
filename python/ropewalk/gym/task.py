"""What a task is: a scene, what is drawn for an episode, when it has succeeded, and an expert."""

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.gym.holders import Holder
from ropewalk.gym.snapshot import Snapshot

__all__ = ["Episode", "Observation", "Script", "Task"]

Observation = dict[str, NDArray[Any]]
"""What one environment shows, by name."""

Script = Generator[FloatArray, Observation, None]
"""A scripted expert of one environment: takes observations, gives actions."""


@dataclass(frozen=True)
class Episode:
    """What is drawn for an episode.

    Args:
        values: values of the scene by path.
        goal: the goal, shape (g,).
    """

    values: dict[str, object]
    goal: FloatArray = field(default_factory=lambda: np.zeros(0))


class Task(ABC):
    """A task. One object serves any number of worlds; it keeps nothing of them.

    The return of an episode is the rise of :meth:`score` from its beginning to its end, and 1 for success.
    """

    name: str
    """Name of the environment, without ``ropewalk/`` and version."""
    rod: str = "cable"
    """The cable that is observed."""
    rate: float = 25.0
    """Steps of the environment per second."""
    seconds: float = 4.0
    """Length of an episode, at most."""
    held_seconds: float = 0.2
    """How long :meth:`reached` has to hold."""
    goal_size: int = 0
    """Numbers of the goal."""
    node_count: int = 11
    """Nodes in the observation, evenly spaced by arclength."""

    @abstractmethod
    def scene(self) -> dict[str, Any]:
        """The document of the scene."""

    @abstractmethod
    def holders(self) -> list[Holder]:
        """What acts."""

    @abstractmethod
    def draw(self, random: np.random.Generator) -> Episode:
        """Draws an episode."""

    @abstractmethod
    def score(self, now: Snapshot) -> FloatArray:
        """How near the goal is, -1 (far) to 0 (there), shape (N,)."""

    @abstractmethod
    def reached(self, now: Snapshot) -> NDArray[np.bool_]:
        """Whether all that success asks for is so now, shape (N,)."""

    def lost(self, now: Snapshot) -> NDArray[np.bool_]:
        """Whether the episode is lost and ends now, shape (N,); never by default."""
        return np.zeros(len(now.goals), dtype=bool)

    @abstractmethod
    def script(self, seen: Observation) -> Script:
        """The expert of one environment, from its first observation on. Actions have the order of the environment's."""

    def complete(self, episode: Episode, now: Snapshot, world: int) -> FloatArray:
        """The goal of a world that has just begun, where it has to be computed from it; shape (g,)."""
        return episode.goal

    @property
    def step_limit(self) -> int:
        """Steps of an episode, at most."""
        return round(self.seconds * self.rate)

    @property
    def held_steps(self) -> int:
        """Steps for which :meth:`reached` has to hold."""
        return max(1, round(self.held_seconds * self.rate))


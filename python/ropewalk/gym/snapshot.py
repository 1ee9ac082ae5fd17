"""All worlds of an environment at one moment: what observations are made of and what tasks judge."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk.batch import Batch
from ropewalk.gym.holders import Actions

__all__ = ["Snapshot"]


class Snapshot:
    """N worlds now. Arrays are read when they are first asked for.

    Args:
        batch: the worlds.
        actions: their holders.
        rod: name of the cable.
        goals: shape (N, g).
        before: nodes of the cable one step earlier in m, shape (N, n, 3); as they are now by default.
    """

    def __init__(
        self, batch: Batch, actions: Actions, rod: str, goals: FloatArray, before: FloatArray | None = None
    ) -> None:
        self.batch, self.goals, self._before = batch, goals, before
        self._actions, self._rod = actions, batch.rods[rod]
        self._found: dict[Callable[[Snapshot], NDArray[Any]], NDArray[Any]] = {}

    @cached_property
    def positions(self) -> FloatArray:
        """Nodes of the cable in m, shape (N, n, 3)."""
        return self._rod.positions

    def once(self, judge: "Callable[[Snapshot], NDArray[Any]]") -> NDArray[Any]:
        """What ``judge`` finds, which is asked once: for what both score and success need."""
        if judge not in self._found:
            self._found[judge] = judge(self)
        return self._found[judge]

    @cached_property
    def center(self) -> FloatArray:
        """Mean of the nodes of the cable in m, shape (N, 3)."""
        center: FloatArray = self.positions.mean(axis=1)
        return center

    @property
    def before(self) -> FloatArray:
        """Nodes of the cable one step of the environment earlier in m, shape (N, n, 3); at the start, as they are."""
        return self.positions if self._before is None else self._before

    @cached_property
    def velocities(self) -> FloatArray:
        """Velocities of the nodes in m/s, shape (N, n, 3)."""
        return self._rod.velocities

    @cached_property
    def tension(self) -> FloatArray:
        """Tension of the edges in N, shape (N, e)."""
        return self._rod.tension

    @cached_property
    def rest_length(self) -> FloatArray:
        """Length of the cable in m, shape (N,)."""
        length: FloatArray = self._rod.rest_lengths.sum(axis=1)
        return length

    @cached_property
    def masses(self) -> FloatArray:
        """Masses of the nodes in kg, shape (N, n)."""
        return self._rod.masses

    @cached_property
    def ends(self) -> FloatArray:
        """Where the holders are in m, shape (N, h, 3)."""
        return np.stack([holder.position(self.batch) for holder in self._actions.holders], axis=1)

    @cached_property
    def wrench(self) -> FloatArray:
        """Force in N and torque in N m of the holders on the cable, shape (N, h, 6)."""
        parts = [np.concatenate(holder.wrench(self.batch), axis=1) for holder in self._actions.holders]
        return np.stack(parts, axis=1)

    @cached_property
    def grip(self) -> FloatArray:
        """1 where a grip holds the cable, else 0, shape (N, number of grips)."""
        grips = [holder.grip for holder in self._actions.holders if holder.grip is not None]
        return np.stack([self.batch.attachments[grip.attachment].holds for grip in grips], axis=1).astype(np.float64)

    @cached_property
    def speed(self) -> FloatArray:
        """Root mean square of the speeds of the nodes in m/s, shape (N,)."""
        speed: FloatArray = np.sqrt(np.mean(np.sum(self.velocities**2, axis=2), axis=1))
        return speed

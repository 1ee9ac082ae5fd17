"""Measures of a run, and what its claims come to."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ropewalk.world import World

__all__ = ["ClaimResult", "Measure"]


class Measure:
    """A number of a run that a world gathers step by step, in constant memory; see :meth:`ropewalk.World.measure`."""

    def __init__(self, world: "World", index: int) -> None:
        self._world = world
        self._index = index

    @property
    def value(self) -> float | None:
        """What it has come to; ``None`` before its window."""
        return self._world._running.measured(self._index)

    def __repr__(self) -> str:
        return f"<Measure {self.value}>"


class ClaimResult(NamedTuple):
    """What a claim of a scene came to."""

    name: str
    """Its name."""
    reference: float
    """What theory says."""
    measured: float
    """What the run came to."""
    error: float
    """How far apart they are, in the sense in which the tolerance is meant."""
    tolerance: float
    """Greatest error that passes."""
    passed: bool
    """Whether the error is within the tolerance."""

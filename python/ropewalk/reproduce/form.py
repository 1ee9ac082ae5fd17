"""How much is run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

__all__ = ["PEER_SECONDS", "Form"]

PEER_SECONDS = 120.0
"""CPU-seconds after which a run of another simulator, or of a baseline, stops and says how far it came."""

T = TypeVar("T")


@dataclass(frozen=True)
class Form:
    """How much is run."""

    name: Literal["tiny", "quick", "full", "overnight"]
    """``"tiny"`` is for tests: everything takes part, and nothing is long enough to show anything."""
    knots: Path | None = None
    """Folder with the published start shapes of knots, ``n1.txt`` to ``n4.txt``, if it is there."""

    def pick(self, *, tiny: T, quick: T, full: T, overnight: T | None = None) -> T:
        """What belongs to this form; overnight is full unless it is given."""
        match self.name:
            case "tiny":
                return tiny
            case "quick":
                return quick
            case "full":
                return full
            case "overnight":
                return full if overnight is None else overnight

    @property
    def peer_seconds(self) -> float:
        """Budget of a peer's run in CPU-seconds."""
        return self.pick(tiny=0.5, quick=15.0, full=PEER_SECONDS, overnight=float("inf"))

    @property
    def flag(self) -> str:
        """Its option on the command line."""
        return "" if self.name == "full" else f" --{self.name}"

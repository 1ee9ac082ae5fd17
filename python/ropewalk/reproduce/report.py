"""What is reported: sections of words, tables, figures and players, and verdicts on claims."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ropewalk.reproduce.runs import Result

__all__ = ["WORDS", "Block", "Figure", "Player", "Section", "Table", "Verdict", "number", "problems"]


WORDS = ("reproduced", "improved", "partly reproduced", "not reproduced", "agreed", "not shown")
"""Verdicts."""


@dataclass(frozen=True)
class Table:
    """Rows of texts; a caption says what they are and where they come from."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Figure:
    """A picture."""

    name: str
    """Name of its file, without an ending; of letters, digits, ``-`` and ``_``."""
    caption: str
    png: bytes


@dataclass(frozen=True)
class Player:
    """A run to be played: a page of its own."""

    caption: str
    html: str


Block = str | Table | Figure | Player


@dataclass(frozen=True)
class Verdict:
    """What we say of a claim of the paper."""

    word: str
    """One of :data:`WORDS`."""
    evidence: str
    """What shows it, with numbers."""

    def __post_init__(self) -> None:
        if self.word not in WORDS:
            raise ValueError(f"a verdict is {self.word!r}, expected one of {', '.join(WORDS)}")


@dataclass
class Section:
    """What came out of an experiment."""

    name: str
    title: str
    settings: str
    """What was run, in a sentence or two."""
    blocks: list[Block] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """By the names of claims."""

    def add(self, *blocks: Block) -> None:
        """Adds what comes next."""
        self.blocks.extend(blocks)


def number(value: float | None, digits: int = 3) -> str:
    """A number for a table: plain where that is short, else with a power of ten; a dash for none."""
    if value is None or value != value:
        return "–"
    if value == 0.0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        text = f"{value:.{digits}g}"
        return f"{value:.0f}" if "e" in text else text
    return f"{value:.{digits - 1}e}"


def problems(results: Sequence[Result]) -> list[str]:
    """A line for each run without a result."""
    lines = [f"{result.run.title}: {result.failure}" for result in results if not result]
    return list(dict.fromkeys(lines))

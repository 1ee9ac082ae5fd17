"""The progress bar."""

import sys
import time
from collections.abc import Sequence
from typing import TextIO

__all__ = ["Bar"]

WIDTH = 30


class Bar:
    """Says how far the runs are: one line that changes in a terminal, else a line for each run that ends."""

    def __init__(self, out: TextIO | None = None, *, quiet: bool = False) -> None:
        self._out = sys.stderr if out is None else out
        self._quiet = quiet
        self._live = not quiet and self._out.isatty()
        self._begun = time.monotonic()
        self._count = self._done = 0
        self._weight = self._total = 0.0
        self._shown = 0.0

    def begin(self, kept: int, weights: Sequence[float]) -> None:
        """Before the first run: how many results are there, and the weights of the runs to come."""
        self._count, self._total = len(weights), sum(weights)
        if not self._quiet:
            there = f", {kept} are there already" if kept else ""
            print(f"{self._count} runs, about {clock(self._total / 2)} on two cores{there}", file=self._out)

    def advance(self, weight: float, title: str, failure: str | None) -> None:
        """A run has ended."""
        self._done += 1
        self._weight += weight
        if self._quiet:
            return
        how = "" if failure is None else f": {failure}"
        if self._live:
            if failure is not None:
                print(f"\r\033[K{title}{how}", file=self._out)
        else:
            print(f"[{self._done}/{self._count}] {clock(self._elapsed)} {title}{how}", file=self._out, flush=True)

    def show(self, running: Sequence[str]) -> None:
        """Now and then while runs go on."""
        now = time.monotonic()
        if not self._live or now - self._shown < 0.2:
            return
        self._shown = now
        share = self._weight / self._total if self._total > 0.0 else 1.0
        full = int(WIDTH * share)
        left = f", about {clock(self._elapsed * (1.0 - share) / share)} left" if share > 0.05 else ""
        text = f"[{'#' * full}{'-' * (WIDTH - full)}] {self._done}/{self._count} {clock(self._elapsed)}{left}: {'; '.join(running)}"
        print(f"\r\033[K{text[:150]}", end="", file=self._out, flush=True)

    def close(self) -> None:
        """After the last run."""
        if self._live:
            print("\r\033[K", end="", file=self._out, flush=True)

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._begun


def clock(seconds: float) -> str:
    """Minutes and seconds, or hours and minutes."""
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02}"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"

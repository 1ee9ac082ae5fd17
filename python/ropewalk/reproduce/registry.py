"""The experiments and baselines, by name."""

import difflib
import importlib
from collections.abc import Callable, Sequence
from typing import Protocol, cast

from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Section
from ropewalk.reproduce.runs import Result, Run

__all__ = ["NAMES", "Experiment", "find", "load"]

NAMES = (
    "method",
    "examples",
    "capstan",
    "knots",
    "crowned_pulley",
    "conveyor",
    "gripper",
    "shoelace",
    "rings",
    "capsule_chain",
    "lace_chain",
    "contact_energy",
    "finite_elements",
    "cosserat",
    "peers",
)
"""In the order of the report; each is a module of this package."""


class Experiment(Protocol):
    """A module with an experiment."""

    runs: Callable[[Form], list[Run]]
    """What is to be run."""
    section: Callable[[Form, Sequence[Result]], Section]
    """What came out, from the results of these runs, in their order."""


def find(names: Sequence[str]) -> list[str]:
    """The experiments asked for, all if none is named.

    Raises:
        ValueError: there is none of that name; the message has the nearest one.
    """
    for name in names:
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, n=1, cutoff=0.3)
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(NAMES)}"
            raise ValueError(f"there is no experiment {name!r}: {hint}")
    return [name for name in NAMES if name in names] if names else list(NAMES)


def load(name: str) -> Experiment:
    """The module of an experiment."""
    return cast(Experiment, importlib.import_module(f"ropewalk.reproduce.{name}"))

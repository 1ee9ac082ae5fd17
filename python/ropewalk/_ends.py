"""Ends of attachments that are made during a run."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ropewalk._arrays import FloatArray, vector
from ropewalk._facts import Facts, find

EndNumbers = tuple[str, int, int, tuple[float, float, float] | None]


class Ends:
    """Ends of attachments by number."""

    def __init__(self, facts: Facts, rest_lengths: list[FloatArray], kind: str) -> None:
        self._facts, self._rest_lengths, self._kind = facts, rest_lengths, kind

    def of(self, end: object, at: object, point: ArrayLike | None, *, is_first: bool) -> EndNumbers:
        """An end that a handle, a name or a table of the scene file stands for."""
        if isinstance(end, Mapping):
            table = dict(end)
            at, point = table.pop("at", at), table.pop("point", point)
            link = table.pop("link", None)
            unknown = set(table) - {"rod", "body", "robot"}
            if unknown or len(table) > 1:
                raise ValueError(f"an end is {end!r}, expected one of 'rod', 'body' and 'robot', with 'at', 'link' or 'point'")
            kind, thing = next(iter(table.items()), ("world", "world"))
            name = thing if isinstance(thing, str) else getattr(thing, "name", None)
        else:
            name, kind, link = end if isinstance(end, str) else getattr(end, "name", None), "", None
        if not isinstance(name, str):
            raise ValueError(f"an end is {end!r}, expected a rod, a body, their names, or a table such as {{'robot': …, 'link': …}}")
        place = None if point is None else vector("point", point)
        if name == "world" and kind in ("", "world"):
            return "world", 0, 0, place
        if kind == "robot" or (kind == "" and name in self._facts.robots):
            tree = find("robot", self._facts.robots, name)
            names = {each.name: i for i, each in enumerate(self._facts.links[tree])}
            number = find(f"link of robot {name!r}", names, str(link))
            return "link", tree, number, place or ((0.0, 0.0, 0.0) if is_first else None)
        if kind == "body" or (kind == "" and name in self._facts.bodies):
            tree, number = find("body", self._facts.bodies, name)
            return "link", tree, number, place or ((0.0, 0.0, 0.0) if is_first else None)
        rod = find("rod or body" if kind == "" else "rod", self._facts.rods, name)
        if place is not None:
            raise ValueError("a point of a rod is given by at, not by point")
        edge, fraction = self._place(name, rod, at)
        return "rod", rod, edge, (fraction, 0.0, 0.0)

    def _place(self, name: str, rod: int, at: object) -> tuple[int, float]:
        lengths = self._rest_lengths[rod]
        edges = len(lengths)
        nodes = edges if self._facts.closed[rod] else edges + 1
        clamp = self._kind == "clamp"
        if at == "start":
            return (0, 0.5) if clamp else (0, 0.0)
        if at == "end":
            return (edges - 1, 0.5) if clamp else (edges - 1, 1.0)
        if isinstance(at, Mapping) and len(at) == 1:
            (key, value), *_ = at.items()
            if key == "edge" and isinstance(value, (int, np.integer)) and 0 <= value < edges and self._kind != "pin":
                return int(value), 0.5
            if key == "node" and isinstance(value, (int, np.integer)) and 0 <= value < nodes and not clamp:
                return (int(value), 0.0) if value < edges else (edges - 1, 1.0)
            if key == "arclength" and isinstance(value, (int, float, np.number)) and 0.0 <= value <= lengths.sum():
                starts = np.concatenate(([0.0], np.cumsum(lengths)))
                edge = min(int(np.searchsorted(starts, float(value), side="right")) - 1, edges - 1)
                fraction = (float(value) - starts[edge]) / lengths[edge]
                if clamp:
                    return edge, 0.5
                if self._kind == "pin":
                    return edge, float(round(min(max(fraction, 0.0), 1.0)))
                return edge, float(min(max(fraction, 0.0), 1.0))
        raise ValueError(
            f"at is {at!r} on rod {name!r} with {edges} edges, expected 'start', 'end', {{'edge': i}} (ball, clamp), "
            "{'node': i} (pin, ball) or {'arclength': s} in m on the rod"
        )


"""What is in a scene, by name."""

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

from ropewalk import _core

Thing = TypeVar("Thing")


class Link(NamedTuple):
    """A link of a body or robot."""

    name: str
    parent: int | None
    joint: str
    q: slice
    """Where the positions of its joint lie among those of the tree."""
    v: slice
    """Where their velocities lie."""


class ActuatorPlace(NamedTuple):
    """Where an actuator acts."""

    number: int
    tree: int
    link: int
    dof: int


class Facts:
    """Names and indices of all that a scene holds."""

    def __init__(self, scene: _core.Scene) -> None:
        self.rods = {name: index for index, (name, _) in enumerate(scene.rods)}
        self.closed = [closed for _, closed in scene.rods]
        self.bodies = {name: (tree, link) for name, tree, link in scene.bodies}
        self.tree_names = [name for name, _ in scene.trees]
        self.links = [_links(links) for _, links in scene.trees]
        with_bodies = {tree for tree, _ in self.bodies.values()}
        self.robots = {name: tree for tree, name in enumerate(self.tree_names) if tree not in with_bodies}
        self.clamps = {name: index for index, name in enumerate(scene.clamps)}
        self.attachments = {name: index for index, name in enumerate(scene.attachments)}
        self.actuators = {
            name: ActuatorPlace(index, tree, link, dof)
            for index, (name, tree, link, dof) in enumerate(scene.actuators)
        }
        self.end_effectors = {name: index for index, name in enumerate(scene.end_effectors)}


def _links(links: list[tuple[str, int | None, str, int, int]]) -> list[Link]:
    out, q, v = [], 0, 0
    for name, parent, joint, positions, velocities in links:
        out.append(Link(name, parent, joint, slice(q, q + positions), slice(v, v + velocities)))
        q, v = q + positions, v + velocities
    return out


def find(kind: str, things: Mapping[str, Thing], name: str) -> Thing:
    """The thing of that name; a KeyError that names the nearest one if there is none."""
    try:
        return things[name]
    except KeyError:
        names = ", ".join(things) or "(none)"
        near = difflib.get_close_matches(str(name), list(things), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise KeyError(f"there is no {kind} called {name!r}, expected one of {names}{hint}") from None


class Named(Mapping[str, Thing], Generic[Thing]):
    """Things of one kind by name."""

    def __init__(self, kind: str, names: Callable[[], Mapping[str, object]], make: Callable[[str], Thing]) -> None:
        self._kind, self._names, self._make = kind, names, make

    def __getitem__(self, name: str) -> Thing:
        find(self._kind, self._names(), name)
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __repr__(self) -> str:
        return f"<{self._kind}: {', '.join(self)}>"

"""Scenes that come with the package."""

from typing import NamedTuple

from ropewalk import _core


class EmbeddedScene(NamedTuple):
    """A scene that comes with the package."""

    name: str
    """Name, for :class:`~ropewalk.World`."""
    title: str
    """What it shows, in one line."""
    text: str
    """Its file."""


def embedded_scenes() -> dict[str, EmbeddedScene]:
    """The scenes that come with the package, by name."""
    return {name: EmbeddedScene(name, title, text) for name, title, text in _core.embedded_scenes()}

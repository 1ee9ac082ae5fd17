"""Scenes that come with the package, and the schema of scene files."""

import json
from typing import Any, NamedTuple

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


def scene_schema() -> dict[str, Any]:
    """The JSON schema of scene files, with the meaning, unit and range of every key."""
    schema: dict[str, Any] = json.loads(_core.scene_schema())
    return schema

"""Parts of a scene: small dataclasses that stand for tables of the scene file."""

import dataclasses
from typing import Any, ClassVar


class Part:
    """A part of a scene. Its keys, units and ranges are those of the scene file."""

    _tag: ClassVar[str | None] = None
    """The key under which a part of several kinds stands, such as ``circle`` for a section."""

    def document(self) -> Any:
        """The part as it stands in a scene file."""
        assert dataclasses.is_dataclass(self)
        named = {f.name.rstrip("_"): getattr(self, f.name) for f in dataclasses.fields(self)}
        table = {name: value for name, value in named.items() if value is not None}
        return table if self._tag is None else {self._tag: table}

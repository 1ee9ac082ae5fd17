"""Documents of scenes as TOML text.

A document is a dictionary as :mod:`tomllib` gives it. Floats are written with all their digits, so that text and document
make the same scene to the bit.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ropewalk._part import Part

Document = dict[str, Any]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def plain(value: object) -> Any:
    """``value`` in the types of :mod:`tomllib`: parts become tables, arrays become lists, entries that are None go."""
    if isinstance(value, Part):
        return plain(value.document())
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, Sequence):
        return [plain(entry) for entry in value]
    raise ValueError(f"a scene cannot hold {value!r}, expected numbers, words, lists, dictionaries or parts of a scene")


def literal(value: object) -> str:
    """``value`` as a TOML value on one line."""
    return _text(plain(value))


def _text(found: Any) -> str:
    """A value in the types of :mod:`tomllib` as TOML."""
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, float):
        return repr(found)
    if isinstance(found, int):
        return str(found)
    if isinstance(found, str):
        # What JSON escapes TOML escapes in the same way, but for one character.
        return json.dumps(found, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(found, list):
        return "[" + ", ".join(_text(entry) for entry in found) + "]"
    if not found:
        return "{}"
    return "{ " + ", ".join(f"{_key(key)} = {_text(entry)}" for key, entry in found.items()) + " }"


def dumps(document: Mapping[str, Any]) -> str:
    """``document`` as TOML: settings first, then a table for each thing that has a name."""
    lines: list[str] = []
    tables: list[tuple[str, Mapping[str, Any]]] = []
    for key, value in document.items():
        if not isinstance(value, Mapping):
            lines.append(f"{_key(key)} = {literal(value)}")
        elif value and all(isinstance(entry, Mapping) for entry in value.values()):
            tables += [(f"{_key(key)}.{_key(name)}", entry) for name, entry in value.items()]
        else:
            tables.append((_key(key), value))
    for header, table in tables:
        lines += ["", f"[{header}]"]
        lines += [f"{_key(key)} = {literal(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def overrides(given: Mapping[str, object] | Sequence[str] | None) -> list[str]:
    """Overrides as the command line takes them after ``--set``: ``{"time.dt": 1e-4}`` becomes ``["time.dt=0.0001"]``."""
    if given is None:
        return []
    if isinstance(given, str):
        raise ValueError(f"overrides are {given!r}, expected a dictionary or a list of such texts")
    if isinstance(given, Mapping):
        return [f"{path}={literal(value)}" for path, value in given.items()]
    return [str(entry) for entry in given]


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)

"""Runs: functions with settings, each in a process of its own, whose results are kept in files."""

import hashlib
import importlib.metadata
import importlib.util
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ropewalk import _core

__all__ = ["Result", "Run", "missing_packages"]


PRESENTATION = ("claims", "figures", "form", "pages", "paper", "report", "runs")
"""Modules on which no number of a run depends."""


@dataclass(frozen=True)
class Run:
    """A function of a module of this package, and what it is called with."""

    function: str
    """``"module:function"``, with the module's name in this package."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Arguments by name: numbers, texts, lists."""
    packages: tuple[str, ...] = ()
    """Names of other packages that it needs, as the registry of packages has them."""
    weight: float = 1.0
    """About how many CPU-seconds it takes, for the progress bar and for the order."""

    @property
    def title(self) -> str:
        """In words."""
        words = " ".join(f"{k}={_short(v)}" for k, v in self.settings.items() if v is not None)
        return f"{self.function.replace(':', ' ')} {words}".strip()

    @property
    def key(self) -> str:
        """What its result depends on, in 24 hexadecimal digits: function, settings, and the code on both sides of it."""
        module = self.function.partition(":")[0]
        parts = [self.function, dict(self.settings), _fingerprint(module), [_version(p) for p in self.packages]]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Result:
    """What a run came to."""

    run: Run
    values: Mapping[str, Any]
    """What its function has returned; empty if it failed."""
    failure: str | None = None
    """Why there are no values."""
    skipped: bool = False
    """Whether it was not even tried, since a package is missing."""

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def __bool__(self) -> bool:
        return self.failure is None


def missing_packages(run: Run) -> list[str]:
    """Packages that a run needs and that are not installed."""
    return [package for package in run.packages if _version(package) is None]


def plain(value: Any) -> Any:
    """A value as JSON has it: arrays become lists, what is not finite becomes null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _short(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 24 else text[:23] + "…"


@cache
def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


@cache
def _fingerprint(module: str) -> str:
    """Of the engine, and of the modules that a run's numbers come from."""
    here = Path(__file__).parent
    files = [Path(_core.__file__ or ""), here / "watch.py", here / f"{module}.py"]
    # What the module takes from its neighbors counts, too, but for what only shows numbers.
    text = files[-1].read_text(encoding="utf-8")
    neighbors = [path for path in sorted(here.glob("*.py")) if path.stem not in PRESENTATION]
    files += [path for path in neighbors if f"from ropewalk.reproduce.{path.stem} import" in text]
    digest = hashlib.sha256(_core.__version__.encode())
    for path in files:
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()

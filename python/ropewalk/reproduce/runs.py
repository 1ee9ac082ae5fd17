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

__all__ = ["Result", "Run", "computing_part", "missing_packages", "version"]


PRESENTATION = ("claims", "figures", "form", "pages", "paper", "report", "runs", "schedule", "progress", "registry")
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
        parts = [self.function, dict(self.settings), _fingerprint(module), [version(p) for p in self.packages]]
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
    cpu_seconds: float = 0.0
    """What it took, or had taken, with all that is around it but the start of its process."""

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def __bool__(self) -> bool:
        return self.failure is None


def missing_packages(run: Run) -> list[str]:
    """Packages that a run needs and that are not installed."""
    return [package for package in run.packages if version(package) is None]


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
def version(package: str) -> str | None:
    """Version of an installed package; none if it is not."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def computing_part(path: Path) -> str:
    """The source of a module as far as numbers of its runs depend on it: up to its function ``runs``; what stands below says what is to be
    run and shows what came out."""
    return path.read_text(encoding="utf-8").partition("\ndef runs(")[0]


@cache
def _fingerprint(module: str) -> str:
    """Of the engine, and of the modules that a run's numbers come from."""
    here = Path(__file__).parent
    digest = hashlib.sha256(_core.__version__.encode())
    digest.update(Path(_core.__file__ or "").read_bytes() if _core.__file__ else b"")
    # What the module takes from its neighbors counts, and what they take from theirs, but for what only shows numbers.
    known = {path.stem: computing_part(path) for path in sorted(here.glob("*.py")) if path.stem not in PRESENTATION}
    waiting, taken = [module, "watch"], set()
    while waiting:
        name = waiting.pop()
        if name in taken or name not in known:
            continue
        taken.add(name)
        waiting += [other for other in known if f"from ropewalk.reproduce.{other} import" in known[name]]
    for name in sorted(taken):
        digest.update(known[name].encode())
    return digest.hexdigest()

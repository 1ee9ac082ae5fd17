"""What is to be computed: tasks with numbers, seeds and values, in blocks that stand alone."""

import hashlib
import io
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk import _core, _toml
from ropewalk.batch import Batch
from ropewalk.parameters import Distribution
from ropewalk.world import World

__all__ = ["Block", "Observe", "Plan", "is_whole"]

DIGEST = b"ropewalk.digest"
"""Key of the digest in the metadata of a shard."""

Observe = Callable[[Batch], Mapping[str, NDArray[Any]]]
"""Reads results: arrays whose first axis counts worlds, by name."""


@dataclass(frozen=True)
class Block:
    """Tasks that are computed together.

    Args:
        number: its number.
        tasks: numbers of its tasks.
        seeds: a seed for each.
        values: values of the scene by path for each.
    """

    number: int
    tasks: list[int]
    seeds: list[int]
    values: list[dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """All of a sweep: whoever has it and a block can compute the block.

    Args:
        text: the scene.
        directory: from where its paths count.
        parameters: sequences, of which all combinations are taken, and distributions, which are drawn.
        samples: tasks for each combination.
        seed: of what is drawn.
        size: tasks of a block.
        duration: s of each run; the scene's by default.
        keep_states: whether the last states are kept.
    """

    text: str
    directory: str | None
    parameters: Mapping[str, Any]
    samples: int
    seed: int
    size: int
    duration: float | None
    keep_states: bool

    def blocks(self) -> list[Block]:
        """All blocks."""
        grid = {path: list(given) for path, given in self.parameters.items() if not isinstance(given, Distribution)}
        drawn = {path: given for path, given in self.parameters.items() if isinstance(given, Distribution)}
        rows: list[tuple[int, int, dict[str, Any]]] = []
        for combination in itertools.product(*grid.values()):
            for _ in range(self.samples):
                task = len(rows)
                random = np.random.default_rng([self.seed, task])
                values = dict(zip(grid, combination, strict=True)) | {p: given.draw(random) for p, given in drawn.items()}
                rows.append((task, int(random.integers(2**31)), values))
        parts = [rows[i : i + self.size] for i in range(0, len(rows), self.size)]
        return [Block(k, [r[0] for r in p], [r[1] for r in p], [r[2] for r in p]) for k, p in enumerate(parts)]

    def document(self) -> dict[str, Any]:
        """What says whether a folder belongs to this sweep."""
        values = [[block.tasks, block.seeds, _toml.plain(block.values)] for block in self.blocks()]
        return {
            "scene": hashlib.sha256(self.text.encode()).hexdigest(),
            "values": hashlib.sha256(json.dumps(values).encode()).hexdigest(),
            "blocks": len(values),
            "tasks": sum(len(tasks) for tasks, *_ in values),
            "block_size": self.size,
            "seed": self.seed,
            "duration": self.duration,
            "keep_states": self.keep_states,
            "version": _core.__version__,
        }

    def compute(self, block: Block, observe: Observe, threads: int | None, start: bytes | None = None) -> bytes:
        """The shard of a block, a Parquet file. It depends on the plan and the block alone."""
        world = World.from_toml(self.text, directory=self.directory)
        batch = Batch(world, len(block.tasks), parameters=_columns(block.values), threads=threads)
        if start is not None:
            batch.state = [_core.State.from_bytes(start)] * len(batch)
        end = world.duration if self.duration is None else self.duration
        steps = max(0, int(np.ceil(end / batch.dt - 1e-6)))
        report = batch.step(steps, check=False)
        found = observe(batch)
        columns: dict[str, Any] = {"task": block.tasks, "seed": block.seeds}
        columns |= {path: [values[path] for values in block.values] for path in self.parameters}
        columns["status"] = [own.status for own in report.worlds]
        for name, array in found.items():
            if len(array) != len(block.tasks):
                raise ValueError(f"observe gave {len(array)} values of {name!r}, expected {len(block.tasks)}, one for each world")
            columns[name] = np.asarray(array).tolist()
        if self.keep_states:
            columns["state"] = [bytes(state) for state in batch.state]
        return to_parquet(columns)


def _columns(values: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {path: [own[path] for own in values] for path in values[0]} if values else {}


def to_parquet(columns: Mapping[str, Any]) -> bytes:
    """Columns as the bytes of a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "sweeps need the package pyarrow, which is not installed\nhint: pip install 'ropewalk[data]'; "
            "or ropewalk sweep on the command line, which writes npz"
        ) from error
    buffer = io.BytesIO()
    table = pyarrow.table(dict(columns))
    pyarrow.parquet.write_table(table.replace_schema_metadata({DIGEST: _digest(table)}), buffer)
    return buffer.getvalue()


def is_whole(shard: Path, tasks: list[int]) -> bool:
    """Whether a file is the shard of these tasks, with every value as it was written."""
    import pyarrow
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(shard)
        digest = (table.schema.metadata or {}).get(DIGEST)
        return digest == _digest(table).encode() and table["task"].to_pylist() == tasks
    except (pyarrow.ArrowException, OSError, KeyError, UnicodeError):
        return False


def _digest(table: Any) -> str:
    """Hash of names and values. Not of the file, which cannot hold its own; wrong bytes of a Parquet file mostly read as other values."""
    return hashlib.sha256(repr(table.to_pydict()).encode()).hexdigest()

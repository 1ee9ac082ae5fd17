"""Runs a sweep: blocks to shards in a folder, those that are there already left out."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ropewalk import _core
from ropewalk.builder import SceneLike
from ropewalk.sweeping.blocks import Block, Observe, Plan, is_whole
from ropewalk.world import World

__all__ = ["Sweep", "sweep"]

RECORD = "sweep.json"


@dataclass
class Sweep:
    """What a sweep has left in its folder."""

    folder: Path
    """Its folder."""
    shards: list[Path]
    """Its shards, Parquet files, in the order of the blocks."""
    computed: list[int] = field(default_factory=list)
    """Blocks that this call has computed."""
    damaged: list[int] = field(default_factory=list)
    """Blocks whose shard was there but damaged, and was computed again."""
    lost_workers: int = 0
    """Workers that were lost during the sweep."""

    def table(self) -> Any:
        """All rows as a pyarrow table: ``task``, ``seed``, the parameters by path, ``status``, and what was observed."""
        import pyarrow
        import pyarrow.parquet

        return pyarrow.concat_tables([pyarrow.parquet.read_table(shard) for shard in self.shards])

    def arrays(self) -> dict[str, Any]:
        """All columns as NumPy arrays by name."""
        table = self.table()
        return {name: np.array(table[name].to_pylist()) for name in table.column_names}


def sweep(
    scene: SceneLike | World,
    parameters: Mapping[str, Any],
    observe: Observe,
    out: str | os.PathLike[str],
    *,
    overrides: Mapping[str, object] | Sequence[str] | None = None,
    samples: int = 1,
    seed: int = 0,
    duration: float | None = None,
    block_size: int = 64,
    engine: Literal["local", "ray"] = "local",
    threads: int | None = None,
    workers: int | None = None,
    window: int = 2,
    timeout: float = 120.0,
    start: _core.State | None = None,
    keep_states: bool = False,
) -> Sweep:
    """Runs a scene with many values and writes what is observed, in shards that do not depend on how they were computed::

        def tip(batch):
            return {"tip": batch.rods["beam"].positions[:, -1]}

        result = ropewalk.sweep("cantilever", {"material.rubber.youngs_modulus": [3e6, 1e7, 3e7]}, tip, "out/beam")
        result.arrays()["tip"]                                       # m, shape (3, 3)

    A call with the same arguments goes on where another one has stopped; a folder of another sweep is refused.

    Args:
        scene: whatever :class:`World` takes, or a world that has been built up.
        parameters: by path: a sequence of values, of which all combinations are taken, or a distribution.
        observe: reads results of a batch after the run: arrays by name, first axis worlds.
        out: the folder.
        overrides: values of the scene for all.
        samples: tasks for each combination of values; what is drawn is drawn for each.
        seed: of what is drawn.
        duration: s of each run; the scene's by default.
        block_size: tasks of a block.
        engine: ``"local"``: blocks one after the other on the threads of this machine. ``"ray"``: on the workers of a Ray cluster,
            the one that is there or one of this machine.
        threads: threads of a batch: one for each core by default, one on a worker of Ray.
        workers: workers of Ray; one for each CPU of the cluster by default.
        window: blocks in flight for each worker.
        timeout: s without any block done after which Ray is given up, with words about what is missing.
        start: a state that all worlds start from.
        keep_states: keep the last states, as bytes in the column ``state``.
    """
    world = scene if isinstance(scene, World) and not overrides else World(
        scene.to_document() if isinstance(scene, World) else scene, overrides
    )
    loaded = world._load()
    directory = None if loaded.directory is None else os.path.abspath(loaded.directory or ".")
    for name, value in (("samples", samples), ("block_size", block_size), ("window", window)):
        if value < 1:
            raise ValueError(f"{name} is {value}, expected at least 1")
    plan = Plan(loaded.resolved(), directory, dict(parameters), samples, seed, block_size, duration, keep_states)
    blocks = plan.blocks()
    given = None if start is None else bytes(start)
    begins = None if given is None else hashlib.sha256(given).hexdigest()
    folder = _claim(Path(out), plan.document() | {"start": begins})
    result = Sweep(folder, [folder / f"block-{block.number:05d}.parquet" for block in blocks])
    left = [block for block in blocks if not _is_there(result, block)]
    shards: Iterable[tuple[int, bytes]]
    if engine == "local":
        shards = _local(plan, left, observe, threads, given)
    elif engine == "ray":
        from ropewalk.sweeping.on_ray import compute

        shards = compute(plan, left, observe, result, workers, window, threads or 1, timeout, given)
    else:
        raise ValueError(f"engine is {engine!r}, expected 'local' or 'ray'")
    for number, shard in shards:
        _store(result.shards[number], shard)
        result.computed.append(number)
    return result


def _local(
    plan: Plan, blocks: list[Block], observe: Observe, threads: int | None, start: bytes | None
) -> Iterator[tuple[int, bytes]]:
    for block in blocks:
        yield block.number, plan.compute(block, observe, threads, start)


def _claim(folder: Path, document: dict[str, Any]) -> Path:
    """Makes the folder, or checks that it belongs to this sweep."""
    record = folder / RECORD
    if record.exists():
        found = json.loads(record.read_text())
        other = [key for key, value in document.items() if found.get(key) != value]
        if other:
            raise ValueError(
                f"the folder {os.fspath(folder)!r} belongs to another sweep: {', '.join(other)} differ\n"
                "hint: give another folder, or remove that one"
            )
    elif folder.exists() and any(folder.iterdir()):
        raise ValueError(f"the folder {os.fspath(folder)!r} has no {RECORD}, but files: give a new folder")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        _store(record, json.dumps(document, indent=4).encode())
    return folder


def _is_there(result: Sweep, block: Block) -> bool:
    """Whether the shard of a block is there and whole."""
    path = result.shards[block.number]
    if not path.exists():
        return False
    if is_whole(path, block.tasks):
        return True
    result.damaged.append(block.number)
    print(f"the shard {path} is damaged: block {block.number} is computed again", flush=True)
    return False


def _store(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    part = path.with_name(path.name + f".{os.getpid()}.part")
    part.write_bytes(data)
    os.replace(part, path)

"""Blocks on the workers of a Ray cluster."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ropewalk.sweeping.blocks import Block, Observe, Plan

if TYPE_CHECKING:
    from ropewalk.sweeping.run import Sweep

try:
    import ray
    from ray import cloudpickle, exceptions
except ImportError as error:
    raise ImportError(
        "engine='ray' needs the package ray, which is not installed\nhint: pip install 'ropewalk[ray]'"
    ) from error

__all__ = ["compute"]

ATTEMPTS = 5
"""How often a block is given to another worker after one was lost with it."""
LOST = (exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.NodeDiedError, exceptions.ObjectLostError)


class _Worker:
    """Owns a batch at a time; lives on some machine of the cluster."""

    def __init__(self, plan: Plan, observe: bytes, threads: int, start: bytes | None) -> None:
        self._given = (plan, cloudpickle.loads(observe), threads, start)

    def answer(self) -> bool:
        """That it is there."""
        return True

    def compute(self, block: Block) -> bytes:
        """The shard of a block."""
        plan, observe, threads, start = self._given
        return plan.compute(block, observe, threads, start)


class _Crew:
    """Workers, and the blocks that each has to do. Blocks go only to workers that have answered: one for which there is no CPU, as after
    the loss of a node, waits without holding anything up."""

    def __init__(self, shared: tuple[Any, ...], count: int, threads: int) -> None:
        self._make = ray.remote(num_cpus=threads, max_restarts=0)(_Worker)
        self._shared = shared
        self.loads: dict[Any, int] = {}
        self.starting: dict[Any, Any] = {}
        self.flying: dict[Any, tuple[Any, Block]] = {}
        for _ in range(count):
            self.start()

    def start(self) -> None:
        """Asks for another worker."""
        worker = self._make.remote(*self._shared)
        self.starting[worker.answer.remote()] = worker

    def give(self, waiting: deque[Block], window: int) -> None:
        """Gives blocks to workers that have fewer than ``window``."""
        while waiting and self.loads and min(self.loads.values()) < window:
            worker = min(self.loads, key=lambda w: self.loads[w])
            block = waiting.popleft()
            self.loads[worker] += 1
            self.flying[worker.compute.remote(block)] = (worker, block)

    def done(self, reference: Any) -> None:
        """Takes a block off the list."""
        worker, _ = self.flying.pop(reference)
        if worker in self.loads:
            self.loads[worker] -= 1

    def replace(self, worker: Any) -> list[Block]:
        """Asks for a worker in the place of a lost one; the blocks that it had."""
        orphans = [reference for reference, (owner, _) in self.flying.items() if owner is worker]
        if self.loads.pop(worker, None) is not None:
            self.start()
        return [self.flying.pop(reference)[1] for reference in orphans]

    def end(self) -> None:
        """Lets all workers go."""
        for worker in [*self.loads, *self.starting.values()]:
            ray.kill(worker, no_restart=True)


def compute(
    plan: Plan,
    blocks: list[Block],
    observe: Observe,
    result: "Sweep",
    workers: int | None,
    window: int,
    threads: int,
    timeout: float,
    start: bytes | None,
) -> Iterator[tuple[int, bytes]]:
    """Shards of blocks with their numbers, in the order in which they are done."""
    if not blocks:
        return
    if not ray.is_initialized():
        ray.init(include_dashboard=False, log_to_driver=False)
    count = workers or max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
    # What all workers share is put into the object store once, the state as bytes.
    crew = _Crew((ray.put(plan), ray.put(_by_value(observe)), threads, None if start is None else ray.put(start)), count, threads)
    try:
        yield from _flow(crew, deque(blocks), result, window, _Patience(timeout, count, threads))
    finally:
        crew.end()


@dataclass(frozen=True)
class _Patience:
    """How long to wait for ``count`` workers of ``threads`` CPU each, and what to say when nothing has come."""

    timeout: float
    count: int
    threads: int

    def error(self) -> TimeoutError:
        """Why nothing may have come, in words."""
        whole, free = ray.cluster_resources(), ray.available_resources()
        return TimeoutError(
            f"no block was done within {self.timeout} s; {self.count} workers of {self.threads} CPU each are asked for, the cluster has "
            f"{whole.get('CPU', 0):g} CPU, of which {free.get('CPU', 0):g} are free, and {free.get('memory', 0) / 1e9:.1f} GB of memory\n"
            "hint: ask for fewer workers or threads, add nodes, or give a longer timeout"
        )


def _flow(
    crew: _Crew, waiting: deque[Block], result: "Sweep", window: int, patience: _Patience
) -> Iterator[tuple[int, bytes]]:
    """Gives blocks and takes shards until all are done."""
    attempts = dict.fromkeys((-1, *(block.number for block in waiting)), 0)
    heard = time.monotonic()
    while waiting or crew.flying:
        crew.give(waiting, window)
        ready, _ = ray.wait([*crew.flying, *crew.starting], num_returns=1, timeout=1.0)
        if not ready:
            if time.monotonic() - heard > patience.timeout:
                raise patience.error()
            continue
        heard = time.monotonic()
        worker, block = crew.flying.get(ready[0], (None, None))
        try:
            found = ray.get(ready[0], timeout=patience.timeout)
        except LOST as error:
            number = -1 if block is None else block.number
            attempts[number] += 1
            if attempts[number] > ATTEMPTS:
                what = "no worker can begin" if block is None else f"block {number} was lost with {ATTEMPTS} workers"
                raise RuntimeError(f"{what}, the last time by: {error}") from error
            result.lost_workers += 1
            if block is None:
                crew.starting.pop(ready[0])
                crew.start()
            else:
                waiting.extendleft(sorted(crew.replace(worker), key=lambda b: -b.number))
            continue
        except exceptions.GetTimeoutError:
            raise patience.error() from None
        if block is None:
            crew.loads[crew.starting.pop(ready[0])] = 0
            # A worker has begun: only losses in a row say that none can.
            attempts[-1] = 0
            continue
        crew.done(ready[0])
        yield block.number, found


def _by_value(observe: Observe) -> bytes:
    """The observer as bytes: with its code, since the module that it is from need not be on the workers."""
    module = sys.modules.get(getattr(observe, "__module__", ""))
    if module is None or module.__name__ in ("__main__", "builtins"):
        return bytes(cloudpickle.dumps(observe))
    cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps(observe))
    finally:
        cloudpickle.unregister_pickle_by_value(module)

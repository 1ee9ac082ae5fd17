"""How fast worlds are stepped from Python: run this file to print it.

Times depend on what else the machine does, so no test judges them.
"""

import time
from collections.abc import Callable

from ropewalk import Batch, World, curves


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def overhead(steps: int = 2000, rounds: int = 30) -> float:
    """Seconds that a call of ``step()`` costs on top of the step itself: n calls against one call with n steps."""
    world = World(dt=1e-3, gravity=[0, 0, 0])
    world.add_rod("rod", curves.Line([0, 0, 0], [1, 0, 0]), preset="steel_wire", segments=2)
    world.set_contact(enabled=False)

    def one_by_one() -> None:
        for _ in range(steps):
            world.step()

    together = min(_seconds(lambda: world.step(steps)) for _ in range(rounds))
    alone = min(_seconds(one_by_one) for _ in range(rounds))
    return (alone - together) / steps


def throughput(scene: str, worlds: int = 16, steps: int = 5, rounds: int = 20) -> tuple[float, float]:
    """Steps of worlds per second with one thread and with two; the best of many short rounds, in turns."""
    batches = [Batch(scene, worlds, threads=threads) for threads in (1, 2)]
    best = [float("inf"), float("inf")]
    for batch in batches:
        batch.step(steps)
    starts = [batch.state for batch in batches]
    for _ in range(rounds):
        for k, batch in enumerate(batches):
            batch.state = starts[k]
            batch.step(1)
            started = time.perf_counter()
            batch.step(steps)
            best[k] = min(best[k], time.perf_counter() - started)
    return worlds * steps / best[0], worlds * steps / best[1]


def processor_seconds(scene: str, threads: int, worlds: int = 16, steps: int = 20) -> float:
    """Seconds of all cores that a batch takes: what does not depend on what else the machine does."""
    batch = Batch(scene, worlds, threads=threads)
    batch.step(steps)
    started = time.process_time()
    batch.step(steps)
    return time.process_time() - started


if __name__ == "__main__":
    print(f"a call of step() costs {1e6 * overhead():.2f} µs on top of the step")
    for scene in ("cantilever", "capstan", "knot"):
        one, two = throughput(scene)
        print(f"batch of 16 × {scene}: {one:.0f} steps/s on one thread, {two:.0f} on two: {two / one:.2f} times")
        alone, shared = processor_seconds(scene, 1), processor_seconds(scene, 2)
        print(f"    seconds of all cores: {alone:.3f} on one thread, {shared:.3f} on two")

"""Worlds are watched while they run: times, contacts, and whatever is looked at."""

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ropewalk import Recording, StepError, World

__all__ = ["STAGE_NAMES", "degrees_of_freedom", "stage_shares", "watch", "watch_recorded"]

STAGE_NAMES = {
    "rods and bodies": ("kinematics", "linearize", "advance", "observe"),
    "collision": ("collide", "guard"),
    "constraints": ("constrain",),
    "solver": ("solve",),
}
"""What the stages of our step are to those of the paper: rod mechanics, collision detection, Schur complement, solver. Ours
has no Schur complement: nodes without contact are eliminated by the sparse factor, within the solver."""


def watch(
    world: World,
    duration: float,
    look: Callable[[World], Mapping[str, float]] | None = None,
    every: float = 0.0,
    cpu_limit: float = float("inf"),
) -> dict[str, Any]:
    """Steps a world until it is at ``duration`` (s), and says what that took.

    Args:
        world: the world.
        duration: in s, from the start of the scene.
        look: numbers to be read off the world every ``every`` s, and at both ends.
        every: in s.
        cpu_limit: in CPU-seconds; the run stops there.

    Returns:
        ``time``, ``series`` (a list for each number of ``look``), ``steps``, ``cpu_seconds``, ``ms_per_step``,
        ``real_time_rate``, ``contacts_mean``, ``contacts_max``, ``linearizations`` (per step), ``substeps``, ``altered_tangents``, ``timers`` (s for each stage),
        ``dofs``, ``dt``, ``reached`` (s), ``status``.
    """
    steps = max(round((duration - world.time) / world.dt), 0)
    stride = max(round(every / world.dt), 1)
    times: list[float] = []
    series: dict[str, list[float]] = {}
    timers: dict[str, float] = {}
    contacts = most = linearizations = taken = substeps = altered = 0
    cpu = 0.0
    status = "completed"

    def read() -> None:
        times.append(world.time)
        for key, value in (look(world) if look is not None else {}).items():
            series.setdefault(key, []).append(float(value))

    for step in range(steps):
        if step % stride == 0:
            read()
        began = time.process_time()
        try:
            report = world.step()
        except StepError as error:
            status = str(error.status)
            break
        cpu += time.process_time() - began
        taken += 1
        contacts += report.contacts
        most = max(most, report.contacts)
        linearizations += report.iterations
        substeps += report.substeps
        altered += report.altered_tangents
        for stage, seconds in report.timers.items():
            timers[stage] = timers.get(stage, 0.0) + seconds
        if cpu > cpu_limit:
            status = "stopped by its budget"
            break
    read()
    whole = max(taken, 1)
    return {
        "time": times,
        "series": series,
        "steps": taken,
        "cpu_seconds": cpu,
        "ms_per_step": 1e3 * cpu / whole,
        "real_time_rate": taken * world.dt / cpu if cpu > 0.0 else 0.0,
        "contacts_mean": contacts / whole,
        "contacts_max": most,
        "linearizations": linearizations / whole,
        "substeps": substeps,
        "altered_tangents": altered,
        "timers": timers,
        "dofs": degrees_of_freedom(world),
        "dt": world.dt,
        "reached": world.time,
        "status": status,
    }


def watch_recorded(world: World, rate: float, *arguments: Any) -> dict[str, Any]:
    """As :func:`watch`, with a page that plays the run at ``rate`` frames per simulated second in ``player``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        with world.record(path, rate=rate, state_rate=1e-3, foxglove_rate=0.0):
            found = watch(world, *arguments)
        return found | {"player": Recording(path).show().html}


def degrees_of_freedom(world: World) -> int:
    """Of rods (3 for each node, 1 for each edge) and of joints."""
    rods = sum(3 * rod.node_count + rod.edge_count for rod in world.rods.values())
    trees = [robot.joint_velocities.size for robot in world.robots.values()]
    trees += [body.joint_velocity.size for body in world.bodies.values()]
    return int(rods + sum(trees))


def stage_shares(timers: Mapping[str, float]) -> dict[str, float]:
    """Shares of the run time in percent, by the names of :data:`STAGE_NAMES`."""
    total = sum(timers.values()) or 1.0
    return {name: 100.0 * sum(timers.get(s, 0.0) for s in stages) / total for name, stages in STAGE_NAMES.items()}

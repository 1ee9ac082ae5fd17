"""Real cables from what was measured: :func:`fit` finds the numbers of a cable, :func:`evaluate_cable` scores its predictions."""

import json
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ropewalk import _arrays, _core
from ropewalk.builder import SceneLike
from ropewalk.world import World

DEFAULT_PARAMETERS = (
    "bending_stiffness",
    "stiffness_damping",
    "mass_damping",
    "drag_across",
    "length_factor",
    "spacing_share",
)
"""What :func:`fit` changes unless told otherwise."""


@dataclass(frozen=True)
class Cable:
    """A cable as its file describes it; see docs/real-cables.md for the keys."""

    text: str
    """The file, TOML."""

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Cable":
        """The cable in the file at `path`."""
        return cls(Path(path).read_text(encoding="utf-8"))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        Path(path).write_text(self.text, encoding="utf-8")

    @property
    def parameters(self) -> dict[str, Any]:
        """The table `[parameters]`: stiffness, damping, drag, curl, in SI units."""
        return dict(tomllib.loads(self.text)["parameters"])


@dataclass(frozen=True)
class Estimate:
    """A fitted parameter."""

    name: str
    """Its key in a cable file."""
    unit: str
    """Its unit."""
    value: float
    """The value found, or held."""
    interval: tuple[float, float] | None
    """95 % interval; None if it was held."""
    remark: str | None
    """Why it was held, or that it ended at a bound."""


@dataclass(frozen=True)
class RunScore:
    """The error of one run."""

    name: str
    """Name of the run."""
    score: float
    """Mean absolute difference over markers, coordinates and frames in m."""


@dataclass(frozen=True)
class HeldOut:
    """The error on runs that were not used, by cross-validation."""

    folds: int
    """Number of folds."""
    score: float
    """Mean over runs in m."""
    runs: tuple[RunScore, ...]
    """Each run, predicted by a cable that was not fitted to it."""


@dataclass(frozen=True)
class Evaluation:
    """Scores of a cable on measured runs."""

    score: float
    """Mean over runs in m."""
    runs: tuple[RunScore, ...]
    """Each run."""
    cpu_s_per_sim_s: float
    """Processor time for a second of prediction."""


@dataclass(frozen=True)
class CableFit:
    """What a fit found."""

    cable: Cable
    """The fitted cable."""
    parameters: tuple[Estimate, ...]
    """Every parameter that was asked for, and the curls that were added."""
    score: float
    """Mean error over all runs of the data, those used included, in m; NaN if nothing moved."""
    residual: float
    """Root mean square residual of the fit in m."""
    correlation_time: float
    """Correlation time of the residuals in frames."""
    converged: bool
    """Whether the search converged within its iterations."""
    iterations: int
    """Linearizations of the last stage."""
    failed_windows: int
    """Windows that could not be predicted and were left out."""
    held_out: HeldOut | None
    """Cross-validation, if it was asked for."""


@dataclass(frozen=True)
class StaticShapes:
    """Cables at rest between two clamps, such as one photograph of a hanging loop."""

    points: ArrayLike
    """Points at equal arclengths from clamp to clamp, shape (shapes, points, 3), in m, z up; NaN where one was not seen."""
    length: float
    """Length of cable between the clamps in m."""
    directions: ArrayLike
    """Directions of the cable at both clamps, along growing arclength, shape (shapes, 2, 3)."""


@dataclass(frozen=True)
class TorqueTwist:
    """Torques on a straight piece of cable that is turned about its axis."""

    twist: ArrayLike
    """Angles in rad, shape (points,)."""
    torque: ArrayLike
    """Torques in N·m, shape (points,)."""
    length: float
    """Length between the clamps in m."""


def _measured(
    arrays: Mapping[str, ArrayLike],
    names: Sequence[str] | None = None,
    scene: "SceneLike | World | None" = None,
    rod: str | None = None,
) -> dict[str, object]:
    if scene is None and rod is not None:
        raise ValueError("rod is given and scene is not: give the scene in which it is")
    world = scene if scene is None or isinstance(scene, World) else World(scene)
    return {
        "arrays": {name: _arrays.floats(name, values) for name, values in arrays.items()},
        "names": None if names is None else [str(name) for name in names],
        "scene": None if world is None else world._load(),
        "rod": rod,
    }


def _runs(entries: Sequence[Mapping[str, Any]]) -> tuple[RunScore, ...]:
    return tuple(RunScore(entry["name"], entry["score"]) for entry in entries)


def _estimate(entry: Mapping[str, Any]) -> Estimate:
    interval = entry["interval"]
    bounds = None if interval is None else (interval[0], interval[1])
    return Estimate(entry["name"], entry["unit"], entry["value"], bounds, entry["remark"])


def _first_guess(
    tracks: Mapping[str, object],
    cable: Cable | None,
    line_density: float | None,
    marker_mass: float,
    title: str,
    start: Mapping[str, object],
) -> str:
    """The text of the cable that a fit starts from."""
    if line_density is not None and tracks["scene"] is not None:
        raise ValueError("scene and line_density are given: the rod of a scene has a line density already")
    if cable is None:
        if line_density is None and tracks["scene"] is None:
            raise ValueError("neither scene, cable nor line_density is given: give one of them")
        density = None if line_density is None else float(line_density)
        text = _core.guess_cable(tracks, title, density, float(marker_mass))
    elif line_density is not None:
        raise ValueError("cable and line_density are given: a cable has a line density already")
    else:
        text = cable.text
    for key, value in start.items():
        text = _core.change_cable(text, key, str(value))
    return text


def _cable_fit(text: str, summary: Mapping[str, Any]) -> CableFit:
    held = summary["held_out"]
    return CableFit(
        cable=Cable(text),
        parameters=tuple(_estimate(entry) for entry in summary["parameters"]),
        score=float("nan") if summary["score"] is None else summary["score"],
        residual=summary["residual"],
        correlation_time=summary["correlation_time"],
        converged=summary["converged"],
        iterations=summary["iterations"],
        failed_windows=summary["failed_windows"],
        held_out=None if held is None else HeldOut(held["folds"], held["score"], _runs(held["runs"])),
    )


def fit(
    markers: ArrayLike | None = None,
    rate_hz: float | None = None,
    *,
    wrenches: ArrayLike | None = None,
    wrench_scale: tuple[float, float] | None = None,
    shapes: StaticShapes | None = None,
    torque: TorqueTwist | None = None,
    scene: SceneLike | World | None = None,
    rod: str | None = None,
    cable: Cable | None = None,
    line_density: float | None = None,
    marker_mass: float = 0.0,
    title: str = "cable",
    parameters: Sequence[str] = DEFAULT_PARAMETERS,
    start: Mapping[str, object] | None = None,
    curls: int = 0,
    windows: Sequence[int] = (50, 0),
    free_starts: bool = False,
    runs: Sequence[int] | None = None,
    starts: int = 1,
    folds: int = 0,
    loss_scale: float = 5e-3,
    iterations: int = 20,
    names: Sequence[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Callable[[str], object] | None = None,
) -> CableFit:
    """Finds the numbers of a cable from marker tracks, static shapes and torques; the same as ``ropewalk fit``.

    The first two and the last two markers are held by grippers and are input. The others are predicted open loop, and the
    parameters are those for which prediction and measurement differ least.

    Args:
        markers: positions, shape (runs, frames, n, 3), in m, z up; NaN where a marker was not seen.
        rate_hz: frames per second.
        wrenches: force in N on the cable and moment in N·m about the outer marker, of both grippers, in world axes and without
            the weight of the gripper, shape (runs, frames, 2, 6); NaN where nothing was measured.
        wrench_scale: N and N·m that count like one millimeter of a marker; 0.05 and 0.005 without it.
        shapes: cables at rest between two clamps.
        torque: torques on a straight piece that is turned about its axis.
        scene: the scene in which the cable was measured, if it touched something; its rod is where the fit starts. Whatever
            :class:`World` takes, or a world, which is taken as it begins.
        rod: which rod of the scene the cable is; the only one by default.
        cable: the cable to start from; without it and a scene, one is made from the tracks, `line_density` and `marker_mass`.
        line_density: mass per length in kg/m, without markers.
        marker_mass: mass of a marker in kg.
        title: what the cable is called.
        parameters: names of what may change, see docs/real-cables.md.
        start: values of the first guess to change, such as ``{"numerics.theta": 0.55}``.
        curls: natural curvature to add at so many markers and directions, chosen by the fit.
        windows: frames in a window, stage by stage; 0 for whole runs.
        free_starts: whether the starts of windows are unknowns (multiple shooting).
        runs: indices of the runs to use; all without it.
        starts: starting points of the search.
        folds: folds of the cross-validation; 0 for none.
        loss_scale: residuals well above this count by their size, below it by their square, in m.
        iterations: linearizations of a stage at most.
        names: names of the runs.
        report: where to write a page with predictions over measurements, residuals and intervals.
        progress: called with lines of text while it runs.

    Raises:
        ValueError: the data, a name or a value is not what it should be; the message says which and what to do.
        RuntimeError: no window could be predicted.
    """
    tracks = _measured(_given(markers, rate_hz, wrenches, wrench_scale, shapes, torque), names, scene, rod)
    text = _first_guess(tracks, cable, line_density, marker_mass, title, start or {})
    arguments = {
        "parameters": [str(name) for name in parameters],
        "curls": curls,
        "windows": [int(frames) for frames in windows],
        "free_starts": free_starts,
        "runs": [] if runs is None else [int(run) for run in runs],
        "starts": starts,
        "folds": folds,
        "loss_scale": float(loss_scale),
        "iterations": iterations,
    }
    found, summary, page = _core.fit_cable(tracks, text, arguments, report is not None, progress)
    if report is not None and page is not None:
        Path(report).write_text(page, encoding="utf-8")
    return _cable_fit(found, json.loads(summary))


def _given(
    markers: ArrayLike | None,
    rate_hz: float | None,
    wrenches: ArrayLike | None,
    wrench_scale: tuple[float, float] | None,
    shapes: StaticShapes | None,
    torque: TorqueTwist | None,
) -> dict[str, ArrayLike]:
    """The arrays of an archive that holds all of this."""
    if markers is None and shapes is None and torque is None:
        raise ValueError("nothing was measured: give markers, shapes or torque")
    arrays: dict[str, ArrayLike] = {}
    for name, values in (
        ("markers", markers),
        ("rate_hz", rate_hz),
        ("wrenches", wrenches),
        ("wrench_scale", wrench_scale),
    ):
        if values is not None:
            arrays[name] = values
    if shapes is not None:
        arrays |= {"shapes": shapes.points, "shape_length": shapes.length, "shape_directions": shapes.directions}
    if torque is not None:
        arrays |= {"torque": torque.torque, "twist": torque.twist, "twist_length": torque.length}
    return arrays


def evaluate_cable(
    cable: Cable,
    markers: ArrayLike,
    rate_hz: float,
    *,
    names: Sequence[str] | None = None,
    scene: SceneLike | World | None = None,
    rod: str | None = None,
) -> Evaluation:
    """Predicts every run open loop from its first two frames and scores it; the same as ``ropewalk fit evaluate``.

    Args:
        cable: the cable.
        markers: positions, shape (runs, frames, n, 3), in m, z up; every marker in every frame.
        rate_hz: frames per second.
        names: names of the runs.
        scene: the scene in which the cable touches something.
        rod: which rod of the scene the cable is; the only one by default.

    Raises:
        ValueError: the data or the cable is not what it should be.
        RuntimeError: a step of a prediction did not converge.
    """
    tracks = _measured({"markers": markers, "rate_hz": rate_hz}, names, scene, rod)
    data = json.loads(_core.evaluate_cable(tracks, cable.text))
    return Evaluation(data["score"], _runs(data["runs"]), data["cpu_s_per_sim_s"])

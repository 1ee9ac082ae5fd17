"""Cables from marker tracks: what a fit returns, that it agrees with an evaluation, and that bad data is refused by name."""

from pathlib import Path

import numpy as np
import pytest
import ropewalk
from numpy.typing import NDArray

RATE = 100.0


def tracks(frames: int = 40) -> NDArray[np.float64]:
    """Two runs of a chain of seven markers that hangs between two grippers and sways slowly across, shape (2, frames, 7, 3)."""
    x = np.array([0.0, 0.0, 0.06, 0.15, 0.24, 0.3, 0.3])
    z = np.array([0.0, -0.03, -0.11, -0.15, -0.11, -0.03, 0.0])
    time = np.arange(frames) / RATE
    sway = 0.01 * np.sin(2.0 * np.pi * 0.5 * time)
    run = np.zeros((frames, 7, 3))
    run[:, :, 0] = x
    run[:, :, 1] = sway[:, None]
    run[:, :, 2] = z
    return np.stack([run, run[:, :, [1, 0, 2]]])


def test_a_fit_lowers_the_error_and_agrees_with_an_evaluation(tmp_path: Path) -> None:
    markers = tracks()
    first = ropewalk.fit(markers, RATE, line_density=0.05, parameters=["bending_stiffness"], iterations=0, windows=[0])
    lines: list[str] = []
    page = tmp_path / "fit.html"
    found = ropewalk.fit(
        markers,
        RATE,
        line_density=0.05,
        marker_mass=4e-4,
        parameters=["bending_stiffness", "stiffness_damping"],
        windows=[0],
        iterations=5,
        folds=2,
        names=["a", "b"],
        report=page,
        progress=lines.append,
    )
    assert found.residual < first.residual
    assert [e.name for e in found.parameters] == ["bending_stiffness", "stiffness_damping"]
    stiffness = found.parameters[0]
    assert stiffness.unit == "N·m²"
    assert stiffness.interval is None or stiffness.interval[0] <= stiffness.value <= stiffness.interval[1]
    assert found.cable.parameters["bending_stiffness"] == pytest.approx(stiffness.value, rel=1e-5)
    scores = ropewalk.evaluate_cable(found.cable, markers, RATE, names=["a", "b"])
    assert scores.score == pytest.approx(found.score, rel=1e-3)
    assert [run.name for run in scores.runs] == ["a", "b"]
    assert found.held_out is not None and found.held_out.folds == 2
    assert "bending_stiffness" in page.read_text(encoding="utf-8")
    assert any(line.startswith("iteration 1") for line in lines)


def test_a_cable_is_read_and_written(tmp_path: Path) -> None:
    found = ropewalk.fit(tracks(), RATE, line_density=0.05, parameters=["bending_stiffness"], iterations=1, windows=[0])
    path = tmp_path / "cable.toml"
    found.cable.write(path)
    again = ropewalk.Cable.read(path)
    assert again == found.cable
    changed = ropewalk.fit(
        tracks(),
        RATE,
        cable=again,
        parameters=["bending_stiffness"],
        iterations=0,
        windows=[0],
        start={"parameters.mass_damping": 0.5},
    )
    assert changed.cable.parameters["mass_damping"] == 0.5


@pytest.mark.parametrize(
    ("markers", "options", "message"),
    [
        (tracks()[0], {}, "runs, frames, markers, 3"),
        (1e5 * tracks(), {}, "millimeters"),
        (np.array([None]), {}, "real numbers"),
        (tracks(), {"parameters": ["youngs_modulus"]}, "youngs_modulus"),
        (tracks(), {"folds": 3}, "3 folds of 2"),
        (tracks(), {"start": {"numerics.thetta": 0.5}}, "thetta"),
        (tracks(), {"runs": [5]}, "run 5"),
    ],
)
def test_bad_data_is_refused(markers: NDArray[np.float64], options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ropewalk.fit(markers, RATE, line_density=0.05, **options)  # type: ignore[arg-type]


def test_stiffness_from_a_picture_and_torsion_from_torque() -> None:
    """A stiff cable hangs as an arc; its torsion is the slope of torque over twist."""
    angle = np.linspace(0.0, np.pi, 21)
    arc = np.stack([0.3 * (1.0 - np.cos(angle)), 0.0 * angle, -0.3 * np.sin(angle)], axis=-1)
    shapes = ropewalk.StaticShapes(arc[None], length=0.3 * np.pi, directions=[[[0, 0, -1], [0, 0, 1]]])
    twist = np.linspace(0.0, 6.0, 7)
    torque = ropewalk.TorqueTwist(twist, 2e-3 * twist / 0.4, length=0.4)
    found = ropewalk.fit(
        shapes=shapes,
        torque=torque,
        line_density=0.02,
        parameters=["bending_stiffness", "torsional_stiffness"],
        windows=[0],
    )
    assert [e.name for e in found.parameters] == ["bending_stiffness", "torsional_stiffness"]
    # An arc of 0.3 m radius is what a heavy elastica of this EI/(ρA g) comes near; the residual says how near.
    assert found.residual < 0.01
    assert found.cable.parameters["torsional_stiffness"] == pytest.approx(2e-3, rel=1e-4)
    assert np.isnan(found.score)


def test_wrenches_have_the_shape_of_the_markers() -> None:
    with pytest.raises(ValueError, match=r"\(2, 40, 2, 6\)"):
        ropewalk.fit(tracks(), RATE, line_density=0.05, wrenches=np.zeros((2, 39, 2, 6)))


def test_nothing_measured() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        ropewalk.fit(line_density=0.05)
    with pytest.raises(ValueError, match="rate_hz"):
        ropewalk.fit(tracks(), line_density=0.05)


def test_a_cable_or_its_mass_is_needed() -> None:
    with pytest.raises(ValueError, match="line_density"):
        ropewalk.fit(tracks(), RATE)


def test_an_exception_of_progress_is_raised() -> None:
    def stop(line: str) -> None:
        raise KeyError(line)

    with pytest.raises(KeyError):
        ropewalk.fit(tracks(), RATE, line_density=0.05, parameters=["bending_stiffness"], iterations=1, progress=stop)


SCENE = {
    "title": "A rope over a table",
    "time": {"dt": 2e-3, "duration": 1.0},
    "material": {"soft": {"youngs_modulus": 2e7, "poisson_ratio": 0.5, "density": 1000.0}},
    "body": {"table": {"shape": "half_space", "motion": "fixed", "friction": 0.4, "position": [0.0, 0.0, -0.3]}},
    "rod": {
        "rope": {
            "material": "soft",
            "section": {"circle": {"radius": 3e-3}},
            "curve": {"line": {"from": [0.0, 0.0, 0.0], "to": [0.5, 0.0, 0.0]}},
            "segments": 20,
            "friction": 0.25,
        }
    },
}


def test_a_fit_starts_from_the_rod_of_a_scene() -> None:
    found = ropewalk.fit(tracks(), RATE, scene=SCENE, parameters=["bending_stiffness"], iterations=1, windows=[0])
    assert found.cable.parameters["friction"] == 0.25
    score = ropewalk.evaluate_cable(found.cable, tracks(), RATE, scene=SCENE)
    assert score.score == pytest.approx(found.score, rel=1e-3)
    with pytest.raises(ValueError, match="touches nothing"):
        ropewalk.fit(tracks(), RATE, line_density=0.05, parameters=["friction"])
    with pytest.raises(ValueError, match="no rod 'rop'"):
        ropewalk.fit(tracks(), RATE, scene=SCENE, rod="rop")
    with pytest.raises(ValueError, match="line density already"):
        ropewalk.fit(tracks(), RATE, scene=SCENE, line_density=0.05)

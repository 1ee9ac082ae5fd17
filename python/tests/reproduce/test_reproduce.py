"""The pipeline of ``python -m ropewalk.reproduce`` on tiny settings, and its parts."""

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

from ropewalk import World
from ropewalk.reproduce.__main__ import main
from ropewalk.reproduce.capsule_chain import judge_convergence
from ropewalk.reproduce.claims import CLAIMS, verdicts
from ropewalk.reproduce.contact_energy import judge as judge_energy
from ropewalk.reproduce.cosserat import Point, judge
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.knots import collapse, judge as judge_pulls, snap
from ropewalk.reproduce.loop import find_ring, look_at_ring, roundness
from ropewalk.reproduce.registry import NAMES, find, load
from ropewalk.reproduce.report import Section, Verdict, number
from ropewalk.reproduce.runs import Run, computing_part, missing_packages
from ropewalk.reproduce.schedule import run_all
from ropewalk.reproduce.progress import Bar
from ropewalk.reproduce.shoelace import spectrum
from ropewalk.reproduce.topology import determinant


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny run of everything."""
    folder = tmp_path_factory.mktemp("reproduce")
    assert main(["--tiny", "--quiet", "--out", str(folder)]) == 0
    return folder


def test_the_page_needs_no_other_and_has_no_broken_links(out: Path) -> None:
    page = (out / "report.html").read_text(encoding="utf-8")
    places = set(re.findall(r' id="([^"]+)"', page))
    links = re.findall(r' href="([^"]+)"', page)
    assert links and all(link.startswith("#") and link[1:] in places for link in links)
    sources = re.findall(r' src="([^"]{0,22})', page)
    assert sources and all(source.startswith("data:image/png;base64,") for source in sources)
    assert set(NAMES) <= places
    for name in NAMES:
        assert f"python -m ropewalk.reproduce {name} --tiny" in page


def test_markdown_finds_its_figures(out: Path) -> None:
    text = (out / "report.md").read_text(encoding="utf-8")
    figures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", text)
    assert figures and all((out / figure).read_bytes().startswith(b"\x89PNG") for figure in figures)


def test_every_claim_has_a_row_and_every_verdict_a_claim(out: Path) -> None:
    text = (out / "report.md").read_text(encoding="utf-8").partition("## Claims of the paper")[2]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == len(CLAIMS) + 1
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        if not claim.word:
            assert find(claim.shown_by.split())
    source = "".join(path.read_text(encoding="utf-8") for path in Path(load("knots").__file__ or "").parent.glob("*.py"))
    named = set(re.findall(r'verdicts\["([^"]+)"\]', source))
    assert named and named <= {claim.name for claim in CLAIMS}


def test_a_second_call_runs_nothing_again(out: Path) -> None:
    kept = {path: path.stat().st_mtime_ns for path in (out / "results").glob("*.json")}
    assert kept
    assert main(["--tiny", "--quiet", "--out", str(out), "knots", "rings"]) == 0
    assert kept == {path: path.stat().st_mtime_ns for path in (out / "results").glob("*.json")}


def test_results_of_other_settings_are_others() -> None:
    assert Run("knots:pull", {"order": 1}).key != Run("knots:pull", {"order": 2}).key
    assert Run("knots:pull", {"order": 1}).key != Run("knots:snap", {"order": 1}).key
    assert Run("knots:pull", {"a": 1, "b": 2}).key == Run("knots:pull", {"b": 2, "a": 1}).key


def test_a_run_that_fails_is_said_and_tried_again(tmp_path: Path) -> None:
    run = Run("knots:pull", {"order": 1})
    for _ in range(2):
        (result,) = run_all([run], tmp_path, 1, Bar(quiet=True)).values()
        assert not result and "missing 3 required positional arguments" in (result.failure or "")
        assert not list((tmp_path / "results").glob("*.json"))


def test_what_cannot_be_had_is_skipped(tmp_path: Path) -> None:
    run = Run("cosserat:elastica", {"case": "cantilever"}, packages=("no-such-package",))
    assert missing_packages(run) == ["no-such-package"]
    (result,) = run_all([run], tmp_path, 1, Bar(quiet=True)).values()
    assert result.skipped and "pip install no-such-package" in (result.failure or "")


def test_an_unknown_name_is_an_error_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knot"]) == 2
    assert "there is no experiment 'knot': did you mean 'knots'?" in capsys.readouterr().err
    assert find(["rings", "capstan"]) == ["capstan", "rings"] and find([]) == list(NAMES)


def test_overnight_has_no_limit_on_others() -> None:
    assert Form("overnight").peer_seconds == float("inf") and Form("full").peer_seconds == 120.0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_determinants_of_overhand_knots(order: int) -> None:
    nodes = World("knot", {"rod.rope.curve.overhand.order": order}).rods["rope"].positions
    assert determinant(nodes) == 2 * order + 1
    # Flat, it is no knot: one strand has passed through the others.
    assert determinant(np.linspace([0, 0, 0], [1, 0, 0], 50) + np.sin(np.arange(50))[:, None] * [0, 0.1, 0]) == 1


def rope_with_loop(height: float, *, radius: float = 0.04, pitch: float = 1e-4) -> np.ndarray:
    """Two tails that lie side by side, and a loop between them: an ellipse of one width, ``height`` of that high."""
    angle = np.linspace(-np.pi / 2, 1.5 * np.pi, 121)
    loop = radius * np.stack([np.cos(angle), height * (1.0 + np.sin(angle)), pitch * angle], axis=1)
    left = np.linspace([-0.1, 0.0, 0.0], [-1e-3, 0.0, 0.0], 40) + loop[0]
    right = np.linspace([1e-3, 0.0, 0.0], [0.1, 0.0, 0.0], 40) + loop[-1]
    return np.concatenate([left, loop, right])


def test_a_ring_is_found_and_its_roundness_known() -> None:
    for height, expected in ((1.0, 1.0), (0.5, 0.84), (1.0 / 4.3, 0.5)):
        nodes = rope_with_loop(height)
        piece = find_ring(nodes, 3e-3)
        assert piece is not None and 36 <= piece[0] <= 60 and piece[1] >= 140
        assert roundness(nodes[40:161]) == pytest.approx(expected, abs=0.01)
    assert find_ring(np.linspace([0, 0, 0], [1, 0, 0], 100), 3e-3) is None


@pytest.mark.parametrize(("seconds", "snaps"), [(0.01, True), (0.2, False)])
def test_a_snap_is_a_quick_collapse_and_no_slow_one(seconds: float, snaps: bool) -> None:
    times = np.arange(0.0, 0.5, 2e-3)
    heights = np.interp(times, [0.2, 0.2 + seconds], [1.0, 0.1])
    looks = [look_at_ring(rope_with_loop(height), 3e-3) for height in heights]
    series = {key: [look[key] for look in looks] for key in looks[0]} | {"apart": times, "elastic": 0.02 - 1e-3 * (heights < 0.35)}
    values = {"time": times, "series": series}
    assert (snap(values) is not None) == snaps
    found = collapse(values)
    assert found is not None and found["freed"] == pytest.approx(1e-3) and found["duration"] == pytest.approx(0.28 * seconds, abs=0.1 * seconds + 4e-3)
    assert 0.2 < found["time"] < 0.2 + seconds + 4e-3


def pulled(dt: float, time: float | None, *, held: bool = True, segments: int = 300) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings and values of a run of a knot that snaps at ``time``, or not."""
    times = np.arange(0.0, 0.7, 1e-3)
    late = times > (9.0 if time is None else time)
    series = {"roundness": np.where(late, 0.3, 0.9), "apart": times, "elastic": 0.02 + 0 * times}
    values = {"time": times, "series": series, "determinant": 9 if held else 7, "status": "completed", "ms_per_step": 1.0, "steps": 1, "substeps": 2}
    return {"order": 4, "dt": dt, "segments": segments}, values


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([pulled(1e-4, 0.5), pulled(5e-5, 0.504), pulled(2e-3, 0.4)], ["reproduced", "improved", "improved", "improved"]),
        ([pulled(1e-4, 0.5), pulled(5e-5, 0.55), pulled(2e-3, 0.4, held=False)], ["partly reproduced", "reproduced", "reproduced", "agreed"]),
        ([pulled(1e-4, None), pulled(5e-5, None), pulled(5e-4, None)], ["not reproduced", "improved", None, "improved"]),
    ],
)
def test_knots_are_judged_by_what_was_run(runs: list[Any], words: list[str | None]) -> None:
    out = Section("knots", "", "")
    judge_pulls(out, runs)
    found = [out.verdicts[name].word if name in out.verdicts else None for name in ("knot-snap", "knot-step", "step-size", "adaptive-wish")]
    assert found == words


def penalized(variant: str, *, tunnels: bool, early: float, late: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings and values of a run with a contact energy."""
    times = np.linspace(0.0, 0.7, 100)
    knots = np.where((times > 0.5) & tunnels, 7, 9)
    series = {"time": times, "determinant": knots, "elastic": 1.0 + 0 * times, "contact": np.linspace(early, late, 100)}
    return {"variant": variant, "dt": 1e-4, "order": 4}, {"series": series, "determinant": int(knots[-1]), "reached": 0.7, "status": "completed"}


@pytest.mark.parametrize(
    ("tunnels", "early", "late", "words"),
    [
        ((True, True), 3.0, 0.1, ["reproduced", "reproduced"]),
        ((True, False), 0.3, 0.1, ["partly reproduced", "partly reproduced"]),
        ((False, False), 0.1, 0.3, ["not reproduced", "not reproduced"]),
    ],
)
def test_the_contact_energy_is_judged_by_what_was_run(tunnels: tuple[bool, bool], early: float, late: float, words: list[str]) -> None:
    out = Section("contact_energy", "", "")
    judge_energy(out, [penalized(f"v{k}", tunnels=t, early=early, late=late) for k, t in enumerate(tunnels)])
    assert [out.verdicts[name].word for name in ("imc-tunnels", "imc-energy")] == words


@pytest.mark.parametrize(
    ("tuned", "own", "word"),
    [
        ({10: 0.3, 20: 0.0, 40: -0.3}, {10: 0.02, 20: 0.005, 40: 0.001}, "partly reproduced"),
        ({10: 0.3, 20: 0.0, 40: -0.3}, {10: 0.02, 20: 0.03, 40: 0.04}, "reproduced"),
        ({10: 0.01, 20: 0.0, 40: 0.01}, {10: 0.02, 20: 0.005, 40: 0.001}, "not reproduced"),
        ({10: 0.3}, {10: 0.02}, "not shown"),
    ],
)
def test_chains_are_judged_by_what_was_run(tuned: dict[int, float], own: dict[int, float], word: str) -> None:
    assert judge_convergence({"tuned": tuned, "rod": own}).word == word


def test_verdicts_made_of_others_are_the_least_of_them() -> None:
    given = {"gripper-grasps": Verdict("reproduced", ""), "lace-patch": Verdict("partly reproduced", "")}
    words = {claim.name: verdict.word for claim, verdict in verdicts(given)}
    assert words["versatile"] == "partly reproduced" and words["baselines-worse"] == "not shown"


def test_no_claim_holds_without_a_run() -> None:
    assert {verdict.word for _, verdict in verdicts({})} == {"not shown"}


def test_what_shows_numbers_is_not_what_computes_them() -> None:
    """Functions of runs use nothing that stands below ``runs`` in their module: only what stands above is part of a result's key."""
    for path in sorted(Path(load("knots").__file__ or "").parent.glob("*.py")):
        whole, part = ast.parse(path.read_text(encoding="utf-8")), ast.parse(computing_part(path))
        below = {node.name for node in whole.body[len(part.body) :] if isinstance(node, ast.FunctionDef)}
        names = [node for node in ast.walk(part) if isinstance(node, ast.Name)]
        used = {node.id for node in names if isinstance(node.ctx, ast.Load)} - {node.id for node in names if isinstance(node.ctx, ast.Store)}
        assert not below & used, path.name


def test_a_spectrum_has_the_amplitude_of_a_tone() -> None:
    time = np.arange(0.0, 2.0, 1e-3)
    frequencies, amplitudes = spectrum(time, 5.0 + 0.3 * np.sin(2 * np.pi * 40.0 * time), (0.0, 2.0))
    assert frequencies[amplitudes.argmax()] == pytest.approx(40.0, abs=0.5)
    assert amplitudes.max() == pytest.approx(0.3, rel=0.02)


@pytest.mark.parametrize(
    ("error", "lost", "words"),
    [
        (0.01, True, ["reproduced", "reproduced", "reproduced"]),
        (0.01, False, ["not shown", "not shown", "reproduced"]),
        (0.2, True, ["not shown", "not shown", "not reproduced"]),
    ],
)
def test_steps_are_judged_by_what_was_run(error: float, lost: bool, words: list[str]) -> None:
    ours = Point("filament", "ours, backward euler", 1e-3, error, 0.1, error < 0.1, error >= 0.1)
    holds = Point("filament", "PyElastica", 1e-5, 1e-3, 2.0, good=True, lost=False)
    other = Point("filament", "PyElastica", 4e-5, float("nan"), 0.5, good=False, lost=lost)
    out = Section("cosserat", "", "")
    judge(out, [ours, holds, other])
    assert [out.verdicts[name].word for name in ("elastica-small-steps", "implicit-large-steps", "gripper-step")] == words


def test_numbers_and_words() -> None:
    assert [number(x) for x in (0.0, 0.01234, 1234567.0, None)] == ["0", "0.0123", "1.23e+06", "–"]
    with pytest.raises(ValueError, match="expected one of"):
        Verdict("perhaps", "")

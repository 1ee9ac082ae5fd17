"""The pipeline of ``python -m ropewalk.reproduce`` on tiny settings, and its parts."""

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib")

from ropewalk import World
from ropewalk.reproduce.__main__ import main
from ropewalk.reproduce.claims import CLAIMS
from ropewalk.reproduce.cosserat import Point, judge
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.knots import snap
from ropewalk.reproduce.registry import NAMES, find, load
from ropewalk.reproduce.report import Section, Verdict, number
from ropewalk.reproduce.runs import Run, missing_packages
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


def test_a_snap_is_a_quick_fall_and_no_swing() -> None:
    time = np.arange(0.0, 0.7, 1e-3)
    swing = 0.02 * (1.0 + 0.1 * np.sin(2 * np.pi * 15.0 * time))
    series = {"elastic": swing, "apart": 0.3 + 0.8 * time}
    assert snap({"time": time, "series": series}) is None
    fallen = np.where(time > 0.5, 0.02 - np.minimum(2e-4 * (time - 0.5) / 1e-3, 1e-3), 0.02) + 1e-4 * time
    found = snap({"time": time, "series": series | {"elastic": fallen}})
    assert found is not None and found["time"] == pytest.approx(0.5, abs=2e-3)
    assert found["freed"] == pytest.approx(1e-3, rel=0.1)


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

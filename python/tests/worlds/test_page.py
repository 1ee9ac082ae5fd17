"""Worlds and recordings as pages."""

import re
from pathlib import Path

import pytest

from ropewalk import Recording, World


def test_a_recording_is_shown_as_a_page(tmp_path: Path) -> None:
    world = World("capstan")
    with world.record(tmp_path / "run.mcap"):
        world.step(20)
    page = Recording(tmp_path / "run.mcap").show(height=300)
    assert page.html.startswith("<!doctype html>")
    run = re.search(r'id="run">([A-Za-z0-9+/=]+)</script>', page.html)
    assert run is not None and len(run.group(1)) > 1000
    page.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == page.html
    frame = page._repr_html_()
    assert frame.startswith("<iframe ") and 'height="300"' in frame
    # Nothing in the page ends the attribute that holds it.
    assert frame.count('"') == 6 + 2


def test_a_world_is_shown_as_it_is_now(tmp_path: Path) -> None:
    world = World("capstan")
    world.step(5)
    before = world.state
    first = world.show()
    assert world.state == before
    world.step(50)
    assert world.show().html != first.html
    with world.record(tmp_path / "run.mcap"), pytest.raises(ValueError, match="recorded already"):
        world.show()
    with pytest.raises(ValueError, match="expected 100 to 4000"):
        world.show(height=0)

"""What the site is made of: generated pages hold what there is, and broken links are found. The site itself is built by ./test."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from blocks import DOCS, ROOT

import ropewalk

sys.path.insert(0, str(DOCS / "_ext"))
import command_line
import gallery_index
import scene_python
import scene_reference


def test_the_scene_reference_has_every_key() -> None:
    page = scene_reference.page()
    schema = ropewalk.scene_schema()
    tables = [schema, *schema["$defs"].values()]
    keys = {key for table in tables for key in table.get("properties", {})}
    keys |= {key for table in tables for choice in table.get("oneOf", []) for key in choice.get("properties", {})}
    assert len(keys) > 200
    missing = [key for key in sorted(keys) if f"`{key}`" not in page and f"`[{key}" not in page and f"`{{ {key} = … }}`" not in page]
    assert not missing


def test_the_command_line_has_every_command() -> None:
    page = command_line.page(ROOT)
    for command in ("run", "view", "film", "check"):
        assert f"\n## {command}\n" in page and f"Usage: ropewalk {command}" in page


def test_the_gallery_names_scenes_that_have_no_page_yet(tmp_path: Path) -> None:
    assert "| `cantilever` |" in gallery_index.page(tmp_path)
    (tmp_path / "cantilever.md").write_text("# A\n", encoding="utf-8")
    page = gallery_index.page(tmp_path)
    assert "| `cantilever` |" not in page and ":target: cantilever.html" in page


@pytest.mark.parametrize("scene", ropewalk.embedded_scenes())
def test_the_python_of_the_gallery_builds_the_scene(scene: str) -> None:
    names: dict[str, object] = {}
    exec(scene_python.code(tomllib.loads(ropewalk.embedded_scenes()[scene].text)), names)
    built = names["world"]
    assert isinstance(built, ropewalk.World)
    assert built.to_document() == ropewalk.World(scene).to_document()


@pytest.mark.parametrize(
    "link, reason",
    [
        ("gone.html", "no such file"),
        ("#nowhere", "no place 'nowhere' in it"),
        ("../other/page.html", "leads out of the site"),
    ],
)
def test_a_broken_link_is_found(link: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f'<a id="here" href="index.html#here">a</a> <a href="{link}">b</a>', encoding="utf-8")
    words = [sys.executable, str(ROOT / "tools/check-links"), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == f"index.html: {link}: {reason}\n2 links on 1 pages, 1 broken\n"

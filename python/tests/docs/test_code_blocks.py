"""Every code block of the documentation runs as it stands, those of a page one after the other in one folder."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from blocks import ROOT, SHELLS, Block, Page, pages
from jsonschema import Draft202012Validator

import ropewalk

PAGES = [page for page in pages() if any(block.language != "text" for block in page.blocks)]
MOST_NO_RUN = 10
NEEDS = {"docs/gym.md": ("gymnasium", "pyarrow"), "docs/sweeps.md": ("pyarrow",)}
"""Optional packages of pages, which are skipped where one is missing."""


def find_command() -> Path:
    """The command that was built last."""
    given = os.environ.get("ROPEWALK")
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = [Path(given)] if given else [folder / profile / "ropewalk" for profile in ("debug", "release")]
    built = [path for path in found if path.exists()]
    assert built, f"no command at {' or '.join(map(str, found))}: build it with cargo build, or name it by ROPEWALK"
    return max(built, key=lambda path: path.stat().st_mtime).resolve()


class Session:
    """A folder, a Python namespace and a shell in which a page is read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "documentation"}
        commands = folder.parent / f"{folder.name}-commands"
        commands.mkdir()
        short = Path(__file__).with_name("short_ropewalk.py")
        self._script(commands / "ropewalk", f'exec "{sys.executable}" "{short}" "$@"')
        self._script(commands / "python", f'exec "{sys.executable}" "$@"')
        # `cargo run --release -- …` is the command that the tests have built.
        self._script(commands / "cargo", 'test "$1 $2 $3" = "run --release --" && shift 3 && exec ropewalk "$@"')
        path = f"{commands}{os.pathsep}{os.environ['PATH']}"
        self.environment = os.environ | {"PATH": path, "ROPEWALK": str(find_command()), "MPLBACKEND": "Agg"}
        # What a reader has: a scene of their own, and a copy of the repository.
        (folder / "my_scene.toml").write_text(ropewalk.embedded_scenes()["cantilever"].text, encoding="utf-8")
        for name in ("docs", "examples", "tools", "viewer", "crates"):
            (folder / name).symlink_to(ROOT / name)

    @staticmethod
    def _script(path: Path, text: str) -> None:
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, block: Block) -> None:
        """Runs a block."""
        if block.language == "python":
            exec(compile("\n" * block.line + block.text, block.page, "exec"), self.names)
        elif block.language in SHELLS:
            words = ["bash", "-euo", "pipefail", "-c", block.commands]
            done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{block.page}:{block.line}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        elif block.language == "toml":
            self.check_toml(block)
        else:
            assert block.language == "text", f"{block.page}:{block.line}: no way to run {block.language!r}; a block of output is text"

    def check_toml(self, block: Block) -> None:
        """Builds a scene; what is a part of one is checked against the schema."""
        document = tomllib.loads(block.text)
        if "title" in document:
            ropewalk.World(document).step(1)
            return
        schema = ropewalk.scene_schema()
        schema["required"] = []
        for error in Draft202012Validator(schema).iter_errors(document):
            pytest.fail(f"{block.page}:{block.line}: {'.'.join(map(str, error.absolute_path))}: {error.message}")


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_blocks_run(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in NEEDS.get(page.name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed: {page.name} does not run")
    monkeypatch.chdir(tmp_path)
    session = Session(tmp_path)
    for block in page.blocks:
        if block.no_run is None:
            session.run(block)


def test_few_blocks_do_not_run() -> None:
    left_out = [block for page in PAGES for block in page.blocks if block.no_run is not None]
    assert len(left_out) <= MOST_NO_RUN, [f"{block.page}:{block.line}" for block in left_out]
    assert all(len(str(block.no_run).split()) >= 3 for block in left_out), "a reason has some words"


def test_blocks_say_their_language() -> None:
    assert not [f"{block.page}:{block.line}" for page in pages() for block in page.blocks if not block.language]


def test_blocks_are_found() -> None:
    text = (ROOT / "docs/first_rope.md").read_text(encoding="utf-8")
    (page,) = [page for page in PAGES if page.name == "docs/first_rope.md"]
    assert len(page.blocks) == len(re.findall(r"^```(?:python|sh|toml)$", text, flags=re.MULTILINE)) > 4

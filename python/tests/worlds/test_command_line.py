"""The command that comes with the package."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "ropewalk", *arguments], capture_output=True, text=True, check=False)


def test_it_runs_a_scene(tmp_path: Path) -> None:
    done = run("run", "cantilever", "--duration", "0.01", "--json", "--out", str(tmp_path / "out"))
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["steps"] == 10


def test_mistakes_have_their_exit_code() -> None:
    done = run("check", "no_such_scene")
    assert done.returncode == 2
    assert "no_such_scene" in done.stderr


def test_the_script_is_installed() -> None:
    script = Path(sys.executable).parent / "ropewalk"
    found = str(script) if script.exists() else shutil.which("ropewalk")
    if found is None:
        pytest.skip("the package is not installed by its wheel: there is no script")
    done = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "ropewalk" in done.stdout

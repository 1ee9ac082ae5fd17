"""What the documentation shows runs as it stands; examples keep their claims."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def blocks(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page, number", [(page, k) for page in ("README.md", "docs/python.md", "docs/commands.md") for k in range(len(blocks(page)))])
def test_blocks_run(page: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(page)[number], f"{page}, block {number}", "exec"), {"__name__": "documentation"})


@pytest.mark.parametrize("example", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_examples_keep_their_claims(example: str) -> None:
    environment = os.environ | {"MPLBACKEND": "Agg"}
    script = [sys.executable, str(ROOT / "examples" / example)]
    done = subprocess.run(script, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout

"""Examples keep their claims. (Code blocks of the documentation run in ``python/tests/docs``.)"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("example", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_examples_keep_their_claims(example: str) -> None:
    environment = os.environ | {"MPLBACKEND": "Agg"}
    script = [sys.executable, str(ROOT / "examples" / example)]
    done = subprocess.run(script, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout

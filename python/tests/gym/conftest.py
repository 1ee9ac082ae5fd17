"""Environments are tested where gymnasium is installed."""

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed: environments are not tested")

"""Pictures: what is drawn is what is there."""

import sys
from typing import Literal

import numpy as np
import pytest

from ropewalk import World

Plane = Literal["xy", "xz", "yz"]
Color = Literal["rod", "tension", "curvature", "twist_rate"]


@pytest.fixture(autouse=True)
def no_screen() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")


@pytest.mark.parametrize("color", ["rod", "tension", "curvature", "twist_rate"])
@pytest.mark.parametrize("plane", [None, "xy", "xz", "yz"])
def test_worlds_can_be_drawn(color: Color, plane: Plane | None) -> None:
    import matplotlib.pyplot as pyplot

    for name in ("two_arms", "twisted_ring", "capstan"):
        world = World(name)
        world.step(3)
        axes = world.plot(color=color, plane=plane, contacts=True)
        assert world.title in axes.get_title()
        axes.figure.canvas.draw()
        pyplot.close("all")


def test_a_line_is_the_rod() -> None:
    world = World("capstan")
    world.step(2)
    axes = world.plot(plane="xy")
    drawn = np.array(axes.lines[0].get_xydata())
    np.testing.assert_array_equal(drawn, world.rods["rope"].positions[:, :2])
    with pytest.raises(ValueError, match="plane"):
        world.plot(plane="zz")  # type: ignore[arg-type]


def test_without_matplotlib_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        World("cantilever").plot()

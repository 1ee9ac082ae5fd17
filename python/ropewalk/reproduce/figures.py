"""Figures by matplotlib, all in one style."""

import importlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ropewalk.reproduce.report import Figure

__all__ = ["COLORS", "axes", "draw", "frames"]

COLORS = ("#2c6fbb", "#c8442c", "#3a9152", "#8a56a8", "#c98a12", "#444444", "#13a0a0")


class Canvas:
    """A figure under construction; ``figure`` is there after the block of :func:`draw`."""

    def __init__(self, axes: Any) -> None:
        self.axes = axes
        self.figure: Figure


@contextmanager
def _style() -> Iterator[Any]:
    """pyplot in our style, without a window."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    plt: Any = importlib.import_module("matplotlib.pyplot")
    style: dict[str, Any] = {"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False}
    style |= {"lines.linewidth": 1.2, "axes.prop_cycle": matplotlib.cycler(color=COLORS), "legend.frameon": False}
    with matplotlib.rc_context(style):
        yield plt


def _png(figure: Any, **how: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=105, **how)
    return buffer.getvalue()


@contextmanager
def draw(name: str, caption: str, columns: int = 1, *, width: float = 4.6, height: float = 3.1) -> Iterator[Canvas]:
    """Axes side by side, ``canvas.axes[k]``, of ``width`` × ``height`` inches each."""
    with _style() as plt:
        figure, grid = plt.subplots(1, columns, figsize=(width * columns, height), squeeze=False)
        canvas = Canvas(list(grid[0]))
        try:
            yield canvas
            figure.tight_layout()
            canvas.figure = Figure(name, caption, _png(figure))
        finally:
            plt.close(figure)


def axes(ax: Any, x: str, y: str, *, legend: bool = True, **limits: Any) -> None:
    """Labels, limits, and a legend if anything has a label."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.set(**limits)
    if legend and ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize=7)


def frames(name: str, caption: str, rows: Sequence[tuple[str, Sequence[Any], Sequence[str]]]) -> Figure:
    """Key frames: rows of pictures, each with a name at its left and a caption above each picture. Pictures are arrays of
    uint8, shape (h, w, 3), or centerlines of shape (n, 3), which are drawn as lines seen along y."""
    columns = max(len(pictures) for _, pictures, _ in rows)
    with _style() as plt:
        figure, grid = plt.subplots(len(rows), columns, figsize=(3.0 * columns, 2.2 * len(rows)), squeeze=False)
        for line, (title, pictures, captions) in zip(grid, rows, strict=True):
            for k, ax in enumerate(line):
                ax.set_axis_off()
                if k < len(pictures):
                    _picture(ax, np.asarray(pictures[k]))
                    ax.set_title(f"{title}: {captions[k]}" if k == 0 else captions[k], fontsize=8)
        figure.tight_layout(pad=0.8)
        out = Figure(name, caption, _png(figure, bbox_inches="tight"))
        plt.close(figure)
    return out


def _picture(ax: Any, picture: Any) -> None:
    if picture.dtype == np.uint8:
        ax.imshow(picture)
        return
    ax.plot(picture[:, 0], picture[:, 2], color=COLORS[0], linewidth=1.5)
    ax.set_aspect("equal")

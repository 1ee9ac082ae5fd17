"""Quick pictures with matplotlib."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ropewalk._arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ropewalk.recording import Recording
    from ropewalk.views import RodView
    from ropewalk.world import World

__all__ = ["plot_recording", "plot_series", "plot_world"]

_UNITS = {"tension": "tension in N", "curvature": "curvature in 1/m", "twist_rate": "twist in rad/m"}
_PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def _matplotlib() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib, which is not installed\nhint: pip install matplotlib, or pip install 'ropewalk[plot]'"
        ) from error
    return pyplot


def plot_world(
    world: "World",
    ax: "Axes | None" = None,
    *,
    color: Literal["rod", "tension", "curvature", "twist_rate"] = "rod",
    plane: Literal["xy", "xz", "yz"] | None = None,
    contacts: bool = False,
) -> "Axes":
    """Draws a world; see :meth:`ropewalk.World.plot`."""
    pyplot = _matplotlib()
    if color != "rod" and color not in _UNITS:
        raise ValueError(f"color is {color!r}, expected 'rod', {', '.join(map(repr, _UNITS))}")
    axes, columns = _axes(pyplot, ax, plane)
    rods = list(world.rods.values())
    scale = _color_scale(rods, color)
    for rod in rods:
        points = _closed(rod.positions, rod.closed)[:, columns]
        if scale is None:
            axes.plot(*points.T, label=rod.name)
        else:
            axes.add_collection(_colored(points, _per_edge(rod, color), scale))
    for body in world.bodies.values():
        axes.plot(*body.position[columns, None], "s", color="0.5")
    for robot in world.robots.values():
        links = robot.link_positions
        for link, known in enumerate(world._facts.links[robot.index]):
            if known.parent is not None:
                axes.plot(*links[[known.parent, link]][:, columns].T, "o-", color="0.5", markersize=3)
    if contacts:
        axes.plot(*world.contacts()["point"][:, columns].T, ".", color="k", zorder=3)
    axes.set_title(f"{world.title}, t = {world.time:.6g} s")
    if scale is not None:
        mappable = pyplot.cm.ScalarMappable(norm=scale, cmap="viridis")
        axes.figure.colorbar(mappable, ax=axes, label=_UNITS[color])
    _finish(axes, columns, np.vstack([np.zeros((0, 3)), *(rod.positions for rod in rods)]))
    found: "Axes" = axes
    return found


def plot_recording(
    recording: "Recording",
    ax: "Axes | None" = None,
    *,
    frames: int = 8,
    plane: Literal["xy", "xz", "yz"] | None = None,
) -> "Axes":
    """Draws the rods of a recording; see :meth:`ropewalk.Recording.plot`."""
    pyplot = _matplotlib()
    axes, columns = _axes(pyplot, ax, plane)
    chosen = np.unique(np.linspace(0, len(recording.time) - 1, frames).round().astype(int))
    everything = [np.zeros((0, 3))]
    for rod in recording.rods.values():
        for frame in chosen:
            points = _closed(rod.positions[frame], rod.closed)
            shade = 0.8 * (1.0 - frame / max(int(chosen[-1]), 1))
            axes.plot(*points[:, columns].T, color=str(shade))
            everything.append(points)
    axes.set_title(f"{recording.title}, t = {recording.time[0]:.6g} to {recording.time[-1]:.6g} s")
    _finish(axes, columns, np.vstack(everything))
    found: "Axes" = axes
    return found


def plot_series(recording: "Recording", name: str, ax: "Axes | None" = None) -> "Axes":
    """Draws an array of a recording against time; see :meth:`ropewalk.Recording.plot_series`."""
    axes: Any = _matplotlib().figure().add_subplot() if ax is None else ax
    values = recording.arrays[name]
    clocks = [recording.arrays[clock] for clock in ("time", "states/time", "measures/time", "forces/time")]
    time = next((clock for clock in clocks if len(clock) == len(values)), None)
    if time is None:
        raise ValueError(f"{name!r} has {len(values)} rows, which is no series in time")
    axes.plot(time, values.reshape(len(values), -1))
    axes.set_xlabel("time in s")
    axes.set_ylabel(name)
    found: "Axes" = axes
    return found


def _axes(pyplot: Any, ax: "Axes | None", plane: str | None) -> tuple[Any, list[int]]:
    """Axes to draw in, and the coordinates along them."""
    if plane is not None and plane not in _PLANES:
        raise ValueError(f"plane is {plane!r}, expected {', '.join(map(repr, _PLANES))} or None")
    axes: Any = ax
    if axes is None:
        axes = pyplot.figure().add_subplot(projection=None if plane else "3d")
    return axes, [0, 1, 2] if hasattr(axes, "zaxis") else list(_PLANES[plane or "xz"])


def _finish(axes: Any, columns: Sequence[int], points: FloatArray) -> None:
    """Names the axes, and makes lengths look the same along them."""
    for name, column in zip("xyz", columns):
        getattr(axes, f"set_{name}label")(f"{'xyz'[column]} in m")
    axes.autoscale_view()
    if len(columns) == 2:
        axes.set_aspect("equal", adjustable="datalim")
    else:
        _equal_scales(axes, points)


def _closed(points: FloatArray, closed: bool) -> FloatArray:
    """Nodes of a rod; of a closed one the first comes again at the end."""
    return np.vstack([points, points[:1]]) if closed else points


def _per_edge(rod: "RodView", quantity: str) -> FloatArray:
    """A quantity on edges; what lives at nodes is averaged."""
    values: FloatArray = getattr(rod, quantity)
    if len(values) == rod.edge_count and (not rod.closed or quantity == "tension"):
        return values
    around = np.append(values, values[0]) if rod.closed else np.concatenate([values[:1], values, values[-1:]])
    means: FloatArray = 0.5 * (around[:-1] + around[1:])
    return means


def _color_scale(rods: "Sequence[RodView]", color: str) -> Any:
    if color == "rod" or not rods:
        return None
    from matplotlib.colors import Normalize

    values = np.concatenate([getattr(rod, color) for rod in rods])
    return Normalize(float(values.min(initial=0.0)), float(values.max(initial=0.0)))


def _colored(points: FloatArray, values: FloatArray, scale: Any) -> Any:
    """A line whose segments have the colors of ``values``."""
    segments = np.stack([points[:-1], points[1:]], axis=1)
    if points.shape[1] == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection as Collection
    else:
        from matplotlib.collections import LineCollection as Collection
    collection = Collection(list(segments), norm=scale, cmap="viridis")
    collection.set_array(values)
    return collection


def _equal_scales(axes: Any, points: FloatArray) -> None:
    """Lengths look the same along all three axes."""
    shown = np.column_stack([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    everything = np.vstack([shown, points])
    middle = 0.5 * (everything.max(0) + everything.min(0))
    half = 0.5 * float(np.max(np.ptp(everything, axis=0)))
    for name, x in zip("xyz", middle):
        getattr(axes, f"set_{name}lim")(x - half, x + half)

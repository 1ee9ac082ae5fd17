"""What environments show: numbers by name, the same in one row, and images."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Observation, Task
from ropewalk.rendering import Camera

__all__ = ["Observations", "View"]

IMAGES: dict[str, tuple[Any, Any, Any, tuple[int, ...]]] = {
    "rgb": (0, 255, np.uint8, (3,)),
    "depth": (0.0, np.inf, np.float32, ()),
    "mask": (0, 2**32 - 1, np.uint32, ()),
}


Places = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True)
class View:
    """Images in observations.

    Args:
        modes: ``"rgb"``, ``"depth"``, ``"mask"``, one key of the observation each; see :meth:`ropewalk.World.render`.
        width: in px.
        height: in px.
        camera: a camera, or words for one that holds everything.
    """

    modes: tuple[Literal["rgb", "depth", "mask"], ...] = ("rgb",)
    width: int = 84
    height: int = 84
    camera: Camera | str = "iso"


class Observations:
    """Makes observations of a task.

    Keys: ``nodes`` (k, 3) m and ``velocities`` (k, 3) m/s at k places evenly spaced by arclength, ``ends`` (h, 3) m where the
    holders are, ``tension`` (k - 1,) N between the places, ``wrench`` (h, 6) N and N m of the holders on the cable, ``grip``
    (number of grips,) 1 where a grip holds the cable, ``goal`` (g,), and images.

    Args:
        task: the task.
        kind: ``"dict"``, or ``"flat"``: one array of all numbers, in the order of the keys.
        nodes: k; that of the task by default.
        view: images; none by default. Only with ``"dict"``.
    """

    def __init__(
        self, task: Task, kind: Literal["dict", "flat"] = "dict", nodes: int | None = None, view: View | None = None
    ) -> None:
        if kind not in ("dict", "flat"):
            raise ValueError(f"observation is {kind!r}, expected 'dict' or 'flat'")
        if kind == "flat" and view is not None:
            raise ValueError("images cannot be part of a flat observation: ask for observation='dict'")
        self.kind, self.view = kind, view
        self.count = task.node_count if nodes is None else nodes
        if self.count < 2:
            raise ValueError(f"nodes is {nodes}, expected at least 2")
        holders, k = len(task.holders()), self.count
        shapes: dict[str, tuple[int, ...]] = {"nodes": (k, 3), "velocities": (k, 3), "ends": (holders, 3)}
        shapes |= {"tension": (k - 1,), "wrench": (holders, 6)}
        grips = sum(holder.grip is not None for holder in task.holders())
        if grips > 0:
            shapes["grip"] = (grips,)
        if task.goal_size > 0:
            shapes["goal"] = (task.goal_size,)
        self.shapes = shapes
        self._found: dict[int, Places] = {}
        numbers: dict[str, spaces.Space[Any]] = {
            key: spaces.Box(-np.inf, np.inf, shape, np.float32) for key, shape in shapes.items()
        }
        for mode in view.modes if view is not None else ():
            if mode not in IMAGES:
                raise ValueError(f"an image of the view is {mode!r}, expected 'rgb', 'depth' or 'mask'")
            low, high, dtype, channels = IMAGES[mode]
            assert view is not None
            numbers[mode] = spaces.Box(low, high, (view.height, view.width, *channels), dtype)
        self.size = sum(int(np.prod(shape)) for shape in shapes.values())
        self.space: spaces.Space[Any]
        if kind == "dict":
            self.space = spaces.Dict(numbers)
        else:
            self.space = spaces.Box(-np.inf, np.inf, (self.size,), np.float32)

    def empty(self, count: int) -> Any:
        """Zeros for ``count`` environments."""
        if self.kind == "flat":
            return np.zeros((count, self.size), dtype=np.float32)
        assert isinstance(self.space, spaces.Dict)
        return {key: np.zeros((count, *box.shape), box.dtype) for key, box in self.space.items()}

    def fill(self, out: Any, now: Snapshot, mask: NDArray[np.bool_]) -> None:
        """Writes the observations of the environments of the mask into their rows."""
        numbers = self._numbers(now)
        # A slice is several times as fast as a mask, and mostly all environments are meant.
        rows: Any = slice(None) if mask.all() else mask
        if self.kind == "flat":
            out[rows] = np.concatenate([part.reshape(len(part), -1) for part in numbers.values()], axis=1)[rows]
            return
        for key, part in numbers.items():
            out[key][rows] = part[rows]
        for mode in self.view.modes if self.view is not None else ():
            assert self.view is not None
            images = now.batch.render(self.view.camera, self.view.width, self.view.height, mode, mask=mask)
            out[mode][mask] = images

    def _numbers(self, now: Snapshot) -> Observation:
        positions = now.positions
        at, share, middles = self._places(positions.shape[1] - 1)

        def along(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values[:, at] * (1.0 - share) + values[:, at + 1] * share

        numbers = {
            "nodes": along(positions),
            "velocities": along(now.velocities),
            "ends": now.ends,
            "tension": now.tension[:, middles],
            "wrench": now.wrench,
        }
        if "grip" in self.shapes:
            numbers["grip"] = now.grip
        if "goal" in self.shapes:
            numbers["goal"] = now.goals
        return {key: part.astype(np.float32) for key, part in numbers.items()}

    def _places(self, edges: int) -> Places:
        """Where the observed places are: the edge, the share of it, shape (k, 1), and the edge between two places."""
        if edges not in self._found:
            places = np.linspace(0.0, edges, self.count)
            at = np.minimum(places.astype(np.int64), edges - 1)
            middles = (0.5 * (places[1:] + places[:-1])).astype(np.int64)
            self._found[edges] = at, (places - at)[:, None], np.minimum(middles, edges - 1)
        return self._found[edges]

    def row(self, out: Any, world: int) -> Any:
        """A copy of the observation of one environment."""
        if self.kind == "flat":
            return out[world].copy()
        return {key: part[world].copy() for key, part in out.items()}

    def copy(self, out: Any) -> Any:
        """A copy."""
        return out.copy() if self.kind == "flat" else {key: part.copy() for key, part in out.items()}

"""Recordings: what a world did, in a file (``docs/recordings.md``), and read back as arrays."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ropewalk import _core
from ropewalk._arrays import FloatArray
from ropewalk._facts import Named, find
from ropewalk.contacts import recorded_contacts, recorded_patches, recorded_polygons, recorded_touches
from ropewalk.rendering import Camera, of_frame
from ropewalk.page import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ropewalk.world import World

__all__ = ["Recorder", "Recording", "RodRecording"]


class Recorder:
    """Writes what a world does, until it is closed; use it with ``with``."""

    def __init__(
        self, world: "World", path: str | os.PathLike[str], rate: float, state_rate: float, foxglove_rate: float
    ) -> None:
        self._world: "World | None" = world
        self.path = Path(path)
        """The file."""
        world._running.record(self.path, world._load(), rate, state_rate, foxglove_rate)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close("completed" if error is None else str(getattr(error, "status", "interrupted")))

    def close(self, status: str = "completed") -> None:
        """Completes the file; ``status`` is its last word. A second time, nothing happens."""
        if self._world is not None:
            world, self._world = self._world, None
            world._running.stop_recording(status)


class Recording:
    """A recording, read from a file that a world or ``ropewalk run --out`` has written. k frames, s states.

    Frames are in single precision, but for those that are states too (:attr:`state_time`): these are exact, and velocities,
    curvatures and all that is known of contacts and patches are there at these times only. ``state_rate`` of
    :meth:`World.record <ropewalk.World.record>` says how many there are; the last frame always is a state.

    Args:
        path: the file, such as run.mcap. One that a crash has cut short is read as far as it goes; one that is damaged raises
            :class:`RecordingError`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        """The file."""
        with tempfile.TemporaryDirectory() as folder:
            arrays = Path(folder) / "recording.npz"
            self._scene: dict[str, Any] = json.loads(_core.export_recording(self.path, arrays, "npz"))
            with np.load(arrays) as npz:
                self.arrays: Mapping[str, FloatArray] = {name: npz[name] for name in npz.files}
                """All arrays by name, as ``ropewalk export --npz`` writes them."""

    def __repr__(self) -> str:
        return f"<Recording of {self.title!r}, {len(self.time)} frames>"

    @property
    def title(self) -> str:
        """What the scene shows."""
        return str(self._scene["title"])

    @property
    def text(self) -> str:
        """The scene file."""
        return str(self._scene["text"])

    @property
    def time(self) -> FloatArray:
        """Times of the frames in s, shape (k,)."""
        return self.arrays["time"]

    @property
    def state_time(self) -> FloatArray:
        """Times of the states in s, shape (s,)."""
        return self.arrays["states/time"]

    @property
    def rods(self) -> "Mapping[str, RodRecording]":
        """Rods by name; their arrays have shape (k, …) or (s, …)."""
        known = {rod["name"]: rod for rod in self._scene["rods"]}
        return Named("rod", lambda: known, lambda name: RodRecording(self, name, bool(known[name]["closed"])))

    @property
    def energies(self) -> dict[str, FloatArray]:
        """Energies in J by kind, each of the shape of ``arrays["measures/time"]``."""
        return {name.removeprefix("energy/"): array for name, array in self.arrays.items() if name.startswith("energy/")}

    @property
    def info(self) -> dict[str, Any]:
        """What is in it, as ``ropewalk info --json`` says it: times in s, frames, rods, bodies and robots, numbers of messages,
        most contacts, patches and polygons of a frame, greatest pressure in Pa, events."""
        found: dict[str, Any] = json.loads(_core.recording_info(self.path))
        return found

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened: ``time`` in s, ``kind`` (start, attach, release, command, failure, end), ``name`` and ``detail`` of each."""
        events: list[dict[str, Any]] = self.info["events"]
        return events

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes it in another format, as ``ropewalk export`` does; a file that is there is replaced.

        Args:
            path: ends in .npz (arrays for NumPy), .csv (what is measured, one row per frame) or .glb (an animation, glTF).
        """
        ending = Path(path).suffix.removeprefix(".")
        if ending not in ("npz", "csv", "glb"):
            raise ValueError(f"the file {os.fspath(path)!r} should end in .npz, .csv or .glb")
        _core.export_recording(self.path, path, ending)

    @property
    def contacts(self) -> NDArray[np.void]:
        """Contacts that push in all states, shape (c,): ``time`` in s and the fields of :data:`ropewalk.CONTACT_DTYPE`."""
        return recorded_contacts(self.arrays)

    @property
    def touches(self) -> NDArray[np.void]:
        """Contacts that push in all frames, shape (t,), in single precision: ``time`` in s, ``gap`` in m, ``point`` in m,
        ``force`` on the first side in N, and ``sides``: the index of the rod, or -1 - that of the body or robot."""
        return recorded_touches(self.arrays)

    @property
    def patches(self) -> NDArray[np.void]:
        """Patches of all states, shape (p,): ``time`` in s and the fields of :data:`ropewalk.PATCH_DTYPE`."""
        return recorded_patches(self.arrays)

    @property
    def polygons(self) -> NDArray[np.void]:
        """Polygons of :attr:`patches`, shape (g,), with the fields of :data:`ropewalk.POLYGON_DTYPE`."""
        return recorded_polygons(self.arrays)

    @property
    def patch_corners(self) -> FloatArray:
        """Corners of :attr:`polygons` in m, shape (h, 3).

        Those of one polygon are ``corners[first_corner : first_corner + corner_count]``, in order round it.
        """
        return self.arrays["polygons/corners"]

    def render(
        self,
        frame: int = -1,
        camera: Camera | str | None = None,
        width: int = 640,
        height: int = 480,
        mode: Literal["rgb", "depth", "mask"] = "rgb",
        *,
        samples: int = 1,
        shadows: bool = True,
    ) -> NDArray[Any]:
        """An image of a frame: number ``frame`` of :attr:`time`, counted from the end if negative. The other arguments and the
        array are those of :meth:`ropewalk.World.render`. For a film, give all frames the same camera."""
        return of_frame(self, frame).render(camera, width, height, mode, samples, shadows)

    def camera(self, words: str = "iso", width: int = 640, height: int = 480, *, frame: int = 0) -> Camera:
        """A camera that holds everything in a frame, such as ``"front"``, ``"top zoom=2"``, ``"iso fov=0.4"``."""
        return of_frame(self, frame).camera(words, width, height)

    def show(self, *, height: int = 600) -> Page:
        """The run as a page: a notebook shows it, :meth:`Page.save` writes it to a file that any browser plays.

        Args:
            height: of the page in a notebook, in pixels.
        """
        return Page(_core.recording_page(self.path), height)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        frames: int = 8,
        plane: Literal["xy", "xz", "yz"] | None = None,
    ) -> "Axes":
        """A quick picture with matplotlib: the rods at ``frames`` moments, the later the darker."""
        from ropewalk.plot import plot_recording

        return plot_recording(self, ax, frames=frames, plane=plane)

    def plot_series(self, name: str, ax: "Axes | None" = None) -> "Axes":
        """A quick picture of one of ``arrays`` against time: one line for each number of a row."""
        from ropewalk.plot import plot_series

        find("array", self.arrays, name)
        return plot_series(self, name, ax)


class RodRecording:
    """A rod of a recording; k frames, s states, n nodes, e edges, i nodes between two edges."""

    def __init__(self, recording: Recording, name: str, closed: bool) -> None:
        self._recording = recording
        self.name = name
        """Name."""
        self.closed = closed
        """Whether the last node is joined to the first."""

    def _array(self, name: str) -> FloatArray:
        return self._recording.arrays[f"{self.name}/{name}"]

    @property
    def positions(self) -> FloatArray:
        """Positions of the nodes in m, shape (k, n, 3)."""
        return self._array("q")[..., :3]

    @property
    def velocities(self) -> FloatArray:
        """Velocities of the nodes in m/s in each state, shape (s, n, 3)."""
        return self._array("v")[..., :3]

    @property
    def tension(self) -> FloatArray:
        """Tension of the edges in N, positive in pull, shape (k, e)."""
        return self._array("tension")

    @property
    def curvature(self) -> FloatArray:
        """Curvature in 1/m in each state, shape (s, i)."""
        return self._array("curvature")

    @property
    def twist_rate(self) -> FloatArray:
        """Twist per length in rad/m in each state, shape (s, i)."""
        return self._array("twist_rate")

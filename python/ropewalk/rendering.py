"""Images without a GPU: colors, depths, masks and point clouds of worlds and recordings, and films (``docs/pictures.md``)."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ropewalk import _core
from ropewalk._arrays import FloatArray

if TYPE_CHECKING:
    from ropewalk.batch import Batch
    from ropewalk.recording import Recording
    from ropewalk.world import World

__all__ = ["Camera", "Instance", "write_film"]

Mode = Literal["rgb", "depth", "mask"]
ColorBy = Literal["curvature", "tension", "twist"]
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Camera:
    """Where an image is taken from.

    Its own axes are those of OpenCV and of ROS's optical frames: x to the right, y down, z forward. The center of pixel
    (row r, column c) is at (c + ½, r + ½), and the optical axis goes through the middle of the image.

    Args:
        eye: where the camera is, in m, shape (3,).
        target: what comes to the middle of the image, in m, shape (3,).
        up: what points up in the image, shape (3,); need not be perpendicular.
        field_of_view: vertical angle of view in rad.
        orthographic_height: height of what is seen in m, for an image without perspective.
    """

    eye: Vector
    target: Vector = (0.0, 0.0, 0.0)
    up: Vector = (0.0, 0.0, 1.0)
    field_of_view: float = 0.55
    orthographic_height: float | None = None

    def _numbers(self) -> Any:
        def three(key: str) -> Vector:
            try:
                x, y, z = (float(v) for v in getattr(self, key))
            except (TypeError, ValueError):
                raise ValueError(f"{key} of the camera is {getattr(self, key)!r}, expected three numbers") from None
            return x, y, z

        height = self.orthographic_height
        return three("eye"), three("target"), three("up"), None if height is not None else self.field_of_view, height

    def intrinsics(self, width: int = 640, height: int = 480) -> FloatArray:
        """The matrix K, shape (3, 3): K (x, y, z) of a point in the camera's frame, divided by its last entry, are its pixel
        coordinates. An orthographic camera has none."""
        matrix, _ = _core.camera_matrices(self._numbers(), width, height)
        if matrix is None:
            raise ValueError("an orthographic camera has no intrinsics: leave out orthographic_height")
        return matrix

    @property
    def pose(self) -> FloatArray:
        """The camera's frame in the world as a homogeneous matrix, shape (4, 4): its axes and, in m, its place."""
        return _core.camera_matrices(self._numbers(), 1, 1)[1]


@dataclass(frozen=True)
class Instance:
    """What a number of a mask stands for."""

    id: int
    """The number in masks."""
    kind: str
    """``"rod"``, ``"body"`` or ``"robot"``."""
    name: str
    """Name of the rod, body or robot."""
    link: str
    """Name of the link; empty for a rod."""


class Images:
    """Images of what a world or a recording shows; see :meth:`ropewalk.World.render`."""

    def __init__(self, renderer: _core.Renderer) -> None:
        self._renderer = renderer

    def take_world(self, world: "World") -> None:
        """Takes up where everything is in a world."""
        self._renderer.take_world(world._running)

    def take_batch(self, batch: "Batch", world: int) -> None:
        """Takes up where everything is in a world of a batch."""
        self._renderer.take_batch(batch._core, world)

    def take_frame(self, recording: "Recording", frame: int) -> None:
        """Takes up a frame of a recording."""
        arrays, scene = recording.arrays, recording._scene
        count = len(recording.time)
        if not -count <= frame < count:
            raise IndexError(f"frame is {frame}, but the recording has {count} frames")

        def row(name: str) -> FloatArray:
            return np.ascontiguousarray(arrays[name][frame])

        rods, trees = [rod["name"] for rod in scene["rods"]], [tree["name"] for tree in scene["trees"]]
        self._renderer.take_arrays(
            float(recording.time[frame]),
            [row(f"{name}/q") for name in rods],
            [row(f"{name}/d1") for name in rods],
            [row(f"tree/{name}/poses") for name in trees],
        )

    def camera(self, words: str, width: int, height: int) -> Camera:
        """The camera that words ask for."""
        eye, target, up, angle, ortho = self._renderer.camera(words, *_size(width, height))
        return Camera(eye, target, up, 0.55 if angle is None else angle, ortho)

    def instances(self) -> list[Instance]:
        """What the numbers of masks stand for."""
        return [Instance(i + 1, *found) for i, found in enumerate(self._renderer.instances())]

    def render(
        self,
        camera: Camera | str | None,
        width: int,
        height: int,
        mode: Mode,
        samples: int = 1,
        shadows: bool = True,
        contacts: bool = False,
        color_by: ColorBy | None = None,
    ) -> NDArray[Any]:
        """An image; see :meth:`ropewalk.World.render`."""
        width, height = _size(width, height)
        if not isinstance(camera, Camera):
            camera = self.camera(camera or "iso", width, height)
        numbers = camera._numbers()
        if mode == "rgb":
            return self._renderer.image(numbers, width, height, samples, shadows, contacts, color_by, None)
        if mode == "depth":
            return self._renderer.depth(numbers, width, height)
        if mode == "mask":
            return self._renderer.mask(numbers, width, height)
        raise ValueError(f"mode is {mode!r}, expected 'rgb', 'depth' or 'mask'")

    def point_cloud(self, camera: Camera | str | None, width: int, height: int) -> FloatArray:
        """Places that the pixels see; see :meth:`ropewalk.World.point_cloud`."""
        width, height = _size(width, height)
        if not isinstance(camera, Camera):
            camera = self.camera(camera or "iso", width, height)
        return self._renderer.points(camera._numbers(), width, height)


def _size(width: int, height: int) -> tuple[int, int]:
    for key, value in (("width", width), ("height", height)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 < value < 2**32:
            raise ValueError(f"{key} is {value!r}, expected a whole number of px above 0")
    return int(width), int(height)


_of_worlds: "WeakKeyDictionary[World, tuple[_core.Scene, Images]]" = WeakKeyDictionary()
_of_recordings: "WeakKeyDictionary[Recording, Images]" = WeakKeyDictionary()


def of_world(world: "World") -> Images:
    """The images of a world, as it is now. Their memory is kept while its scene stays the same."""
    scene = world._load()
    kept = _of_worlds.get(world)
    if kept is None or kept[0] is not scene:
        kept = scene, Images(_core.Renderer.of_scene(scene))
        _of_worlds[world] = kept
    kept[1].take_world(world)
    return kept[1]


def of_frame(recording: "Recording", frame: int) -> Images:
    """The images of a frame of a recording."""
    images = _of_recordings.get(recording)
    if images is None:
        images = _of_recordings[recording] = Images(_core.Renderer.of_recording(recording.path))
    images.take_frame(recording, frame)
    return images


def write_film(path: str | os.PathLike[str], images: Iterable[NDArray[np.uint8]], *, fps: float = 30.0) -> None:
    """Writes images as a film; a file that is there is replaced.

    Args:
        path: ends in .mp4 (H.264; needs the package ``av``) or .gif.
        images: all of one shape (h, w, 3), as :meth:`ropewalk.World.render` gives them; those of an .mp4 are taken one by
            one, so that a film of any length needs the memory of one image. Width and height of an .mp4 are even.
        fps: frames per second; at most 50 in a .gif.
    """
    ending = Path(path).suffix
    if ending == ".gif":
        _core.write_gif(path, [np.ascontiguousarray(image, dtype=np.uint8) for image in images], fps)
    elif ending == ".mp4":
        _write_mp4(path, images, fps)
    else:
        raise ValueError(f"the film {os.fspath(path)!r} should end in .mp4 or .gif")


def _write_mp4(path: str | os.PathLike[str], images: Iterable[NDArray[np.uint8]], fps: float) -> None:
    try:
        import av
    except ImportError as error:
        raise ImportError(
            "films as .mp4 need the package av, which is not installed\n"
            "hint: pip install av, or pip install 'ropewalk[film]'; a .gif needs nothing"
        ) from error
    from fractions import Fraction

    if not (np.isfinite(fps) and fps > 0):
        raise ValueError(f"fps is {fps}, expected a number above 0")
    with av.open(os.fspath(path), mode="w") as container:
        stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000))
        shape: tuple[int, ...] | None = None
        for image in images:
            pixels = np.ascontiguousarray(image, dtype=np.uint8)
            if shape is None:
                shape = pixels.shape
                if len(shape) != 3 or shape[2] != 3 or shape[0] % 2 or shape[1] % 2:
                    raise ValueError(f"the images have the shape {shape}, expected (h, w, 3) with even h and w")
                stream.height, stream.width = shape[:2]
                stream.pix_fmt = "yuv420p"
            elif pixels.shape != shape:
                raise ValueError(f"an image has the shape {pixels.shape}, those before it {shape}")
            for packet in stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")):
                container.mux(packet)
        if shape is None:
            raise ValueError("a film needs at least one image")
        for packet in stream.encode():
            container.mux(packet)

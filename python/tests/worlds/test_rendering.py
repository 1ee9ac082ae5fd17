"""Images of worlds and recordings: shapes, depths, masks, cameras, films."""

from pathlib import Path

import numpy as np
import pytest

import ropewalk

SCENE = """
title = "A ball over the ground"
time = { dt = 1e-3, duration = 0.1 }

[body.ground]
shape = "half_space"
motion = "fixed"

[body.ball]
shape = { sphere = { radius = 0.2 } }
motion = "fixed"
position = [0.0, 0.0, 0.5]

[rod.line]
preset = "nylon_rope"
segments = 10
curve = { line = { from = [-0.5, -0.5, 0.3], to = [0.5, -0.5, 0.3] } }
"""

CAMERA = ropewalk.Camera(eye=(0.0, -2.0, 0.5), target=(0.0, 0.0, 0.5), field_of_view=0.8)


@pytest.fixture
def world() -> ropewalk.World:
    return ropewalk.World.from_toml(SCENE)


def test_images_have_their_shapes(world: ropewalk.World) -> None:
    image = world.render(CAMERA, 64, 48)
    assert image.shape == (48, 64, 3) and image.dtype == np.uint8 and image.std() > 5
    assert np.array_equal(image, world.render(CAMERA, 64, 48))
    assert world.render(width=40, height=30, samples=2).shape == (30, 40, 3)


def test_depth_is_that_of_the_ball(world: ropewalk.World) -> None:
    depth = world.render(CAMERA, 101, 101, "depth")
    assert depth.shape == (101, 101) and depth.dtype == np.float32
    assert depth[50, 50] == pytest.approx(1.8, abs=1e-5)
    points = world.point_cloud(CAMERA, 101, 101)
    mask = world.render(CAMERA, 101, 101, "mask")
    (ball,) = (i.id for i in world.instances() if i.name == "ball")
    on_ball = points[mask[np.isfinite(depth)] == ball]
    assert len(on_ball) > 100
    assert np.allclose(np.linalg.norm(on_ball - [0.0, 0.0, 0.5], axis=1), 0.2, atol=1e-5)


def test_intrinsics_and_pose_project_points(world: ropewalk.World) -> None:
    k, pose = CAMERA.intrinsics(101, 101), CAMERA.pose
    assert k.shape == (3, 3) and pose.shape == (4, 4)
    local = np.linalg.inv(pose) @ [0.1, 0.0, 0.6, 1.0]
    column, row, w = k @ local[:3]
    assert column / w > 50.5 and row / w < 50.5
    assert np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3))
    flat = ropewalk.Camera(eye=(0, -2, 0), orthographic_height=2.0)
    with pytest.raises(ValueError, match="orthographic"):
        flat.intrinsics()


def test_masks_have_the_numbers_of_instances(world: ropewalk.World) -> None:
    found = {i.id: (i.kind, i.name) for i in world.instances()}
    assert sorted(found.values()) == [("body", "ball"), ("body", "ground"), ("rod", "line")]
    assert set(np.unique(world.render("front", mode="mask"))) <= {0, *found}


@pytest.mark.parametrize(
    ("camera", "size", "word"),
    [
        (ropewalk.Camera(eye=(float("nan"), 0, 0)), (64, 48), "eye"),
        (ropewalk.Camera(eye=(0, 0, 0)), (64, 48), "eye and target"),
        (ropewalk.Camera(eye=(1, 0, 0), field_of_view=0.0), (64, 48), "fov"),
        (CAMERA, (0, 0), "width"),
        (CAMERA, (5000, 5000), "5000x5000"),
        ("sideways", (64, 48), "sideways"),
    ],
)
def test_bad_cameras_name_their_key(
    world: ropewalk.World, camera: ropewalk.Camera | str, size: tuple[int, int], word: str
) -> None:
    with pytest.raises(ValueError, match=word):
        world.render(camera, *size)


def test_recordings_look_like_their_world(world: ropewalk.World, tmp_path: Path) -> None:
    with world.record(tmp_path / "run.mcap", rate=100.0):
        world.step(50)
    recording = ropewalk.Recording(tmp_path / "run.mcap")
    last, now = recording.render(-1, CAMERA, 80, 60), world.render(CAMERA, 80, 60)
    assert np.abs(last.astype(int) - now).mean() < 1.0
    assert not np.array_equal(recording.render(0, CAMERA, 80, 60), last)
    with pytest.raises(IndexError, match="frame is 99"):
        recording.render(99)


def test_films(world: ropewalk.World, tmp_path: Path) -> None:
    images = [world.render(CAMERA, 64, 48) for _ in range(3)]
    ropewalk.write_film(tmp_path / "film.gif", images, fps=20)
    assert (tmp_path / "film.gif").read_bytes().startswith(b"GIF89a")
    with pytest.raises(ValueError, match="should end in"):
        ropewalk.write_film(tmp_path / "film.avi", images)
    try:
        import av  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match=r"pip install av"):
            ropewalk.write_film(tmp_path / "film.mp4", images)
    else:
        ropewalk.write_film(tmp_path / "film.mp4", images, fps=20)
        assert b"ftyp" in (tmp_path / "film.mp4").read_bytes()[:32]


def test_things_have_the_color_of_their_scene() -> None:
    world = ropewalk.World.from_toml(SCENE, {"body.ball.color": [1.0, 0.0, 0.0, 1.0]})
    red, green, blue = (int(v) for v in world.render(CAMERA, 101, 101)[50, 50])
    assert red > 2 * max(green, blue)
    with pytest.raises(ropewalk.SceneError, match="color"):
        ropewalk.World.from_toml(SCENE, {"body.ball.color": [2.0, 0.0, 0.0, 1.0]})

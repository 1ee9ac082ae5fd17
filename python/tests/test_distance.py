"""ropewalk.inspect.distance against the reference poses."""

from typing import Any

import numpy as np
import pytest
from rods import load

from ropewalk.inspect import distance

CASES = load("point_distances.json")["cases"]
CLOSED = {"sphere-sphere", "sphere-capsule", "sphere-box", "capsule-capsule"}
HOME = {"p": [0.0, 0.0, 0.0], "quat_xyzw": [0.0, 0.0, 0.0, 1.0]}


def matrix(quat_wxyz: Any) -> np.ndarray:
    w, x, y, z = quat_wxyz
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["pair"])
def test_reference(case: dict[str, Any]) -> None:
    found = distance(case["A"], case["X_WA"], case["B"], case["X_WB"])
    assert set(found) == {"distance", "normal_ba", "point_a", "point_b"}
    tolerance = 1e-12 if case["pair"] in CLOSED or case["pair"].endswith("half_space") else 1e-7
    exact = case["exact"]
    assert abs(found["distance"] - exact["distance"]) <= tolerance
    assert np.linalg.norm(found["normal_ba"] - exact["nhat_BA_W"]) <= 1e-5
    apart = found["point_a"] - found["point_b"]
    assert np.abs(apart - found["distance"] * found["normal_ba"]).max() <= 1e-12


@pytest.mark.parametrize("case", CASES[::8], ids=lambda c: c["pair"])
def test_rotations_may_be_given_in_three_ways(case: dict[str, Any]) -> None:
    w, x, y, z = case["X_WA"]["quat_wxyz"]
    pose_b = {"p": case["X_WB"]["p"], "R": matrix(case["X_WB"]["quat_wxyz"])}
    one = distance(case["A"], {"p": case["X_WA"]["p"], "quat_xyzw": [x, y, z, w]}, case["B"], pose_b)
    two = distance(case["A"], case["X_WA"], case["B"], case["X_WB"])
    assert abs(one["distance"] - two["distance"]) <= 1e-14
    assert np.abs(one["normal_ba"] - two["normal_ba"]).max() <= 1e-9


def test_surfaces_and_hulls() -> None:
    corners = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    ball = {"type": "sphere", "radius": 0.5}
    above = {**HOME, "p": [0.2, 0.1, 2.0]}
    found = distance(ball, above, {"type": "convex", "vertices": corners}, HOME)
    assert abs(found["distance"] - 0.5) <= 1e-15
    field = {"type": "heightfield", "size_x": 4.0, "size_y": 4.0, "heights": np.zeros((3, 3))}
    assert abs(distance(ball, above, field, HOME)["distance"] - 1.5) <= 1e-15
    below = {**HOME, "p": [0.2, 0.1, -0.3]}
    found = distance(ball, below, field, HOME)
    assert abs(found["distance"] + 0.8) <= 1e-15
    assert np.abs(found["normal_ba"] - [0, 0, 1]).max() <= 1e-15


def test_bad_input_is_named() -> None:
    ball = {"type": "sphere", "radius": 0.5}
    for shape, words in [
        ({"type": "ball", "radius": 1.0}, r"shape_a\['type'\] is 'ball'"),
        ({"type": "sphere"}, "shape_a has no key 'radius'"),
        ({"type": "sphere", "radius": 1.0, "lenght": 2.0}, "unknown key 'lenght'"),
        ({"type": "sphere", "radius": -1.0}, "shape_a: the radius of a sphere is -1"),
        ({"type": "box", "size": [1.0, 2.0]}, r"shape_a\['size'\]"),
        ({"type": "convex", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}, "lie in a plane"),
    ]:
        with pytest.raises(ValueError, match=words):
            distance(shape, HOME, ball, HOME)
    for pose, words in [
        ({"p": [0, 0, 0]}, "pose_b has no rotation"),
        ({"p": [0, 0, 0], "quat_xyzw": [1.0, 1.0, 0.0, 0.0]}, r"pose_b\['quat_xyzw'\] has the length"),
        ({"p": [0, 0, 0], "R": -np.eye(3)}, "not a rotation"),
        ({"p": [0, 0], "R": np.eye(3)}, r"pose_b\['p'\]"),
    ]:
        with pytest.raises(ValueError, match=words):
            distance(ball, HOME, ball, pose)
    with pytest.raises(ValueError, match="half_space"):
        distance({"type": "half_space"}, HOME, {"type": "half_space"}, HOME)

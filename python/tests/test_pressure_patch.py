"""ropewalk.inspect.pressure_patch against the reference patches, and what must hold for any."""

from typing import Any

import numpy as np
import pytest
from rods import load

from ropewalk.inspect import PressurePatch, pressure_patch

FILE = load("pressure_patches.json")
HOME = {"p": [0.0, 0.0, 0.0], "R": np.eye(3)}
TETRAHEDRON = {
    "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    "tets": [[0, 1, 2, 3]],
    "pressure": [0.0, 0.0, 0.0, 1.0],
}


def patch(case: dict[str, Any], **options: bool) -> PressurePatch:
    meshes = FILE["meshes"]
    return pressure_patch(meshes[case["A"]], case["X_WA"], meshes[case["B"]], case["X_WB"], **options)


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda c: c["name"])
def test_reference(case: dict[str, Any]) -> None:
    found, expected = patch(case), case["brute"]
    assert set(found) == {"force_on_a", "area", "centroid", "polygons"}
    force = np.array(expected["force_on_A"])
    assert np.linalg.norm(found["force_on_a"] - force) <= 1e-10 * np.linalg.norm(force)
    assert abs(found["area"] / expected["area"] - 1) <= 1e-5
    assert np.linalg.norm(found["centroid"] - expected["centroid"]) <= 1e-7
    assert len(found["polygons"]) == expected["faces"]


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda c: c["name"])
def test_polygons_are_the_patch(case: dict[str, Any]) -> None:
    found = patch(case)
    force = sum(p["area"] * p["pressure"] * p["normal_ba"] for p in found["polygons"])
    assert np.linalg.norm(force - found["force_on_a"]) <= 1e-12 * np.linalg.norm(force)
    for p in found["polygons"]:
        assert abs(p["gap"] * p["stiffness"] + p["area"] * p["pressure"]) <= 1e-12 * p["area"] * p["pressure"]
        corners = p["vertices"]
        # The center of pressure is a mean of the corners, so in the box about them.
        assert np.all(p["point"] >= corners.min(axis=0) - 1e-12) and np.all(p["point"] <= corners.max(axis=0) + 1e-12)
        spokes = corners[1:] - corners[0]
        area = 0.5 * np.linalg.norm(np.cross(spokes[:-1], spokes[1:]).sum(axis=0))
        assert abs(area - p["area"]) <= 1e-9 * p["area"] + 1e-20
        # Corners lie in the plane: sharp polygons of 1e-12 m^2 keep fewer digits.
        assert np.abs((corners - p["centroid"]) @ p["normal_ba"]).max() <= 1e-9


def test_the_fade_takes_from_polygons_and_never_adds() -> None:
    for case in FILE["cases"]:
        assert patch(case, fade=True)["area"] <= patch(case)["area"] * (1 + 1e-12)
    turned = next(c for c in FILE["cases"] if c["name"].startswith("random_0"))
    assert patch(turned, fade=True)["area"] < 0.99999 * patch(turned)["area"]


def test_apart_is_empty_and_has_no_nan() -> None:
    found = pressure_patch(TETRAHEDRON, HOME, TETRAHEDRON, {**HOME, "p": [5.0, 0.0, 0.0]})
    assert found["area"] == 0.0 and found["polygons"] == []
    assert np.array_equal(found["force_on_a"], np.zeros(3)) and np.array_equal(found["centroid"], np.zeros(3))


def test_bad_input_is_named() -> None:
    for change, words in [
        ({"tets": [[0, 1, 2, 9]]}, "mesh_a: tetrahedron 0 .* names vertex 9"),
        ({"tets": [[0, 1, 2, -1]]}, r"mesh_a\['tets'\] has the entry -1"),
        ({"tets": [[0, 1, 2]]}, r"mesh_a\['tets'\] has the shape"),
        ({"pressure": [0.0, 1.0]}, "4 vertices but 2 pressures"),
        ({"pressure": [0.0, 0.0, 0.0, -1.0]}, "vertex 3 .* pressure -1"),
        ({"pressure": [0.0, 0.0, 0.0, float("nan")]}, "vertex 3"),
        ({"pressure": [0.0, 0.0, 0.0, 0.0]}, "at least one tetrahedron"),
        ({"tetrahedra": []}, "unknown key 'tetrahedra'"),
    ]:
        with pytest.raises(ValueError, match=words):
            pressure_patch({**TETRAHEDRON, **change}, HOME, TETRAHEDRON, HOME)
    with pytest.raises(ValueError, match="pose_b has no rotation"):
        pressure_patch(TETRAHEDRON, HOME, TETRAHEDRON, {"p": [0.0, 0.0, 0.0]})

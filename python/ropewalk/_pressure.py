"""Patches of pressure fields: :func:`ropewalk.inspect.pressure_patch`."""

from collections.abc import Mapping
from typing import Any, TypedDict

from ropewalk import _arrays, _core
from ropewalk._arrays import FloatArray
from ropewalk._distance import _keys, _mapping, _pose


class PatchPolygon(TypedDict):
    """A plane piece of a contact patch, in world axes."""

    area: float
    """Area that counts in m^2."""
    centroid: FloatArray
    """Centroid in m, shape (3,)."""
    point: FloatArray
    """Where the force acts: the center of pressure of the polygon in m, shape (3,)."""
    normal_ba: FloatArray
    """Unit normal from B to A, shape (3,)."""
    pressure: float
    """Pressure at the centroid in Pa."""
    gap: float
    """phi = -p/g in m, below 0, with 1/g = 1/g_A + 1/g_B, g_A = grad p_A . n, g_B = -grad p_B . n."""
    stiffness: float
    """k = area g in N/m; -k phi is the normal force."""
    vertices: FloatArray
    """Corners in m, in order, shape (m, 3)."""


class PressurePatch(TypedDict):
    """Result of :func:`ropewalk.inspect.pressure_patch`."""

    force_on_a: FloatArray
    """Force on A in N, shape (3,); that on B is opposite."""
    area: float
    """Area in m^2; 0 if the bodies do not touch."""
    centroid: FloatArray
    """Centroid of the area in m, shape (3,); zeros if the bodies do not touch."""
    polygons: list[PatchPolygon]
    """The pieces of the patch."""


def _mesh(name: str, value: object) -> dict[str, object]:
    """A mesh with pressures as the compiled part takes it."""
    mesh = _mapping(name, value)
    _keys(name, mesh, ("vertices", "tets", "pressure"))
    return {
        "vertices": _arrays.vectors(f"{name}['vertices']", mesh["vertices"]),
        "tets": _arrays.index_rows(f"{name}['tets']", mesh["tets"], 4),
        "pressure": _arrays.list_of(f"{name}['pressure']", mesh["pressure"]),
    }


def pressure_patch(
    mesh_a: Mapping[str, Any],
    pose_a: Mapping[str, Any],
    mesh_b: Mapping[str, Any],
    pose_b: Mapping[str, Any],
    *,
    fade: bool = False,
) -> PressurePatch:
    """The contact patch of two pressure fields: where they are equal, as polygons, one for each pair of tetrahedra.

    Meshes are dictionaries with "vertices" (shape (n, 3), in m, in the mesh's own frame), "tets" (shape (m, 4),
    indices of vertices from 0, in any orientation) and "pressure" (shape (n,), in Pa, not below 0); the field is linear
    in each tetrahedron. Poses are dictionaries as in :func:`ropewalk.inspect.distance`.

    Args:
        mesh_a, mesh_b: fields A and B.
        pose_a, pose_b: their poses in the world.
        fade: how polygons are treated on which a pressure falls towards its own solid. False: a polygon counts in full as
            long as its normal is within 5 pi/8 of grad p_A and of -grad p_B, and not at all beyond. True: as in the
            simulator, gradually less between right angles and 5 pi/8, so that the force does not jump as bodies turn.

    Returns:
        A dictionary, :class:`PressurePatch`, in world axes.

    Raises:
        ValueError: a mesh or a pose is not as above, or a mesh has no tetrahedron with a volume and a pressure.
    """
    return _core.pressure_patch(
        _mesh("mesh_a", mesh_a), _pose("pose_a", pose_a), _mesh("mesh_b", mesh_b), _pose("pose_b", pose_b),
        _arrays.truth("fade", fade),
    )  # fmt: skip

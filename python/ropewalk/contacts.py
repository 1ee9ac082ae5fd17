"""Contacts and patches, of a world and of a recording, as structured arrays."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ropewalk import _core
from ropewalk._arrays import FloatArray

__all__ = ["CONTACT_DTYPE", "PATCH_DTYPE", "POLYGON_DTYPE"]

_CONTACT = [
    ("rod", np.int64, (2,)),
    ("edge", np.int64, (2,)),
    ("tree", np.int64, (2,)),
    ("link", np.int64, (2,)),
    ("shape", np.int64, (2,)),
    ("fraction", np.float64, (2,)),
    ("point", np.float64, (3,)),
    ("normal", np.float64, (3,)),
    ("gap", np.float64, ()),
    ("friction", np.float64, ()),
    ("force", np.float64, (3,)),
    ("velocity", np.float64, (3,)),
    ("slip", np.float64, (3,)),
    ("area", np.float64, ()),
]

CONTACT_DTYPE = np.dtype(_CONTACT)
"""Fields of a contact. The first five say what its two sides are, with -1 where there is none:

- ``rod``, ``edge``, ``fraction`` (0 to 1): a place on an edge of a rod;
- ``tree``, ``link``, ``shape``: a shape of a body or of a robot's link, counted among those of the link.

``point``: half way between the surfaces at the start of the sub-step, m. ``normal``: unit, from the second side to the
first. ``gap``: distance of the surfaces at the start of the sub-step in m, negative in overlap. ``friction``: coefficient
of the pair. ``force``: on the first side in N, normal and friction together. ``velocity``: of the first side relative to
the second in m/s; ``slip``: its part along the surface. ``area``: of a polygon of a patch in m^2, 0 for a point.
"""

_PATCH = [
    ("rod", np.int64, (2,)),
    ("tree", np.int64, (2,)),
    ("link", np.int64, (2,)),
    ("shape", np.int64, (2,)),
    ("polygons", np.int64, ()),
    ("center_of_pressure", np.float64, (3,)),
    ("area", np.float64, ()),
    ("force", np.float64, (3,)),
    ("normal_force", np.float64, ()),
    ("mean_pressure", np.float64, ()),
    ("peak_pressure", np.float64, ()),
]

PATCH_DTYPE = np.dtype(_PATCH)
"""Fields of a patch: all ``polygons`` between a rod or shape and another, together.

``rod``, or ``tree``, ``link`` and ``shape`` of its two sides are those of a contact, with -1 where there is none.
``center_of_pressure``: in m. ``area``: in m^2. ``force``: on the first side in N, normal and friction together.
``normal_force``: of all polygons, summed, in N. ``mean_pressure``: normal force per area in Pa; ``peak_pressure``: the
greatest of a polygon in Pa.
"""

POLYGON_DTYPE = np.dtype(
    [
        ("patch", np.int64, ()),
        ("edge", np.int64, (2,)),
        ("first_corner", np.int64, ()),
        ("corner_count", np.int64, ()),
        ("area", np.float64, ()),
        ("pressure", np.float64, ()),
        ("normal", np.float64, (3,)),
        ("force", np.float64, (3,)),
    ]
)
"""Fields of a polygon of a patch, as it was at the start of the sub-step.

``patch``: the row of its patch. ``edge``: of the rods of its two sides, -1 where there is none. ``first_corner`` and
``corner_count``: its rows among the corners of all polygons. ``area``: in m^2. ``pressure``: normal force per area in Pa.
``normal``: unit, from the second side to the first. ``force``: on the first side in N, normal and friction together.
"""

RECORDED_CONTACT_DTYPE = np.dtype([("time", np.float64, ()), *_CONTACT])
RECORDED_TOUCH_DTYPE = np.dtype(
    [
        ("time", np.float64, ()),
        ("gap", np.float64, ()),
        ("point", np.float64, (3,)),
        ("force", np.float64, (3,)),
        ("sides", np.int64, (2,)),
    ]
)
RECORDED_PATCH_DTYPE = np.dtype([("time", np.float64, ()), *_PATCH])


def contact_array(world: _core.World, touching: bool) -> NDArray[np.void]:
    """The contacts of the last sub-step; with ``touching``, only those that push."""
    out = _assemble(CONTACT_DTYPE, *world.contacts())
    return out[np.any(out["force"] != 0.0, axis=1)] if touching else out


def batch_contact_array(batch: _core.Batch, count: int, touching: bool) -> NDArray[np.void]:
    """The contacts of the last sub-step of all worlds of a batch, with the number of the world."""
    columns = [batch.contacts(world) for world in range(count)]
    out = np.empty(sum(len(whole) for whole, _ in columns), dtype=[("world", np.int64), *_CONTACT])
    start = 0
    for world, (whole, real) in enumerate(columns):
        rows = out[start : start + len(whole)]
        rows["world"] = world
        found = _assemble(CONTACT_DTYPE, whole, real)
        for name in CONTACT_DTYPE.names or ():
            rows[name] = found[name]
        start += len(whole)
    return out[np.any(out["force"] != 0.0, axis=1)] if touching else out


def patch_array(world: _core.World) -> NDArray[np.void]:
    """The patches of the last sub-step."""
    return _assemble(PATCH_DTYPE, *world.patches())


def polygon_array(world: _core.World) -> NDArray[np.void]:
    """The polygons of the patches of the last sub-step."""
    return _assemble(POLYGON_DTYPE, *world.polygons())


def _assemble(dtype: np.dtype[np.void], whole: NDArray[np.int64], real: NDArray[np.float64]) -> NDArray[np.void]:
    """A structured array from the columns of its whole and of its real numbers, each in the order of the fields."""
    out = np.empty(len(whole), dtype=dtype)
    at = {"i": 0, "f": 0}
    for name in dtype.names or ():
        field = dtype[name]
        kind, width = field.base.kind, int(np.prod(field.shape, dtype=np.int64))
        columns = (whole if kind == "i" else real)[:, at[kind] : at[kind] + width]
        out[name] = columns if field.shape else columns[:, 0]
        at[kind] += width
    return out


def recorded_contacts(arrays: Mapping[str, FloatArray]) -> NDArray[np.void]:
    """The contacts of a recording, from its arrays."""
    out = _take(RECORDED_CONTACT_DTYPE, arrays, "contacts")
    along_normal = np.sum(out["velocity"] * out["normal"], axis=1, keepdims=True)
    out["slip"] = out["velocity"] - along_normal * out["normal"]
    return out


def recorded_touches(arrays: Mapping[str, FloatArray]) -> NDArray[np.void]:
    """The contacts in the frames of a recording, from its arrays."""
    out = np.empty(len(arrays["touch/time"]), dtype=RECORDED_TOUCH_DTYPE)
    for name in RECORDED_TOUCH_DTYPE.names or ():
        out[name] = arrays[f"touch/{name}"]
    return out


def recorded_patches(arrays: Mapping[str, FloatArray]) -> NDArray[np.void]:
    """The patches of a recording, from its arrays."""
    out = _take(RECORDED_PATCH_DTYPE, arrays, "patches")
    out["polygons"] = np.bincount(arrays["polygons/patch"].astype(np.int64), minlength=len(out))
    return out


def recorded_polygons(arrays: Mapping[str, FloatArray]) -> NDArray[np.void]:
    """The polygons of a recording, from its arrays."""
    out = _take(POLYGON_DTYPE, arrays, "polygons")
    out["first_corner"] = np.cumsum(out["corner_count"]) - out["corner_count"]
    return out


def _take(dtype: np.dtype[np.void], arrays: Mapping[str, FloatArray], kind: str) -> NDArray[np.void]:
    """A structured array of the ``arrays`` of a kind; fields that are not among them are zero."""
    rows = {name.removeprefix(f"{kind}/"): array for name, array in arrays.items() if name.startswith(f"{kind}/")}
    out = np.zeros(len(rows["area"]), dtype=dtype)
    if (sides := rows.get("sides")) is not None:
        # (…, 2, 3): rod, edge, fraction; or -1 - tree, link, shape.
        is_rod = sides[..., 0] >= 0.0
        rows["rod"] = np.where(is_rod, sides[..., 0], -1.0)
        rows["edge"] = np.where(is_rod, sides[..., 1], -1.0)
        rows["fraction"] = np.where(is_rod, sides[..., 2], 0.0)
        rows["tree"] = np.where(is_rod, -1.0, -1.0 - sides[..., 0])
        rows["link"], rows["shape"] = (np.where(is_rod, -1.0, sides[..., k]) for k in (1, 2))
    for name in set(dtype.names or ()) & set(rows):
        out[name] = rows[name]
    return out

"""Contacts and patches of a world as structured arrays."""

import numpy as np
from numpy.typing import NDArray

from ropewalk import _core

__all__ = ["CONTACT_DTYPE", "PATCH_DTYPE", "contact_array", "patch_array"]

_SIDES = [
    ("rod", np.int64, (2,)),
    ("edge", np.int64, (2,)),
    ("tree", np.int64, (2,)),
    ("link", np.int64, (2,)),
    ("shape", np.int64, (2,)),
]

CONTACT_DTYPE = np.dtype(
    [
        *_SIDES,
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
)
"""Fields of a contact. The first five say what its two sides are, with -1 where there is none:

- ``rod``, ``edge``, ``fraction`` (0 to 1): a place on an edge of a rod;
- ``tree``, ``link``, ``shape``: a shape of a body or of a robot's link.

``point``: half way between the surfaces at the start of the sub-step, m. ``normal``: unit, from the second side to the
first. ``gap``: distance of the surfaces at the start of the sub-step in m, negative in overlap. ``friction``: coefficient
of the pair. ``force``: on the first side in N, normal and friction together. ``velocity``: of the first side relative to
the second in m/s; ``slip``: its part along the surface. ``area``: of a polygon of a patch in m^2, 0 for a point.
"""

PATCH_DTYPE = np.dtype(
    [
        *_SIDES,
        ("polygons", np.int64, ()),
        ("fraction", np.float64, (2,)),
        ("centre_of_pressure", np.float64, (3,)),
        ("area", np.float64, ()),
        ("force", np.float64, (3,)),
        ("normal_force", np.float64, ()),
    ]
)
"""Fields of a patch: all polygons between a rod or shape and another, together.

The sides are those of a contact, with the edges of the first of its ``polygons``. ``centre_of_pressure``: in m. ``area``:
in m^2. ``force``: on the first side in N. ``normal_force``: of all polygons, summed, in N.
"""


def contact_array(world: _core.World, touching: bool) -> NDArray[np.void]:
    """The contacts of the last sub-step; with ``touching``, only those that push."""
    out = _assemble(CONTACT_DTYPE, *world.contacts())
    return out[np.any(out["force"] != 0.0, axis=1)] if touching else out


def patch_array(world: _core.World) -> NDArray[np.void]:
    """The patches of the last sub-step."""
    return _assemble(PATCH_DTYPE, *world.patches())


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

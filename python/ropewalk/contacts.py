"""Contacts of a world as a structured array."""

import numpy as np
from numpy.typing import NDArray

from ropewalk import _core

__all__ = ["CONTACT_DTYPE", "contact_array"]

CONTACT_DTYPE = np.dtype(
    [
        ("rod", np.int64, (2,)),
        ("edge", np.int64, (2,)),
        ("tree", np.int64, (2,)),
        ("link", np.int64, (2,)),
        ("shape", np.int64, (2,)),
        ("fraction", np.float64, (2,)),
        ("point", np.float64, (3,)),
        ("normal", np.float64, (3,)),
        ("gap", np.float64),
        ("friction", np.float64),
        ("force", np.float64, (3,)),
        ("velocity", np.float64, (3,)),
        ("slip", np.float64, (3,)),
    ]
)
"""Fields of a contact. The first five say what its two sides are, with -1 where there is none:

- ``rod``, ``edge``, ``fraction`` (0 to 1): a place on an edge of a rod;
- ``tree``, ``link``, ``shape``: a shape of a body or of a robot's link.

``point``: half way between the surfaces at the start of the sub-step, m. ``normal``: unit, from the second side to the
first. ``gap``: distance of the surfaces at the start of the sub-step in m, negative in overlap. ``friction``: coefficient
of the pair. ``force``: on the first side in N, normal and friction together. ``velocity``: of the first side relative to
the second in m/s; ``slip``: its part along the surface.
"""

_WHOLE = ("rod", "edge", "tree", "link", "shape")


def contact_array(world: _core.World, touching: bool) -> NDArray[np.void]:
    """The contacts of the last sub-step; with ``touching``, only those that push."""
    indices, numbers = world.contacts()
    out = np.empty(len(indices), dtype=CONTACT_DTYPE)
    for k, name in enumerate(_WHOLE):
        out[name] = indices[:, 2 * k : 2 * k + 2]
    at = 0
    for name in CONTACT_DTYPE.names[len(_WHOLE) :] if CONTACT_DTYPE.names else ():
        width = int(np.prod(CONTACT_DTYPE[name].shape, dtype=np.int64))
        part = numbers[:, at : at + width]
        out[name] = part if CONTACT_DTYPE[name].shape else part[:, 0]
        at += width
    return out[np.any(out["force"] != 0.0, axis=1)] if touching else out

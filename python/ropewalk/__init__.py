"""Ropewalk: ropes, cables and soft filaments.

SI units, radians, z up; arrays are numpy float64.

- :mod:`ropewalk.inspect`: the building blocks of the simulator as functions of plain arrays.
"""

from ropewalk import inspect
from ropewalk._core import __version__

__all__ = ["__version__", "inspect"]

"""Arguments as contiguous float64 arrays; what cannot be one is a ValueError that names the argument."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def _numbers(name: str, value: ArrayLike, kinds: str, what: str) -> NDArray[np.generic]:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not an array of {what}: {error}") from None
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name} has entries of type {array.dtype}, expected {what}")
    return array


def _floats(name: str, value: ArrayLike) -> FloatArray:
    return np.ascontiguousarray(_numbers(name, value, "fiu", "real numbers"), dtype=np.float64)


def floats(name: str, value: ArrayLike) -> FloatArray:
    """An array of any shape; a number has the shape (1,)."""
    return _floats(name, value)


def _refuse(name: str, array: NDArray[np.generic], expected: str) -> ValueError:
    return ValueError(f"{name} has the shape {array.shape}, expected {expected}")


def list_of(name: str, value: ArrayLike) -> FloatArray:
    """An array of shape (m,)."""
    array = _floats(name, value)
    # ascontiguousarray makes a number an array of one entry, so the argument itself is asked.
    if array.ndim != 1 or np.ndim(value) != 1:
        raise ValueError(f"{name} has the shape {np.shape(value)}, expected (m,)")
    return array


def number_or_list(name: str, value: ArrayLike) -> FloatArray:
    """An array of shape (m,), of one entry for a number."""
    array = _floats(name, value)
    if array.ndim != 1:
        raise _refuse(name, array, "a number or (m,)")
    return array


def matrix(name: str, value: ArrayLike) -> FloatArray:
    """An array of shape (m, n)."""
    array = _floats(name, value)
    if array.ndim != 2:
        raise _refuse(name, array, "(m, n)")
    return array


def vectors(name: str, value: ArrayLike) -> FloatArray:
    """An array of shape (m, 3)."""
    array = _floats(name, value)
    if array.ndim != 2 or array.shape[1] != 3:
        raise _refuse(name, array, "(m, 3)")
    return array


def vector(name: str, value: ArrayLike) -> tuple[float, float, float]:
    """Three numbers."""
    array = _floats(name, value)
    if array.shape != (3,):
        raise _refuse(name, array, "(3,)")
    x, y, z = array.tolist()
    return x, y, z


def number(name: str, value: ArrayLike) -> float:
    """One number."""
    array = _numbers(name, value, "fiu", "a real number")
    if array.ndim != 0:
        raise _refuse(name, array, "one number")
    return float(array)


def indices(name: str, value: ArrayLike) -> NDArray[np.int64]:
    """Whole numbers, of shape (m,); an empty list will do."""
    if np.size(np.asarray(value)) == 0:
        return np.zeros(0, dtype=np.int64)
    array = _numbers(name, value, "iu", "whole numbers")
    if array.ndim != 1:
        raise _refuse(name, array, "(m,)")
    return np.ascontiguousarray(array, dtype=np.int64)


def index_rows(name: str, value: ArrayLike, width: int) -> NDArray[np.int64]:
    """Whole numbers, of shape (m, width)."""
    array = np.asarray(value)
    if array.ndim != 2 or array.shape[1] != width or array.dtype.kind not in "iu":
        raise ValueError(f"{name} has the shape {array.shape}, expected whole numbers of the shape (m, {width})")
    return np.ascontiguousarray(array, dtype=np.int64)


def truth(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}, expected True or False")
    return bool(value)

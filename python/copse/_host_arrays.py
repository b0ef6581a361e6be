"""Arrays on the host."""

from __future__ import annotations

import numpy as np

from ._array import CPU, Array, Wanted, check_range
from ._errors import ArrayError


def read_host(wanted: Wanted, array: np.ndarray, kind: str) -> Array:
    """Reads an array of NumPy, or one that NumPy views."""
    if not wanted.fits(array.shape):
        wanted.refuse(array.shape, str(array.dtype), CPU)
    if str(array.dtype) not in wanted.dtypes:
        if not wanted.convert:
            wanted.refuse(array.shape, str(array.dtype), CPU, wanted.remedy)
        array = _converted(wanted.name, array, wanted.dtypes[0])
    if wanted.convert and not array.flags.aligned:
        array = array.copy()
    if not wanted.takes_rows(array.shape, array.strides, array.itemsize):
        if not wanted.convert:
            wanted.refuse_rows(array.shape, str(array.dtype), array.strides, CPU)
        array = np.ascontiguousarray(array)
    return Array(array.ctypes.data, array.shape, array.strides, CPU, 0, kind, array, array.itemsize)


def _converted(name: str, array: np.ndarray, dtype: str) -> np.ndarray:
    """Copies an array to another type. Raises ArrayError for what is no number, and for integers that do not fit."""
    if array.dtype.kind not in "biuf":
        raise ArrayError(f"{name} has elements of the type {array.dtype}, which cannot be converted to {dtype}")
    if np.issubdtype(np.dtype(dtype), np.integer) and array.size > 0:
        if array.dtype.kind == "f" and not np.array_equal(array, np.rint(array)):
            raise ArrayError(f"{name} has values of {array.dtype} that are no whole numbers; {dtype} is needed")
        check_range(name, array.min(), array.max(), dtype)
    return np.ascontiguousarray(array, dtype=dtype)

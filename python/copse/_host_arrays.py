"""Arrays on the host."""

from __future__ import annotations

import numpy as np

from ._array import CPU, Array, Wanted, check_conversion


def read_host(wanted: Wanted, array: np.ndarray, kind: str) -> Array:
    """Reads an array of NumPy, or one that NumPy views."""
    if not wanted.fits(array.shape):
        wanted.refuse(array.shape, str(array.dtype), CPU)
    if str(array.dtype) not in wanted.dtypes:
        if not wanted.convert:
            wanted.refuse_layout(array.shape, str(array.dtype), array.strides, CPU)
        check_conversion(wanted.name, array, array.dtype.kind, wanted.dtypes[0])
        array = np.ascontiguousarray(array, dtype=wanted.dtypes[0])
    if wanted.convert and not array.flags.aligned:
        array = array.copy()
    if not wanted.takes_rows(array.shape, array.strides, array.itemsize):
        if not wanted.convert:
            wanted.refuse_layout(array.shape, str(array.dtype), array.strides, CPU)
        array = np.ascontiguousarray(array)
    return Array(array.ctypes.data, array.shape, array.strides, CPU, 0, kind, array, array.itemsize)

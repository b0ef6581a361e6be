"""Arrays on the host."""

from __future__ import annotations

import numpy as np

from ._array import CPU, Array, Wanted, check_conversion


def read_host(wanted: Wanted, array: np.ndarray, kind: str) -> Array:
    """Reads an array of NumPy, or one that NumPy views."""
    if not wanted.fits(array.shape):
        wanted.refuse(array.shape, str(array.dtype), CPU)
    dtype = str(array.dtype)
    is_taken = dtype in wanted.dtypes and wanted.takes_rows(array.shape, array.strides, array.itemsize)
    if not is_taken and not wanted.convert:
        wanted.refuse_layout(array.shape, dtype, array.strides, CPU)
    if wanted.convert and not (is_taken and array.flags.aligned):
        if dtype not in wanted.dtypes:
            dtype = wanted.dtypes[0]
            check_conversion(wanted.name, array, array.dtype.kind, dtype)
        array = np.array(array, dtype, order="C")
    return Array(array.ctypes.data, array.shape, array.strides, CPU, 0, kind, array, array.itemsize)

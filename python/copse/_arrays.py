"""Arrays of the caller: NumPy, the buffer protocol, __array_interface__, __cuda_array_interface__ and __dlpack__. They are
used in place. What does not fit is refused, unless the caller asks to convert it."""

from __future__ import annotations

import sys
from typing import Any, Optional, Sequence

import numpy as np

from ._array import CPU, Array, Wanted, fits, kind_of, packed_strides
from ._device_arrays import read_cuda, read_dlpack, read_torch
from ._errors import ArrayError
from ._host_arrays import read_host

__all__ = ["CPU", "Array", "is_number", "kind_of", "packed_strides", "read", "to_numpy", "version_of"]

_FLOAT32, _FLOATS = np.dtype(np.float32), ("float32",)


def read(
    name: str,
    value: Any,
    shapes: Sequence[Sequence[Optional[int]]],
    dtypes: Sequence[str] = _FLOATS,
    convert: Optional[bool] = False,
    packed: bool = False,
    may_overlap: bool = False,
) -> Array:
    """Returns an array of one of the shapes and types. The numbers of a row are packed. Rows may stand apart, at any
    multiple of 4 bytes, unless packed is true. If may_overlap is true, they may share memory.

    shapes: None stands for any size. If convert is true, an array is copied to the first type and to packed rows where it
    has to be; None is for a call that has no such option. Raises ArrayError with shape, type and device.
    """
    is_numpy = type(value) is np.ndarray
    if is_numpy and value.dtype is _FLOAT32 and dtypes is _FLOATS and _is_packed(value) and fits(value.shape, shapes):
        return Array(value.ctypes.data, value.shape, value.strides, CPU, 0, "numpy", value, 4)
    wanted = Wanted(name, shapes, dtypes, convert, packed, may_overlap)
    if is_numpy:
        return read_host(wanted, value, "numpy")
    torch = _torch_of(value)
    if torch is not None:
        return read_torch(wanted, value, torch)
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return read_cuda(wanted, value, interface)
    return _read_other(wanted, value)


def _is_packed(array: np.ndarray) -> bool:
    return array.flags.c_contiguous and array.flags.aligned


def _read_other(wanted: Wanted, value: Any) -> Array:
    """Reads what is neither of NumPy nor has __cuda_array_interface__."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        wanted.refuse(value.shape, str(value.dtype), CPU, "; it has a mask, which is not supported")
    kind = kind_of(value)
    if hasattr(value, "__array_interface__"):
        return read_host(wanted, np.asarray(value), kind)
    try:
        return read_host(wanted, np.asarray(memoryview(value)), kind)
    except TypeError:
        pass
    if hasattr(value, "__dlpack__"):
        return read_dlpack(wanted, value, kind)
    if wanted.convert:
        return read_host(wanted, np.asarray(value), "numpy")
    raise ArrayError(
        f"{wanted.name} is a {type(value).__name__}; an array is needed: NumPy, PyTorch, CuPy, or anything with the buffer "
        "protocol, __array_interface__, __dlpack__ or __cuda_array_interface__"
        + ("" if wanted.convert is None else "; convert=True makes one of it")
    )


def _torch_of(value: Any):
    """Returns the module torch if the value is one of its tensors, else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(value, torch.Tensor) else None


def version_of(value: Any) -> Optional[int]:
    """Returns how often a tensor of PyTorch was changed in place, or None for what does not count it."""
    if _torch_of(value) is None or value.is_inference():
        return None
    return value._version


def to_numpy(array: Array) -> np.ndarray:
    """Returns an array on the host as one of NumPy, without a copy."""
    return array.owner.detach().numpy() if array.kind == "torch" else np.asarray(array.owner)


def is_number(value: Any) -> bool:
    """Returns True for a number of Python or NumPy."""
    return isinstance(value, (int, float, np.integer, np.floating))

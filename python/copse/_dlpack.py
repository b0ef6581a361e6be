"""DLPack by ctypes: arrays of libraries that have nothing else, and our arrays for them. dlpack.h describes the structs."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import Any, Dict, Optional, Tuple

import numpy as np

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_LEGACY_STREAM = 1  # what DLPack calls CUDA's default stream
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("manager", c_void_p), ("deleter", _Deleter)]

# Functions of Python itself, for the capsules in which these structs travel.
_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.argtypes, _pointer_in.restype = [py_object, c_char_p], c_void_p
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes, _set_name.restype = [py_object, c_char_p], c_int32
_Destructor = ctypes.PYFUNCTYPE(None, c_void_p)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes, _new_capsule.restype = [c_void_p, c_char_p, _Destructor], py_object
# A destructor gets an object that is being destroyed, so it is passed on as an address.
_is_valid = ctypes.PYFUNCTYPE(c_int32, c_void_p, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_at = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_UNUSED, _USED = b"dltensor", b"used_dltensor"  # capsules keep these addresses


class Taken:
    """An array that was taken over from another library. It is given back with this object."""

    def __init__(self, value: Any, device_type: int):
        # On a GPU, the producer makes its work come before ours, which goes to the default stream.
        capsule = value.__dlpack__(stream=_LEGACY_STREAM) if device_type in (CUDA, CUDA_MANAGED) else value.__dlpack__()
        self._managed = ctypes.cast(_pointer_in(capsule, _UNUSED), POINTER(_Managed))
        _set_name(capsule, _USED)
        tensor = self._managed.contents.tensor
        self.shape = tuple(tensor.shape[: tensor.ndim])
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.typestr = f"{_KINDS.get(tensor.code, 'V')}{tensor.bits // 8}" if tensor.lanes == 1 else "V0"
        item_bytes = tensor.bits // 8
        self.strides: Optional[Tuple[int, ...]] = None  # bytes; None: packed
        if tensor.strides:
            self.strides = tuple(stride * item_bytes for stride in tensor.strides[: tensor.ndim])

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed and managed.contents.deleter:
            managed.contents.deleter(managed)


_given: Dict[int, tuple] = {}  # what other libraries hold, by the address of its struct


@_Deleter
def _take_back(managed: Any) -> None:
    _given.pop(ctypes.addressof(managed.contents), None)


@_Destructor
def _capsule_ends(capsule: int) -> None:
    if _is_valid(capsule, _UNUSED):
        _given.pop(_pointer_at(capsule, _UNUSED), None)


def give(owner: Any, address: int, shape: tuple, strides: Optional[tuple], dtype: np.dtype, ordinal: int) -> Any:
    """Returns a capsule of an array on a GPU. The array lives until the other library is done with it."""
    ndim = len(shape)
    sizes = (c_int64 * ndim)(*shape)
    if strides is None:
        steps = None
    else:
        steps = (c_int64 * ndim)(*[stride // dtype.itemsize for stride in strides])
    managed = _Managed(
        _Tensor(address, CUDA, ordinal, ndim, _CODES[dtype.kind], 8 * dtype.itemsize, 1, sizes, steps, 0), None, _take_back
    )
    at = ctypes.addressof(managed)
    _given[at] = (managed, sizes, steps, owner)
    return _new_capsule(at, _UNUSED, _capsule_ends)

"""Results: arrays of the caller's kind, on the caller's device."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np

from . import _arrays
from ._arrays import CPU, Array
from ._context import Context, Handle
from ._errors import ArrayError
from ._library import CONTEXT, HOST, call, library


@dataclass(frozen=True)
class Place:
    """Where results go: the kind of arrays that the caller gave."""

    context: Context
    is_device: bool
    is_torch: bool
    stream: int = 0


class DeviceArray:
    """An array in the memory of a GPU, for any library that takes __cuda_array_interface__, such as CuPy, Numba, Warp
    and PyTorch (torch.as_tensor). It keeps its memory."""

    def __init__(self, owner: Any, address: int, shape: tuple, strides: Optional[tuple], typestr: str, place: Place):
        self._owner, self._place = owner, place
        self.shape, self.dtype = shape, np.dtype(typestr)
        self.device = place.context.device
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (address, False),
            "strides": strides,
            "stream": place.stream or 1,
            "version": 3,
        }

    def __repr__(self) -> str:
        return f"<copse.DeviceArray {self.shape} of {self.dtype} on {self.device}>"


def _as_kind(array: Any, place: Place) -> Any:
    """Returns a NumPy array or a DeviceArray as the kind of array that the caller uses."""
    if not place.is_torch:
        return array
    torch = sys.modules["torch"]
    return torch.as_tensor(array, device=place.context.device) if place.is_device else torch.from_numpy(array)


class _Memory:
    """The bytes of results, on the host or on the device."""

    def __init__(self, place: Place, byte_count: int, host: Optional[np.ndarray]):
        self.host, self.buffer = host, None
        self.kind = CONTEXT if place.is_device else HOST
        if place.is_device:
            made = c_void_p()
            call("copse_buffer_create", place.context.address, max(byte_count, 1), byref(made))
            self.buffer = Handle("buffer", made.value)
            self.address = library.copse_buffer_data(made)
        else:
            self.address = host.ctypes.data


class Records:
    """Results of several numbers each. Every field is an array without a copy; `-1` stands for no triangle."""

    dtype: np.dtype

    def __init__(self, place: Place, shape: tuple):
        self.shape, self._place = shape, place
        host = None if place.is_device else np.empty(shape, self.dtype)
        self._memory = _Memory(place, int(np.prod(shape, dtype=np.int64)) * self.dtype.itemsize, host)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<copse.{type(self).__name__} {self.shape} on {self._place.context.device if self._place.is_device else CPU}>"

    @property
    def records(self) -> np.ndarray:
        """All fields as a structured NumPy array. Results on a GPU are copied to the host."""
        if not self._place.is_device:
            return self._memory.host
        host = np.empty(self.shape, self.dtype)
        call("copse_download", self._place.context.address, host.ctypes.data, self._memory.address, host.nbytes)
        return host

    def _field(self, name: str) -> Any:
        if not self._place.is_device:
            return _as_kind(self._memory.host[name], self._place)
        dtype, offset = self.dtype.fields[name][:2]
        base, inner = (dtype.subdtype or (dtype, ()))
        strides, step = [], self.dtype.itemsize
        for size in reversed(self.shape):
            strides.insert(0, step)
            step *= size
        strides += [base.itemsize] * len(inner)
        array = DeviceArray(
            self._memory, self._memory.address + offset, self.shape + inner, tuple(strides), base.str, self._place
        )
        return _as_kind(array, self._place)


def _records(name: str, fields: list, doc: str):
    """Makes a class of results with a property per field."""
    dtype = np.dtype([field[:-1] for field in fields])
    members = {"dtype": dtype, "__doc__": doc, "__module__": "copse"}
    for field in fields:
        members[field[0]] = property(lambda self, at=field[0]: self._field(at), doc=field[-1])
    return type(name, (Records,), members)


_T = ("t", "<f4", "Where the ray hits: origin + t * direction. On a miss, the t_max of the ray.")
_PRIMITIVE = ("primitive", "<i4", "Number of the triangle in its geometry, or -1.")
_GEOMETRY = ("geometry", "<i4", "Id of the geometry, or -1.")
_U = ("u", "<f4", "Weight of the second corner: the point is (1 - u - v) a + u b + v c.")
_V = ("v", "<f4", "Weight of the third corner.")
_DISTANCE = ("distance", "<f4", "Distance to the surface; infinite if nothing was found.")

Hits = _records("Hits", [_T, _PRIMITIVE, _GEOMETRY, _U, _V], "Hits of rays with triangles.")
InstanceHits = _records(
    "InstanceHits",
    [_T, _PRIMITIVE, _GEOMETRY, _U, _V, ("instance", "<i4", "Number of the instance, or -1.")],
    "Hits of rays with triangles of instances.",
)
Nearest = _records(
    "Nearest",
    [("point", "<f4", (3,), "The nearest point of the surface."), _DISTANCE, _PRIMITIVE, _GEOMETRY, _U, _V],
    "Nearest points of a surface.",
)
Neighbours = _records("Neighbours", [_DISTANCE, _PRIMITIVE, _GEOMETRY], "The nearest triangles, nearest first.")


def records_for(kind: type, out: Any, place: Place, shape: tuple) -> Any:
    """Returns `out`, if it fits, or new results."""
    if out is None:
        return kind(place, shape)
    if type(out) is not kind:
        raise ArrayError(f"out is a {type(out).__name__}; a copse.{kind.__name__} of an earlier call is needed")
    if out.shape != shape or out._place.is_device != place.is_device:
        raise ArrayError(f"out is {out!r}, but the results have the shape {shape}")
    return out


class Numbers:
    """Results of one number each: a plain array of the caller's kind."""

    def __init__(self, out: Any, place: Place, shape: tuple, dtype: str):
        if out is not None:
            self._take(out, place, shape, dtype)
            return
        host = None if place.is_device else np.empty(shape, dtype)
        memory = _Memory(place, int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize, host)
        self.address, self.kind, self.memory = memory.address, memory.kind, memory
        array = DeviceArray(memory, memory.address, shape, None, np.dtype(dtype).str, place) if place.is_device else host
        self.array = _as_kind(array, place)

    def _take(self, out: Any, place: Place, shape: tuple, dtype: str) -> None:
        given: Array = _arrays.read("out", out, [shape], (dtype,))
        if (given.device != CPU) != place.is_device:
            raise ArrayError(f"out is on {given.device}, but the results are on {place.context.device}")
        if isinstance(given.owner, np.ndarray) and not given.owner.flags.writeable:
            raise ArrayError("out is read-only")
        itemsize = np.dtype(dtype).itemsize
        if given.count > 1 and given.strides[0] != itemsize * int(np.prod(shape[1:], dtype=np.int64)):
            raise ArrayError(f"the rows of out are {given.strides[0]} bytes apart; they must be packed")
        self.address, self.kind, self.memory, self.array = given.address, given.memory, given.owner, out


def element_of(place: Place, address: int, is_device: bool) -> int:
    """Returns a 64-bit number at an address. Waits for it."""
    value = ctypes.c_uint64()
    if is_device:
        call("copse_download", place.context.address, byref(value), address, 8)
        return value.value
    return ctypes.c_uint64.from_address(address).value


def place_of(context: Context, *arrays: Tuple[str, Optional[Array]]) -> Place:
    """Returns where results go, after a check that all arrays are on one device that the context can read."""
    given = [(name, array) for name, array in arrays if array is not None]
    first_name, first = given[0]
    for name, array in given:
        if (array.device == CPU) != (first.device == CPU):
            raise ArrayError(f"{name} is on {array.device}, but {first_name} is on {first.device}")
    for name, array in given:
        if array.device not in (CPU, "cuda", context.device):
            raise ArrayError(f"{name} is on {array.device}, but the scene is on {context.device}")
        if array.device == "cuda" and not context.is_cuda:
            raise ArrayError(f"{name} is on cuda, but the scene is on {context.device}")
    is_torch = any(array.is_torch for _, array in given)
    return Place(context, first.device != CPU, is_torch, first.stream)

"""Memory of results: arrays of the caller's kind, on the caller's device."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_void_p
from typing import Any, Optional, Tuple

import numpy as np

from . import _arrays, _dlpack
from ._arrays import CPU, Array
from ._context import Context, Handle
from ._errors import ArrayError
from ._library import call, library
from ._structs import CONTEXT, HOST


class Place:
    """Where results go: the kind of arrays that the caller gave."""

    __slots__ = ("context", "is_device", "kind", "stream")

    def __init__(self, context: Any, is_device: bool, kind: str, stream: int = 0):
        self.context, self.is_device, self.kind, self.stream = context, is_device, kind, stream


class DeviceArray:
    """An array in the memory of a GPU, for any library that takes __cuda_array_interface__ or __dlpack__, such as CuPy,
    Numba, Warp, JAX and PyTorch. It keeps its memory."""

    def __init__(self, owner: Any, address: int, shape: tuple, strides: Optional[tuple], typestr: str, place: Place):
        self._owner, self._place, self._address, self._strides = owner, place, address, strides
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

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _dlpack.CUDA, int(self.device.partition(":")[2])

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        # The consumer may work on any stream. So the array is complete before it is given away.
        if stream != -1:
            self._place.context.wait()
        return _dlpack.give(self._owner, self._address, self.shape, self._strides, self.dtype, self.__dlpack_device__()[1])

    def __repr__(self) -> str:
        return f"<copse.DeviceArray {self.shape} of {self.dtype} on {self.device}>"


def as_kind(array: Any, place: Place) -> Any:
    """Returns a NumPy array or a DeviceArray as the kind of array that the caller uses. Libraries that are not named here
    get these two, which they take without a copy."""
    kind = place.kind
    if kind == "torch":
        torch = sys.modules["torch"]
        return torch.as_tensor(array, device=place.context.device) if place.is_device else torch.from_numpy(array)
    if kind == "cupy" and place.is_device:
        return sys.modules["cupy"].asarray(array)
    if kind == "jax" and not place.is_device:
        return sys.modules["jax"].numpy.asarray(array)  # its arrays never change, so this is a copy
    return array


class Memory:
    """The bytes of results, on the host or on the device."""

    __slots__ = ("host", "buffer", "kind", "address")

    def __init__(self, place: Place, shape: tuple, dtype: np.dtype):
        if not place.is_device:
            self.host: Any = np.empty(shape, dtype)
            self.buffer: Optional[Handle] = None
            self.kind = HOST
            self.address = self.host.ctypes.data
            return
        byte_count = dtype.itemsize
        for size in shape:
            byte_count *= size
        made = c_void_p()
        call("copse_buffer_create", place.context.address, max(byte_count, 1), byref(made))
        self.host, self.buffer, self.kind = None, Handle("buffer", made.value), CONTEXT
        self.address = library.copse_buffer_data(made)

    @classmethod
    def of(cls, host: np.ndarray) -> "Memory":
        """Returns the memory of an array on the host."""
        memory = cls.__new__(cls)
        memory.host, memory.buffer, memory.kind, memory.address = host, None, HOST, host.ctypes.data
        return memory


class Numbers:
    """Results of one number each: a plain array of the caller's kind."""

    def __init__(self, out: Any, place: Place, shape: tuple, dtype: str):
        self._out = out
        if out is not None:
            self._take(out, place, shape, dtype)
            return
        memory = Memory(place, shape, np.dtype(dtype))
        self.address, self.kind, self.memory = memory.address, memory.kind, memory
        self._place, self._shape, self._dtype = place, shape, dtype

    @property
    def array(self) -> Any:
        """The results. Ask for them when they are there: some kinds of arrays are copies."""
        if self._out is not None:
            return self._out
        array: Any = self.memory.host
        if self._place.is_device:
            array = DeviceArray(self.memory, self.address, self._shape, None, np.dtype(self._dtype).str, self._place)
        return as_kind(array, self._place)

    @property
    def target(self) -> tuple:
        """Address and memory of the results, for the library."""
        return self.address, self.kind

    def _take(self, out: Any, place: Place, shape: tuple, dtype: str) -> None:
        given: Array = _arrays.read("out", out, [shape], (dtype,), convert=None, packed=True)
        if (given.device != CPU) != place.is_device:
            raise ArrayError(f"out is on {given.device}, but the results are on {place.context.device}")
        if isinstance(given.owner, np.ndarray) and not given.owner.flags.writeable:
            raise ArrayError("out is read-only")
        self.address, self.kind, self.memory = given.address, given.memory, given.owner


def find_lists(place: Place, count: int, find: Any, make: Any, expected: int = 0) -> Tuple[Any, Any]:
    """Returns (offsets, found): one list for each of `count` queries, in arrays of the caller's kind.

    find: find(offsets, room) stores the offsets, and as many results as there is room for. `offsets` is an address and a
          memory, `room` is an address, a number of results and a memory. It is called twice, for the sizes and for the lists
    make: make(total) returns an object for so many results, and its address and memory; None: the offsets alone are needed
    expected: on the host, `find` is called once if there are at most so many results. Memory that they leave is never touched
    """
    offsets = Numbers(None, place, (count + 1,), "int64")
    room = (None, 0, offsets.kind)
    if expected > 0 and make is not None and not place.is_device:
        found, address, memory = make(expected)
        room = (address, expected, memory)
    find(offsets.target, room)
    if make is None:
        return offsets.array, None
    total = _element_of(place, offsets.address + 8 * count)
    if 0 < total <= room[1]:
        found._shrink(total)
        return offsets.array, found
    found, address, memory = make(total)
    if total > 0:
        find(offsets.target, (address, total, memory))
    return offsets.array, found


def find_numbers(place: Place, count: int, find: Any) -> Tuple[Any, Any]:
    """Returns (offsets, found) of lists of int32, as find_lists."""

    def make(total: int) -> tuple:
        found = Numbers(None, place, (total,), "int32")
        return found, *found.target

    offsets, found = find_lists(place, count, find, make)
    return offsets, found.array


def _element_of(place: Place, address: int) -> int:
    """Returns a 64-bit number at an address. Waits for it."""
    value = ctypes.c_uint64()
    if place.is_device:
        call("copse_download", place.context.address, byref(value), address, 8)
        return value.value
    return ctypes.c_uint64.from_address(address).value


def place_of(context: Context, *arrays: Tuple[str, Optional[Array]]) -> Place:
    """Returns where results go, after a check that all arrays are on one device that the context can read."""
    given = [(name, array) for name, array in arrays if array is not None]
    first_name, first = given[0]
    kind = first.kind
    for name, array in given:
        if (array.device == CPU) != (first.device == CPU):
            raise ArrayError(f"{name} is on {array.device}, but {first_name} is on {first.device}")
    for name, array in given:
        device = array.device
        if device != CPU and device != context.device and not (device == "cuda" and context.is_cuda):
            raise ArrayError(f"{name} is on {device}, but the scene is on {context.device}")
        if array.kind == "torch":
            kind = "torch"
    return Place(context, first.device != CPU, kind, first.stream)

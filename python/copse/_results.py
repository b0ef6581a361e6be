"""Results: arrays of the caller's kind, on the caller's device."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_void_p
from typing import Any, Optional, Tuple

import numpy as np

from . import _arrays, _dlpack
from ._arrays import CPU, Array, packed_strides
from ._context import Context, Handle
from ._errors import ArrayError
from ._library import CONTEXT, HOST, call, library


class Place:
    """Where results go: the kind of arrays that the caller gave."""

    __slots__ = ("context", "is_device", "kind", "stream")

    def __init__(self, context: Context, is_device: bool, kind: str, stream: int = 0):
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


def _as_kind(array: Any, place: Place) -> Any:
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


class _Memory:
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


class Records:
    """Results of several numbers each. Every field is an array without a copy; `-1` stands for no triangle."""

    _dtype: np.dtype

    def __init__(self, place: Place, shape: tuple):
        self.shape, self._place = shape, place
        self._memory = _Memory(place, shape, self._dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<copse.{type(self).__name__} {self.shape} on {self._place.context.device if self._place.is_device else CPU}>"

    @property
    def records(self) -> np.ndarray:
        """All fields as a structured NumPy array. Results on a GPU are copied to the host."""
        if not self._place.is_device:
            return self._memory.host
        host = np.empty(self.shape, self._dtype)
        call("copse_download", self._place.context.address, host.ctypes.data, self._memory.address, host.nbytes)
        return host

    def _field(self, name: str) -> Any:
        if not self._place.is_device:
            return _as_kind(self._memory.host[name], self._place)
        fields: Any = self._dtype.fields
        dtype, offset = fields[name][:2]
        base, inner = dtype.subdtype or (dtype, ())
        strides = packed_strides(self.shape, self._dtype.itemsize) + packed_strides(inner, base.itemsize)
        array = DeviceArray(self._memory, self._memory.address + offset, self.shape + inner, strides, base.str, self._place)
        return _as_kind(array, self._place)


class _TriangleFields(Records):
    @property
    def primitive(self) -> Any:
        """int32. Number of the triangle in its geometry, or -1."""
        return self._field("primitive")

    @property
    def geometry(self) -> Any:
        """int32. Id of the geometry, or -1."""
        return self._field("geometry")


class _WeightFields(Records):
    @property
    def u(self) -> Any:
        """float32. Weight of the second corner: the point is (1 - u - v) a + u b + v c."""
        return self._field("u")

    @property
    def v(self) -> Any:
        """float32. Weight of the third corner."""
        return self._field("v")


class _HitFields(_TriangleFields, _WeightFields):
    @property
    def t(self) -> Any:
        """float32. Where the ray hits: origin + t * direction. On a miss, the t_max of the ray."""
        return self._field("t")


_HIT = [("t", "<f4"), ("primitive", "<i4"), ("geometry", "<i4"), ("u", "<f4"), ("v", "<f4")]


class Hits(_HitFields):
    """Hits of rays with triangles."""

    _dtype = np.dtype(_HIT)


class InstanceHits(_HitFields):
    """Hits of rays with triangles of instances."""

    _dtype = np.dtype(_HIT + [("instance", "<i4")])

    @property
    def instance(self) -> Any:
        """int32. Number of the instance, or -1."""
        return self._field("instance")


class _NearFields(_TriangleFields):
    @property
    def distance(self) -> Any:
        """float32. Distance to the surface; infinite if nothing was found."""
        return self._field("distance")


class Nearest(_NearFields, _WeightFields):
    """Nearest points of a surface."""

    _dtype = np.dtype([("point", "<f4", (3,)), ("distance", "<f4"), ("primitive", "<i4"), ("geometry", "<i4")] + _HIT[3:])

    @property
    def point(self) -> Any:
        """(n, 3) float32. The nearest point of the surface."""
        return self._field("point")


class Neighbours(_NearFields):
    """The nearest triangles, nearest first."""

    _dtype = np.dtype([("distance", "<f4"), ("primitive", "<i4"), ("geometry", "<i4")])


class PointNeighbours(Records):
    """The nearest points of a set, nearest first."""

    _dtype = np.dtype([("distance", "<f4"), ("point", "<i4")])

    @property
    def distance(self) -> Any:
        """float32. Infinite where there is no point."""
        return self._field("distance")

    @property
    def point(self) -> Any:
        """int32. Number of the point in its set, or -1."""
        return self._field("point")


def records_for(kind: Any, out: Any, place: Place, shape: tuple) -> Any:
    """Returns `out`, if it fits, or new results."""
    if out is None:
        return kind(place, shape)
    if not isinstance(out, Records) or type(out) is not kind:
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
        memory = _Memory(place, shape, np.dtype(dtype))
        self.address, self.kind, self.memory = memory.address, memory.kind, memory
        array: Any = memory.host
        if place.is_device:
            array = DeviceArray(memory, memory.address, shape, None, np.dtype(dtype).str, place)
        self.array = _as_kind(array, place)

    def _take(self, out: Any, place: Place, shape: tuple, dtype: str) -> None:
        given: Array = _arrays.read("out", out, [shape], (dtype,))
        if (given.device != CPU) != place.is_device:
            raise ArrayError(f"out is on {given.device}, but the results are on {place.context.device}")
        if isinstance(given.owner, np.ndarray) and not given.owner.flags.writeable:
            raise ArrayError("out is read-only")
        _arrays.require_packed("out", given)
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

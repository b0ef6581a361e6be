"""Records: results of several numbers each, such as the hits of rays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import CPU, packed_strides
from ._errors import ArrayError
from ._library import call
from ._results import DeviceArray, Memory, Place, as_kind, find_lists


class Records:
    """Results of several numbers each. Every field is an array without a copy; `-1` stands for no triangle."""

    _dtype: np.dtype

    def __init__(self, place: Place, shape: tuple):
        self.shape, self._place = shape, place
        self._memory = Memory(place, shape, self._dtype)

    @property
    def _target(self) -> tuple:
        """Address and memory of the results, for the library."""
        return self._memory.address, self._memory.kind

    def _shrink(self, count: int) -> None:
        """Keeps the first results alone, on the host, when there are no views of them yet."""
        self.shape = (count,)
        self._memory.host.resize(self.shape, refcheck=False)
        self._memory.address = self._memory.host.ctypes.data

    def __getstate__(self) -> dict:
        return {"records": self.records}

    def __setstate__(self, state: dict) -> None:
        """Copies and pickles are on the host, and their fields are NumPy arrays."""
        self.shape, self._place = state["records"].shape, Place(None, False, "numpy")
        self._memory = Memory.of(np.array(state["records"]))

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
            return as_kind(self._memory.host[name], self._place)
        fields: Any = self._dtype.fields
        dtype, offset = fields[name][:2]
        base, inner = dtype.subdtype or (dtype, ())
        strides = packed_strides(self.shape, self._dtype.itemsize) + packed_strides(inner, base.itemsize)
        array = DeviceArray(self._memory, self._memory.address + offset, self.shape + inner, strides, base.str, self._place)
        return as_kind(array, self._place)


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


class _InstanceFields(Records):
    @property
    def instance(self) -> Any:
        """int32. Number of the instance, or -1."""
        return self._field("instance")


class _PathFields(Records):
    @property
    def path(self) -> Any:
        """(n, 7) int32. Number of the instance on each level, from the outermost one on. -1 behind the last one, and
        everywhere if nothing was found."""
        return self._field("path")


_INSTANCE, _PATH = ("instance", "<i4"), ("path", "<i4", (7,))
_HIT = [("t", "<f4"), ("primitive", "<i4"), ("geometry", "<i4"), ("u", "<f4"), ("v", "<f4")]


class Hits(_HitFields):
    """Hits of rays with triangles."""

    _dtype = np.dtype(_HIT)


class InstanceHits(_HitFields, _InstanceFields):
    """Hits of rays with triangles of instances."""

    _dtype = np.dtype(_HIT + [_INSTANCE])


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


class InstanceNearest(Nearest, _InstanceFields):
    """Nearest points of the surfaces of instances."""

    _dtype = np.dtype(Nearest._dtype.descr + [_INSTANCE])


class NestedHits(_HitFields, _PathFields):
    """Hits of rays with triangles of nested instances."""

    _dtype = np.dtype(_HIT + [_PATH])


class NestedNearest(Nearest, _PathFields):
    """Nearest points of the surfaces of nested instances."""

    _dtype = np.dtype(Nearest._dtype.descr + [_PATH])


_NEIGHBOUR = [("distance", "<f4"), ("primitive", "<i4"), ("geometry", "<i4")]


class Neighbours(_NearFields):
    """The nearest triangles, nearest first."""

    _dtype = np.dtype(_NEIGHBOUR)


class InstanceNeighbours(_NearFields, _InstanceFields):
    """The nearest triangles of instances, nearest first."""

    _dtype = np.dtype(_NEIGHBOUR + [_INSTANCE])


class NestedNeighbours(_NearFields, _PathFields):
    """The nearest triangles of nested instances, nearest first."""

    _dtype = np.dtype(_NEIGHBOUR + [_PATH])


class _OverlapFields(Records):
    @property
    def primitive(self) -> Any:
        """int32. Number of the triangle; it counts through all geometries of its scene."""
        return self._field("primitive")


class InstanceOverlaps(_OverlapFields, _InstanceFields):
    """Triangles of instances that touch a region."""

    _dtype = np.dtype([_INSTANCE, ("primitive", "<i4")])


class NestedOverlaps(_OverlapFields, _PathFields):
    """Triangles of nested instances that touch a region."""

    _dtype = np.dtype([("primitive", "<i4"), _PATH])


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


def find_records(kind: Any, place: Place, count: int, find: Any, expected: int = 0) -> Any:
    """Returns (offsets, found) of lists of records, as find_lists."""

    def make(total: int) -> tuple:
        found = kind(place, (total,))
        return found, *found._target

    return find_lists(place, count, find, make, expected)

"""Sets of points, and the points near others."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Optional, Tuple

from . import _arrays
from ._arrays import CPU, Array
from ._context import Handle, context_of, device_for
from ._device import OnDevice
from ._library import call, library
from ._questions import check_k
from ._records import PointNeighbours, records_for
from ._results import Numbers, Place, find_numbers, place_of
from ._structs import PointsOptions

_POINTS = [(None, 3)]


class PointSet(OnDevice):
    """A set of points: KdTree, PointBvh or PointGrid. It has copies of the points; those that are NaN or infinite are left
    out. Answers are equal on all devices, and for all three, but for the order in lists within a radius.

    points: (n, 3) float32; rows may stand at any multiple of 4 bytes
    device: "auto": where the points are, else the GPU if one answers, else the CPU; "cpu", "cuda" or "cuda:N"
    """

    _PREFIX = "copse_points_"
    _STRUCTURE: int

    def __init__(self, points: Any, *, device: str = "auto", convert: bool = False):
        self._build(points, device, convert, 0.0)

    def _build(self, points: Any, device: str, convert: bool, cell_size: float) -> None:
        array = _arrays.read("points", points, _POINTS, convert=convert)
        device, on_stream = device_for(device, array if array.device != CPU else None)
        self._context = context_of(device, *on_stream)
        place_of(self._context, ("points", array))
        options = PointsOptions(structure=self._STRUCTURE, cell_size=float(cell_size))
        made = c_void_p()
        call("copse_points_build", self._context.address, *_counted(array), byref(options), byref(made))
        self._handle = Handle("points", made.value)

    def __len__(self) -> int:
        return library.copse_points_count(self._handle.address)

    def __repr__(self) -> str:
        return f"<copse.{type(self).__name__} of {len(self)} points on {self.device}>"

    @property
    def size_bytes(self) -> int:
        """The bytes of memory that the set holds."""
        return library.copse_points_size_bytes(self._handle.address)

    def rebuild(self, points: Any, *, convert: bool = False) -> None:
        """Builds the set anew in the same memory, over at most as many points as the first build."""
        array = _arrays.read("points", points, _POINTS, convert=convert)
        place_of(self._context, ("points", array))
        context = self._context_for(array)
        call("copse_points_rebuild", context.address, self._handle.address, *_counted(array))

    def k_nearest(
        self,
        queries: Any,
        k: int,
        *,
        max_distance: float = float("inf"),
        out: Optional[PointNeighbours] = None,
        convert: bool = False,
    ) -> PointNeighbours:
        """Returns the k points nearest to each query, (n, k), nearest first. Where there are fewer, the point is -1.

        queries: (n, 3) float32. A query at a point of the set finds that point too
        """
        k = check_k(k)
        array, place = self._queries(queries, convert)
        found = records_for(PointNeighbours, out, place, (array.count, k))
        self._ask("k_nearest", array, place, k, float(max_distance), *found._target)
        return found

    def count_within(self, queries: Any, radius: float, *, out: Any = None, convert: bool = False) -> Any:
        """Returns (n,) int32: how many points are within the radius of each query.

        queries: (n, 3) float32
        """
        array, place = self._queries(queries, convert)
        counts = Numbers(out, place, (array.count,), "int32")
        self._ask("count_within", array, place, float(radius), *counts.target)
        return counts.array

    def within(self, queries: Any, radius: float, *, convert: bool = False) -> Tuple[Any, Any]:
        """Returns (offsets, points): those within the radius of query i are points[offsets[i]:offsets[i + 1]].

        queries: (n, 3) float32
        """
        array, place = self._queries(queries, convert)

        def find(offsets: tuple, room: tuple) -> None:
            self._ask("find_within", array, place, float(radius), *offsets, *room)

        return find_numbers(place, array.count, find)

    def _queries(self, queries: Any, convert: bool) -> Tuple[Array, Place]:
        array = _arrays.read("queries", queries, _POINTS, convert=convert, packed=True)
        place = place_of(self._context, ("queries", array))
        place.context = self._context_for(array)
        return array, place

    def _ask(self, what: str, array: Array, place: Place, *arguments: Any) -> None:
        queries = (array.address or None, array.count, array.memory)
        call(self._PREFIX + what, place.context.address, self._handle.address, *queries, *arguments)


def _counted(array: Array) -> tuple:
    return array.address or None, array.count, array.row_bytes, array.memory


class KdTree(PointSet):
    """A left-balanced kd-tree: the least memory, and no radius has to be known. Arguments are those of PointSet."""

    _STRUCTURE = 0


class PointBvh(PointSet):
    """A hierarchy of boxes in Hilbert order: fast for clusters, and no radius has to be known. Arguments are those of
    PointSet."""

    _STRUCTURE = 1


class PointGrid(PointSet):
    """Points sorted by the cells of a hash grid: the fastest to build, for neighbours within a radius that is known.

    cell_size: about the radius; 0: two points per cell if they are spread evenly
    Other arguments are those of PointSet.
    """

    _STRUCTURE = 2

    def __init__(self, points: Any, *, cell_size: float = 0.0, device: str = "auto", convert: bool = False):
        self._build(points, device, convert, cell_size)

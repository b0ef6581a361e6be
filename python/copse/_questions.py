"""Questions about points and regions, to all that has a surface."""

from __future__ import annotations

import operator
import sys
from typing import Any, Optional, Tuple

from . import _arrays
from ._arrays import Array, kind_of
from ._device import OnDevice
from ._errors import ArrayError, InvalidArgument, check_range
from ._library import call
from ._records import Records, find_records, records_for
from ._results import Numbers, Place, find_numbers, place_of


# Libraries that have a function where().
_WITH_WHERE = {"numpy": "numpy", "cupy": "cupy", "jax": "jax.numpy"}


def check_k(k: int) -> int:
    """Returns how many neighbours a caller asks for. Raises InvalidArgument if they are out of range."""
    k = operator.index(k)
    check_range("k", k, 1, 1 << 31)
    return k


class Answering(OnDevice):
    """What answers questions about points and regions. Public classes add the arguments that they take."""

    _NEAREST: Any
    _NEIGHBOURS: Any
    _OVERLAPS: Any  # None: overlaps are plain numbers

    def _closest_points(self, points: Any, max_distance: float, out: Any, convert: bool, mask: tuple = ()) -> Any:
        array, place = self._read_points(points, convert)
        nearest = records_for(self._NEAREST, out, place, (array.count,))
        self._ask("nearest_points", array, place, float(max_distance), *mask, *nearest._target)
        return nearest

    def _contains(self, points: Any, out: Any, convert: bool, mask: tuple = ()) -> Any:
        array, place = self._read_points(points, convert)
        result = Numbers(out, place, (array.count,), "bool")
        self._ask("points_inside", array, place, *mask, *result.target)
        return result.array

    def _signed_distance(self, points: Any, convert: bool, mask: tuple = ()) -> Any:
        distance = self._closest_points(points, float("inf"), None, convert, mask).distance
        inside = self._contains(points, None, convert, mask)
        kind = kind_of(distance)
        if kind == "torch":
            return distance.where(~inside, -distance)
        if kind in _WITH_WHERE:
            return sys.modules[_WITH_WHERE[kind]].where(inside, -distance, distance)
        raise ArrayError(
            "signed_distance takes arrays of NumPy, PyTorch and CuPy, and of JAX on the host; call closest_points and contains "
            "for others"
        )

    def _k_nearest(
        self, points: Any, k: int, max_distance: float, out: Optional[Records], convert: bool, mask: tuple = ()
    ) -> Any:
        k = check_k(k)
        array, place = self._read_points(points, convert)
        neighbours = records_for(self._NEIGHBOURS, out, place, (array.count, k))
        self._ask("k_nearest", array, place, k, float(max_distance), *mask, *neighbours._target)
        return neighbours

    def _overlaps(self, boxes: Any, spheres: Any, frusta: Any, convert: bool, mask: tuple = ()) -> Tuple[Any, Any]:
        shapes = [("boxes", boxes, 6), ("spheres", spheres, 4), ("frusta", frusta, 24)]
        given = [(shape, *named) for shape, named in enumerate(shapes) if named[1] is not None]
        if len(given) != 1:
            raise InvalidArgument(f"{len(given)} kinds of regions were given; give boxes, spheres or frusta")
        shape, name, value, width = given[0]
        array, place = self._read_points(value, convert, name, width)
        regions = (array.address or None, array.count, array.memory)

        def find(offsets: tuple, room: tuple) -> None:
            self._call("find_overlaps", place, shape, *regions, *mask, *offsets, *room)

        if self._OVERLAPS is None:
            return find_numbers(place, array.count, find)
        return find_records(self._OVERLAPS, place, array.count, find)

    def _read_points(
        self, points: Any, convert: bool, name: str = "points", width: int = 3
    ) -> Tuple[Array, Place]:
        self.check_versions()
        array = _arrays.read(name, points, [(None, width)], convert=convert, packed=True)
        place = place_of(self._context, (name, array))
        place.context = self._context_for(array)
        return array, place

    def _ask(self, what: str, array: Array, place: Place, *arguments: Any) -> None:
        self._call(what, place, array.address or None, array.count, array.memory, *arguments)

    def _call(self, what: str, place: Place, *arguments: Any) -> None:
        call(self._PREFIX + what, place.context.address, self._handle.address, *arguments)

"""Batches of rays, and what all calls with rays share."""

from __future__ import annotations

import math
import sys
from ctypes import byref
from typing import TYPE_CHECKING, Any, Generic, List, Optional, Tuple, TypedDict, TypeVar

import numpy as np

from . import _arrays
from ._arrays import Array
from ._context import Context
from ._device import OnDevice
from ._errors import ArrayError, InvalidArgument, check_range
from ._geometry import mask_of
from ._library import call
from ._records import Records, find_records, records_for
from ._results import Numbers, Place, find_lists, place_of
from ._structs import ALL_BITS, TraceOptions, rays_struct

if TYPE_CHECKING:
    from typing_extensions import Unpack

H = TypeVar("H", bound=Records)  # the hits of a structure

CULLS = {None: 0, "back": 1, "front": 2}
_POINTS, _RECORDS = [(None, 3), (3,)], [(None, 8)]


class RayOptions(TypedDict, total=False):
    """What all calls with rays take, by name."""

    t_min: Any  #: a number, or (n,) float32: hits before it do not count. Default: 0
    t_max: Any  #: a number, or (n,) float32: hits behind it do not count. Default: infinity
    mask: int  #: a mask for all rays, which pass over geometries that share no bit with it. Default: all bits
    masks: Any  #: (n,) uint32: a mask per ray. With `mask` too, a ray has the bits that both have
    cull: str  #: "back" or "front": the side of triangles that rays pass over. Default: neither
    convert: bool  #: copy arrays of other types, in place of an error. Default: False


class Rays:
    """Rays of the caller, and the arrays that they are made of."""

    __slots__ = ("struct", "count", "place", "first", "_arrays", "_mask", "_masks", "_cull")
    struct: bytes
    count: int
    place: Place
    first: Array  # which tells device and stream

    def __init__(
        self,
        context: Context,
        origins: Any,
        directions: Any = None,
        *,
        t_min: Any = 0.0,
        t_max: Any = math.inf,
        mask: Optional[int] = None,
        masks: Any = None,
        cull: Optional[str] = None,
        convert: bool = False,
        packed: bool = False,  # whether rays of the shape (n, 8) follow each other without gaps
    ):
        self._arrays: List[Tuple[str, Array]] = []
        if directions is None:
            self._read_records(origins, t_min, t_max, convert, packed)
        else:
            self._read_parts(origins, directions, t_min, t_max, convert)
        if cull not in CULLS:
            raise InvalidArgument(f'cull is {cull!r}; it can be None, "back" or "front"')
        self._mask, self._masks, self._cull = ALL_BITS if mask is None else mask_of(mask), None, cull
        if masks is not None:
            self._masks = _arrays.read("masks", masks, [(self.count,)], ("uint32", "int32"), convert, packed=True)
        self.first = self._arrays[0][1]
        self.place = place_of(context, *self._arrays, ("masks", self._masks))

    def _read_records(self, rays: Any, t_min: Any, t_max: Any, convert: bool, packed: bool) -> None:
        for name, value, default in (("t_min", t_min, 0.0), ("t_max", t_max, math.inf)):
            if not _arrays.is_number(value) or value != default:
                raise InvalidArgument(f"{name} is given, but rays of the shape (n, 8) have their own in column 3 and 7")
        array = self._read("rays", rays, _RECORDS, convert, packed)
        self.count = array.count
        stride, at = array.row_bytes, array.address
        self.struct = rays_struct(self.count, array.memory, at, stride, at + 16, stride, at + 12, stride, at + 28, stride)

    def _read_parts(self, origins: Any, directions: Any, t_min: Any, t_max: Any, convert: bool) -> None:
        parts = [self._read(*named, _POINTS, convert) for named in (("origins", origins), ("directions", directions))]
        self.count = max((part.count for part in parts if len(part.shape) == 2), default=1)
        where: List[int] = []
        for (name, _), part in zip(self._arrays, parts):
            is_one_each = len(part.shape) == 2
            if is_one_each and part.count != self.count:
                raise ArrayError(f"there are {part.count} {name} for {self.count} rays")
            where += [part.address, part.row_bytes if is_one_each else 0]
        where += self._limit("t_min", t_min, 0.0, convert)
        where += self._limit("t_max", t_max, math.inf, convert)
        self.struct = rays_struct(self.count, parts[0].memory, *where)

    def _limit(self, name: str, value: Any, default: float, convert: bool) -> Tuple[int, int]:
        """Returns address and stride of the limits of the rays."""
        if _arrays.is_number(value):
            if value == default:
                return 0, 4
            value = _one_for_all(value, self._arrays[0][1], name)
        array = self._read(name, value, [(self.count,), (1,)], convert)
        return array.address, 0 if array.shape == (1,) else array.row_bytes

    def _read(self, name: str, value: Any, shapes: list, convert: bool, packed: bool = False) -> Array:
        array = _arrays.read(name, value, shapes, convert=convert, packed=packed, may_overlap=True)
        self._arrays.append((name, array))
        return array

    def keep(self, array: Array) -> None:
        """Keeps an array as long as the rays."""
        self._arrays.append(("", array))

    def options(self) -> Any:
        """Returns a pointer to the options, or None for the defaults."""
        if self._mask == ALL_BITS and self._cull is None and self._masks is None:
            return None
        options = TraceOptions(mask=self._mask, cull=CULLS[self._cull])
        if self._masks is not None:
            options.masks, options.masks_memory = self._masks.address or None, self._masks.memory
        return byref(options)


def _one_for_all(value: float, like: Array, name: str) -> Any:
    """Returns a number as an array of one, where the rays are."""
    if like.device == _arrays.CPU:
        return np.array([value], np.float32)
    if like.kind in ("torch", "cupy"):
        library = sys.modules[like.kind]
        if like.kind == "torch":
            return library.tensor([value], dtype=library.float32, device=like.owner.device)
        return library.array([value], library.float32)
    raise ArrayError(f"{name} is a number, but the rays are on {like.device}; give an array of shape (1,) there")


class Traceable(OnDevice, Generic[H]):
    """What rays go through."""

    _HITS: Any

    def cast_rays(
        self, origins: Any, directions: Any = None, *, out: Optional[H] = None, **options: Unpack[RayOptions]
    ) -> H:
        """Returns the closest hit of every ray: Hits of a Scene; InstanceHits of Instances; NestedHits of NestedInstances.

        origins, directions: (n, 3) float32, or (3,) for one that all rays have. Or one (n, 8) array of rays: origin,
                      t_min, direction, t_max. t counts in lengths of the direction, which need not be 1
        out:          hits of an earlier call, to be overwritten
        t_min, t_max: numbers, or (n,) float32: hits before t_min and behind t_max do not count. Default: 0, infinity
        mask, masks:  a mask for all rays, and (n,) uint32: rays pass over geometries that share no bit with it
        cull:         "back" or "front": the side of triangles that rays pass over
        convert:      copy arrays of other types, in place of an error
        """
        rays = self._rays(origins, directions, **options)
        hits = records_for(self._HITS, out, rays.place, (rays.count,))
        self._trace("closest_hits", rays, *hits._target)
        return hits

    def occluded(
        self, origins: Any, directions: Any = None, *, out: Any = None, **options: Unpack[RayOptions]
    ) -> Any:
        """Returns (n,) bool: True where a ray hits anything. Arguments are those of cast_rays."""
        rays = self._rays(origins, directions, **options)
        result = Numbers(out, rays.place, (rays.count,), "bool")
        self._trace("any_hits", rays, *result.target)
        return result.array

    def _rays(self, origins: Any, directions: Any, **options: Any) -> Rays:
        self.check_versions()
        rays = Rays(self._context, origins, directions, **options)
        rays.place.context = self._context_for(rays.first)
        return rays

    def _trace(self, what: str, rays: Rays, *arguments: Any) -> None:
        call(self._PREFIX + what, rays.place.context.address, self._handle.address, rays.struct, *arguments, rays.options())


class TraceableInDepth(Traceable[H]):
    """What lists several hits per ray: a Scene, Instances or NestedInstances."""

    def first_k(
        self,
        origins: Any,
        directions: Any = None,
        *,
        k: int,
        out: Optional[H] = None,
        **options: Unpack[RayOptions],
    ) -> H:
        """Returns the first k hits of every ray, (n, k), in order of t. k can be 1 to 16. C++ and C call it first_hits. Other
        arguments are those of cast_rays."""
        rays = self._rays(origins, directions, **options)
        check_range("k", k, 1, 16)
        hits = records_for(self._HITS, out, rays.place, (rays.count, k))
        self._trace("first_hits", rays, k, *hits._target, None, 0)
        return hits

    def all_hits(self, origins: Any, directions: Any = None, **options: Unpack[RayOptions]) -> Tuple[Any, H]:
        """Returns (offsets, hits): the hits of ray i are those from offsets[i] to offsets[i + 1], in order of t. Arguments
        are those of cast_rays."""
        rays = self._rays(origins, directions, **options)
        return find_records(self._HITS, rays.place, rays.count, self._finder(rays), expected=16 * rays.count)

    def hit_offsets(self, origins: Any, directions: Any = None, **options: Unpack[RayOptions]) -> Any:
        """Returns the offsets of all_hits alone: (n + 1,) int64. Their differences are the numbers of hits."""
        rays = self._rays(origins, directions, **options)
        return find_lists(rays.place, rays.count, self._finder(rays), None)[0]

    def _finder(self, rays: Rays) -> Any:
        return lambda offsets, room: self._trace("find_hits", rays, *offsets, *room)

"""What scenes and instances share: batches of rays."""

from __future__ import annotations

import math
import sys
from ctypes import byref
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _arrays
from ._arrays import Array
from ._context import Context, Handle, context_of
from ._errors import ArrayError, InvalidArgument
from ._library import ALL_BITS, TraceOptions, call, rays_struct
from ._results import Numbers, Place, Records, element_of, place_of, records_for

CULLS = {None: 0, "back": 1, "front": 2}


class Rays:
    """Rays of the caller, and the arrays that they are made of."""

    __slots__ = ("struct", "count", "place", "masks", "_arrays")
    struct: bytes
    count: int
    _arrays: List[Tuple[str, Array]]

    def __init__(self, context, origins: Any, directions: Any, t_min: Any, t_max: Any, masks: Any, convert: bool):
        if directions is None:
            self._read_records(origins, t_min, t_max, convert)
        else:
            self._read_parts(origins, directions, t_min, t_max, convert)
        self.masks: Optional[Array] = None
        if masks is not None:
            self.masks = _arrays.read("masks", masks, [(self.count,)], ("uint32", "int32"), convert)
            _arrays.require_packed("masks", self.masks)
        self.place: Place = place_of(context, *self._arrays, ("masks", self.masks))

    def _read_records(self, rays: Any, t_min: Any, t_max: Any, convert: bool) -> None:
        for name, value, default in (("t_min", t_min, 0.0), ("t_max", t_max, math.inf)):
            if not isinstance(value, (int, float)) or value != default:
                raise InvalidArgument(f"{name} is given, but rays of the shape (n, 8) have their own in column 3 and 7")
        array = _arrays.read("rays", rays, _RECORDS, convert=convert)
        self._arrays, self.count = [("rays", array)], array.shape[0]
        stride = array.strides[0] if self.count > 1 else 32
        at = array.address
        self.struct = rays_struct(
            self.count, array.memory, at, stride, at + 16, stride, at + 12, stride, at + 28, stride
        )

    def _read_parts(self, origins: Any, directions: Any, t_min: Any, t_max: Any, convert: bool) -> None:
        first = _arrays.read("origins", origins, _POINTS, convert=convert)
        second = _arrays.read("directions", directions, _POINTS, convert=convert)
        are_many = len(first.shape) == 2, len(second.shape) == 2
        counts = [array.shape[0] for array, is_many in zip((first, second), are_many) if is_many]
        self.count = max(counts) if counts else 1
        for name, count in zip(("origins", "directions"), counts if len(counts) == 2 else ()):
            if count != self.count:
                raise ArrayError(f"there are {count} {name} for {self.count} rays")
        self._arrays = [("origins", first), ("directions", second)]
        self.struct = rays_struct(
            self.count,
            first.memory,
            first.address,
            first.strides[0] if are_many[0] else 0,
            second.address,
            second.strides[0] if are_many[1] else 0,
            *self._limit("t_min", t_min, 0.0, convert),
            *self._limit("t_max", t_max, math.inf, convert),
        )

    def _limit(self, name: str, value: Any, default: float, convert: bool) -> Tuple[int, int]:
        """Returns address and stride of the limits of the rays."""
        if isinstance(value, (int, float)):
            if value == default:
                return 0, 4
            value = _one_for_all(value, self._arrays[0][1], name)
        array = _arrays.read(name, value, [(self.count,), (1,)], convert=convert)
        self._arrays.append((name, array))
        return array.address, 0 if array.shape == (1,) else array.strides[0]

    def options(self, mask: Optional[int], cull: Optional[str]) -> Any:
        """Returns a pointer to the options, or None for the defaults."""
        if mask is None and cull is None and self.masks is None:
            return None
        if cull not in CULLS:
            raise InvalidArgument(f'cull is {cull!r}; it can be None, "back" or "front"')
        options = TraceOptions(mask=ALL_BITS if mask is None else mask & ALL_BITS, cull=CULLS[cull])
        if self.masks is not None:
            options.masks, options.masks_memory = self.masks.address or None, self.masks.memory
        return byref(options)


_POINTS, _RECORDS = [(None, 3), (3,)], [(None, 8)]


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


class OnDevice:
    """An object in the memory of a device. Its work goes to the stream of the arrays that a call takes."""

    _handle: Handle
    _context: Context

    @property
    def device(self) -> str:
        """The device: "cpu" or "cuda:N"."""
        return self._context.device

    def check_versions(self) -> None:
        """Raises StaleTree if the tree is older than its vertices, where that can be known."""

    def _context_for(self, array: Optional[Array]) -> Context:
        """Returns the context of the stream that an array is used on. Waits if the last work was on another one."""
        context = self._context
        if not context.is_cuda:
            return context
        if array is None or array.device == _arrays.CPU:
            wanted = context if context.stream is None else context_of(context.device)
        elif array.stream == context.stream and array.device == context.device:
            return context
        else:
            wanted = context_of(context.device, array.stream, array.stream_owner)
        if wanted is not self._context:
            self._context.wait()
            self._context = wanted
        return wanted


class Traceable(OnDevice):
    """What rays go through: a Scene or Instances."""

    _CLOSEST: str
    _ANY: str
    _FIRST: str
    _ALL: str
    _HITS: type

    def cast_rays(
        self,
        origins: Any,
        directions: Any = None,
        *,
        t_min: Any = 0.0,
        t_max: Any = float("inf"),
        mask: Optional[int] = None,
        masks: Any = None,
        cull: Optional[str] = None,
        out: Optional[Records] = None,
        convert: bool = False,
    ) -> Any:
        """Returns the closest hit of every ray: Hits of a Scene, InstanceHits of Instances.

        origins, directions: (n, 3) float32, or (3,) for one that all rays have. Or one (n, 8) array of rays: origin,
                    t_min, direction, t_max. t counts in lengths of the direction, which need not be 1
        t_min, t_max: numbers, or (n,) float32
        mask, masks: a mask for all rays, and (n,) uint32: rays pass over geometries that share no bit with it
        cull:       "back" or "front": the side of triangles that rays pass over
        out:        hits of an earlier call, to be overwritten
        """
        rays = self._rays(origins, directions, t_min, t_max, masks, convert)
        hits = records_for(self._HITS, out, rays.place, (rays.count,))
        self._trace(self._CLOSEST, rays, (hits._memory.address, hits._memory.kind), mask, cull)
        return hits

    def occluded(
        self,
        origins: Any,
        directions: Any = None,
        *,
        t_min: Any = 0.0,
        t_max: Any = float("inf"),
        mask: Optional[int] = None,
        masks: Any = None,
        cull: Optional[str] = None,
        out: Any = None,
        convert: bool = False,
    ) -> Any:
        """Returns (n,) bool: True where a ray hits anything. Arguments are those of cast_rays."""
        rays = self._rays(origins, directions, t_min, t_max, masks, convert)
        result = Numbers(out, rays.place, (rays.count,), "bool")
        self._trace(self._ANY, rays, (result.address, result.kind), mask, cull)
        return result.array

    def first_hits(
        self,
        origins: Any,
        directions: Any = None,
        *,
        k: int,
        t_min: Any = 0.0,
        t_max: Any = float("inf"),
        mask: Optional[int] = None,
        masks: Any = None,
        cull: Optional[str] = None,
        out: Optional[Records] = None,
        convert: bool = False,
    ) -> Any:
        """Returns the first k hits of every ray, (n, k), in order of t. k can be 1 to 16."""
        rays = self._rays(origins, directions, t_min, t_max, masks, convert)
        if not 1 <= k <= 16:
            raise InvalidArgument(f"k is {k}; it can be 1 to 16")
        hits = records_for(self._HITS, out, rays.place, (rays.count, k))
        self._trace(self._FIRST, rays, (k, hits._memory.address, hits._memory.kind, None, 0), mask, cull)
        return hits

    def all_hits(
        self,
        origins: Any,
        directions: Any = None,
        *,
        t_min: Any = 0.0,
        t_max: Any = float("inf"),
        mask: Optional[int] = None,
        masks: Any = None,
        cull: Optional[str] = None,
        convert: bool = False,
    ) -> Tuple[Any, Any]:
        """Returns (offsets, hits): the hits of ray i are those from offsets[i] to offsets[i + 1], in order of t."""
        rays = self._rays(origins, directions, t_min, t_max, masks, convert)
        offsets = Numbers(None, rays.place, (rays.count + 1,), "int64")
        ends = (offsets.address, offsets.kind)
        self._trace(self._ALL, rays, (*ends, None, 0, offsets.kind), mask, cull)
        total = element_of(rays.place, offsets.address + 8 * rays.count, rays.place.is_device)
        hits = records_for(self._HITS, None, rays.place, (total,))
        if total > 0:
            self._trace(self._ALL, rays, (*ends, hits._memory.address, total, hits._memory.kind), mask, cull)
        return offsets.array, hits

    def hit_offsets(
        self,
        origins: Any,
        directions: Any = None,
        *,
        t_min: Any = 0.0,
        t_max: Any = float("inf"),
        mask: Optional[int] = None,
        masks: Any = None,
        cull: Optional[str] = None,
        convert: bool = False,
    ) -> Any:
        """Returns the offsets of all_hits alone: (n + 1,) int64. Their differences are the numbers of hits."""
        rays = self._rays(origins, directions, t_min, t_max, masks, convert)
        offsets = Numbers(None, rays.place, (rays.count + 1,), "int64")
        self._trace(self._ALL, rays, (offsets.address, offsets.kind, None, 0, offsets.kind), mask, cull)
        return offsets.array

    def _rays(self, origins, directions, t_min, t_max, masks, convert) -> Rays:
        self.check_versions()
        rays = Rays(self._context, origins, directions, t_min, t_max, masks, convert)
        rays.place.context = self._context_for(rays._arrays[0][1])
        return rays

    def _trace(self, function: str, rays: Rays, results: tuple, mask: Optional[int], cull: Optional[str]) -> None:
        call(function, rays.place.context.address, self._handle.address, rays.struct, *results, rays.options(mask, cull))

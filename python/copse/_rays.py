"""What scenes and instances share: batches of rays."""

from __future__ import annotations

import math
from ctypes import byref
from typing import Any, Optional, Tuple

import numpy as np

from . import _arrays
from ._arrays import Array
from ._context import Context, Handle, context_of
from ._errors import ArrayError, InvalidArgument
from ._library import ALL_BITS, RaysStruct, TraceOptions, call
from ._results import Numbers, Place, Records, element_of, place_of, records_for

CULLS = {None: 0, "back": 1, "front": 2}


class Rays:
    """Rays of the caller, and the arrays that they are made of."""

    def __init__(self, context, origins: Any, directions: Any, t_min: Any, t_max: Any, masks: Any, convert: bool):
        if directions is None:
            self._read_records(origins, convert)
        else:
            self._read_parts(origins, directions, t_min, t_max, convert)
        self.masks: Optional[Array] = None
        if masks is not None:
            self.masks = _arrays.read("masks", masks, [(self.count,)], ("uint32", "int32"), convert)
            _arrays.require_packed("masks", self.masks)
        self.place: Place = place_of(context, *self._arrays, ("masks", self.masks))
        self.struct.memory = self._arrays[0][1].memory

    def _read_records(self, rays: Any, convert: bool) -> None:
        array = _arrays.read("rays", rays, [(None, 8)], convert=convert)
        self._arrays, self.count = [("rays", array)], array.count
        stride = array.strides[0] if array.count > 1 else 32
        at = array.address
        self.struct = RaysStruct(
            count=array.count,
            origins=at or None,
            t_min=at + 12,
            directions=at + 16,
            t_max=at + 28,
            origin_stride=stride,
            t_min_stride=stride,
            direction_stride=stride,
            t_max_stride=stride,
        )

    def _read_parts(self, origins: Any, directions: Any, t_min: Any, t_max: Any, convert: bool) -> None:
        shapes = [(None, 3), (3,)]
        parts = [
            ("origins", _arrays.read("origins", origins, shapes, convert=convert)),
            ("directions", _arrays.read("directions", directions, shapes, convert=convert)),
        ]
        counts = [array.count for _, array in parts if len(array.shape) == 2]
        self.count = max(counts, default=1)
        for name, array in parts:
            if len(array.shape) == 2 and array.count != self.count:
                raise ArrayError(f"there are {array.count} {name} for {self.count} rays")
        for name, value, default in (("t_min", t_min, 0.0), ("t_max", t_max, math.inf)):
            if isinstance(value, (int, float)):
                value = None if value == default else _one_for_all(value, parts[0][1], name)
            if value is not None:
                parts.append((name, _arrays.read(name, value, [(self.count,), (1,)], convert=convert)))
        self._arrays = parts
        self.struct = RaysStruct(count=self.count, t_min_stride=4, t_max_stride=4)
        names = {"origins": "origin_stride", "directions": "direction_stride"}
        for name, array in parts:
            setattr(self.struct, name, array.address or None)
            is_one = len(array.shape) == 1 and name in names or array.shape == (1,)
            setattr(self.struct, names.get(name, name + "_stride"), 0 if is_one else array.strides[0])

    def options(self, mask: Optional[int], cull: Optional[str]) -> TraceOptions:
        if cull not in CULLS:
            raise InvalidArgument(f'cull is {cull!r}; it can be None, "back" or "front"')
        options = TraceOptions(mask=ALL_BITS if mask is None else mask & ALL_BITS, cull=CULLS[cull])
        if self.masks is not None:
            options.masks, options.masks_memory = self.masks.address or None, self.masks.memory
        return options


def _one_for_all(value: float, like: Array, name: str) -> Any:
    """Returns a number as an array of one, where the rays are."""
    if like.device == _arrays.CPU:
        return np.array([value], np.float32)
    if like.is_torch:
        import torch

        return torch.tensor([value], dtype=torch.float32, device=like.owner.device)
    raise ArrayError(f"{name} is a number, but the rays are on {like.device}; give an array of shape (1,) there")


class OnDevice:
    """An object in the memory of a device. Its work goes to the stream of the arrays that a call takes."""

    _handle: Handle
    _context: Context

    @property
    def device(self) -> str:
        """The device: "cpu" or "cuda:N"."""
        return self._context.device

    def _context_for(self, array: Optional[Array]) -> Context:
        """Returns the context of the stream that an array is used on. Waits if the last work was on another one."""
        if array is None or array.device == _arrays.CPU or not self._context.is_cuda:
            wanted = context_of(self._context.device)
        else:
            wanted = context_of(self._context.device, array.stream, array.stream_owner)
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

    def _rays(self, origins, directions, t_min, t_max, masks, convert) -> Rays:
        rays = Rays(self._context, origins, directions, t_min, t_max, masks, convert)
        context = self._context_for(rays._arrays[0][1])
        rays.place = Place(context, rays.place.is_device, rays.place.is_torch, rays.place.stream)
        return rays

    def _trace(self, function: str, rays: Rays, results: tuple, mask: Optional[int], cull: Optional[str]) -> None:
        options = rays.options(mask, cull)
        address = self._handle.address
        call(function, rays.place.context.address, address, byref(rays.struct), *results, byref(options))

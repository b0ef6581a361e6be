"""What scenes and instances share: batches of rays."""

from __future__ import annotations

import math
from typing import Any, Optional

from . import _arrays
from ._arrays import Array
from ._errors import ArrayError, InvalidArgument
from ._library import ALL_BITS, RaysStruct, TraceOptions
from ._results import Place, place_of

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
    import numpy as np

    if like.device == _arrays.CPU:
        return np.array([value], np.float32)
    if like.is_torch:
        import torch

        return torch.tensor([value], dtype=torch.float32, device=like.owner.device)
    raise ArrayError(f"{name} is a number, but the rays are on {like.device}; give an array of shape (1,) there")

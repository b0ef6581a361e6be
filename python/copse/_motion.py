"""Triangles that move while a picture is taken."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, List, Optional, Sequence

from . import _arrays
from ._context import Handle, context_of, device_for
from ._errors import InvalidArgument
from ._geometry import Geometry, device_of, structs_of
from ._library import call, library
from ._rays import OnDevice, Rays
from ._results import Hits, Numbers, place_of, records_for
from ._scene import build_options, check_device


class MotionScene(OnDevice):
    """Triangles that move on straight lines from key to key. Each ray has a time: 0 at the first key, 1 at the last.

    keys:  a list of (n, 3) float32 vertices, one for each key, at least 2
    faces: as Geometry takes them; the same for all keys
    quality, device, capacity, convert: as for Scene
    """

    def __init__(
        self,
        keys: Sequence[Any],
        faces: Any = None,
        *,
        quality: str = "balanced",
        device: str = "auto",
        capacity: int = 0,
        convert: bool = False,
    ):
        options = build_options(quality, capacity)
        geometries = self._geometries(keys, faces, convert)
        device, on_stream = device_for(device, device_of(geometries))
        self._context = context_of(device, *on_stream)
        check_device(self._context, geometries)
        made = c_void_p()
        call("copse_motion_build", self._context.address, structs_of(geometries), len(geometries), 1, byref(options), byref(made))
        self._handle, self._faces = Handle("motion", made.value), faces

    @staticmethod
    def _geometries(keys: Sequence[Any], faces: Any, convert: bool) -> List[Geometry]:
        geometries = [Geometry(vertices, faces, convert=convert) for vertices in keys]
        if len(geometries) < 2:
            raise InvalidArgument(f"{len(geometries)} keys were given; 2 are needed at least")
        return geometries

    def __repr__(self) -> str:
        return f"<copse.MotionScene of {self.triangle_count} triangles at {self.key_count} keys on {self.device}>"

    @property
    def triangle_count(self) -> int:
        return library.copse_motion_triangle_count(self._handle.address)

    @property
    def key_count(self) -> int:
        return library.copse_motion_key_count(self._handle.address)

    @property
    def size_bytes(self) -> int:
        return library.copse_motion_size_bytes(self._handle.address)

    def refit(self, keys: Sequence[Any], *, convert: bool = False) -> None:
        """Fits the tree to new vertices of all keys."""
        self._change("copse_motion_refit", keys, self._faces, convert)

    def rebuild(self, keys: Sequence[Any], faces: Any = None, *, convert: bool = False) -> None:
        """Builds a new tree in the same memory, over as many keys. faces: None: the same as before."""
        self._faces = self._faces if faces is None else faces
        self._change("copse_motion_rebuild", keys, self._faces, convert)

    def _change(self, function: str, keys: Sequence[Any], faces: Any, convert: bool) -> None:
        geometries = self._geometries(keys, faces, convert)
        check_device(self._context, geometries)
        context = self._context_for(device_of(geometries))
        call(function, context.address, self._handle.address, structs_of(geometries), len(geometries), 1)

    def cast_rays(
        self,
        origins: Any,
        directions: Any = None,
        *,
        times: Any,
        t_min: Any = 0.0,
        t_max: Any = float("inf"),
        mask: Optional[int] = None,
        masks: Any = None,
        cull: Optional[str] = None,
        out: Optional[Hits] = None,
        convert: bool = False,
    ) -> Hits:
        """Returns the closest hit of every ray at its time.

        times: a number for all rays, or (n,) float32, from 0 to 1
        Other arguments are those of Scene.cast_rays.
        """
        rays = Rays(self._context, origins, directions, t_min, t_max, masks, convert)
        at = self._times(rays, times, convert)
        hits = records_for(Hits, out, rays.place, (rays.count,))
        self._trace("copse_motion_closest_hits", rays, at, (hits._memory.address, hits._memory.kind), mask, cull)
        return hits

    def occluded(
        self,
        origins: Any,
        directions: Any = None,
        *,
        times: Any,
        t_min: Any = 0.0,
        t_max: Any = float("inf"),
        mask: Optional[int] = None,
        masks: Any = None,
        cull: Optional[str] = None,
        out: Any = None,
        convert: bool = False,
    ) -> Any:
        """Returns (n,) bool: True where a ray hits anything at its time. Arguments are those of cast_rays."""
        rays = Rays(self._context, origins, directions, t_min, t_max, masks, convert)
        at = self._times(rays, times, convert)
        result = Numbers(out, rays.place, (rays.count,), "bool")
        self._trace("copse_motion_any_hits", rays, at, (result.address, result.kind), mask, cull)
        return result.array

    def _times(self, rays: Rays, times: Any, convert: bool) -> tuple:
        if isinstance(times, (int, float)):
            return None, 0, times
        array = _arrays.require_packed("times", _arrays.read("times", times, [(rays.count,)], convert=convert))
        place_of(self._context, rays._arrays[0], ("times", array))
        return array.address or None, array.memory, 0.0

    def _trace(self, function: str, rays: Rays, times: tuple, results: tuple, mask: Optional[int], cull: Optional[str]) -> None:
        context = rays.place.context = self._context_for(rays._arrays[0][1])
        call(function, context.address, self._handle.address, rays.struct, *times, *results, rays.options(mask, cull))

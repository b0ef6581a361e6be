"""Triangles that move while a picture is taken."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Generic, List, Optional, Sequence

from . import _arrays
from ._build import build_options, check_device
from ._context import Handle, context_of, device_for
from ._device import OnDevice
from ._errors import InvalidArgument
from ._geometry import Geometry, device_of, structs_of
from ._library import call, library
from ._rays import H, Rays
from ._records import Hits, records_for
from ._results import Numbers, place_of
from ._versions import Versioned

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._rays import RayOptions


class Timed(OnDevice, Generic[H]):
    """What moves while a picture is taken: MotionScene and MotionInstances. Each ray has a time."""

    _HITS: Any

    def cast_rays(
        self,
        origins: Any,
        directions: Any = None,
        *,
        times: Any,
        out: Optional[H] = None,
        **options: Unpack[RayOptions],
    ) -> H:
        """Returns the closest hit of every ray at its time: Hits of a MotionScene, InstanceHits of MotionInstances.

        times: a number for all rays, or (n,) float32: 0 is the first key, 1 the last one
        Other arguments are those of Scene.cast_rays.
        """
        rays, at = self._timed_rays(origins, directions, times, options)
        hits = records_for(self._HITS, out, rays.place, (rays.count,))
        self._trace("closest_hits", rays, at, hits._target)
        return hits

    def occluded(
        self, origins: Any, directions: Any = None, *, times: Any, out: Any = None, **options: Unpack[RayOptions]
    ) -> Any:
        """Returns (n,) bool: True where a ray hits anything at its time. Arguments are those of cast_rays."""
        rays, at = self._timed_rays(origins, directions, times, options)
        result = Numbers(out, rays.place, (rays.count,), "bool")
        self._trace("any_hits", rays, at, result.target)
        return result.array

    @property
    def key_count(self) -> int:
        """The number of keys."""
        return getattr(library, self._PREFIX + "key_count")(self._handle.address)

    @property
    def size_bytes(self) -> int:
        """The bytes of memory that it holds, without what it places."""
        return getattr(library, self._PREFIX + "size_bytes")(self._handle.address)

    def _timed_rays(self, origins: Any, directions: Any, times: Any, options: Any) -> tuple:
        """Returns the rays, and address, memory and number of their times."""
        self.check_versions()
        rays = Rays(self._context, origins, directions, **options)
        rays.place.context = self._context_for(rays.first)
        if _arrays.is_number(times):
            return rays, (None, 0, float(times))
        array = _arrays.read("times", times, [(rays.count,)], convert=options.get("convert", False), packed=True)
        place_of(self._context, ("origins", rays.first), ("times", array))
        rays.keep(array)
        return rays, (array.address or None, array.memory, 0.0)

    def _trace(self, what: str, rays: Rays, times: tuple, results: tuple) -> None:
        context, name = rays.place.context, self._PREFIX + what
        call(name, context.address, self._handle.address, rays.struct, *times, *results, rays.options())


class MotionScene(Versioned, Timed[Hits]):
    """Triangles that move on straight lines from key to key. Each ray has a time: 0 at the first key, 1 at the last.

    keys:  a list of (n, 3) float32 vertices, one for each key, at least 2
    faces: as Geometry takes them; the same for all keys
    quality, device, capacity, convert: as for Scene
    """

    _PREFIX = "copse_motion_"
    _HITS = Hits

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
        of_keys = (structs_of(geometries), len(geometries), 1)
        call("copse_motion_build", self._context.address, *of_keys, byref(options), byref(made))
        self._handle, self._faces = Handle("motion", made.value), faces
        self._note_versions(geometries)

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
        """The number of triangles."""
        return library.copse_motion_triangle_count(self._handle.address)

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
        self._note_versions(geometries)

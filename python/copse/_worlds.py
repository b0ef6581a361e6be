"""Many scenes that do not see each other."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np

from . import _arrays
from ._arrays import Array
from ._batch import Batch, moved_words
from ._context import Handle
from ._errors import ArrayError, InvalidArgument
from ._instances import Instances
from ._library import call, library
from ._placed import Placed
from ._rays import Rays
from ._records import InstanceHits, records_for
from ._results import Numbers, place_of
from ._scene import Scene

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._rays import RayOptions


class Worlds(Placed):
    """Scenes that do not see each other, such as copies of a robot with its objects. All trees are built together.

    scenes:       a Scene, a list of them, or a Batch
    transforms:   (n, 3, 4) or (n, 4, 4) float32 on the host, of all worlds, one world after the other
    world_begins: (worlds + 1,) integers, ascending from 0 to n: world w has the instances from world_begins[w] to
                  world_begins[w + 1] - 1
    scene_ids, masks: as for Instances
    shared:       Instances that all worlds see besides their own, or None
    """

    _PREFIX = "copse_worlds_"

    def __init__(
        self,
        scenes: Union[Scene, Sequence[Scene], Batch],
        transforms: Any,
        world_begins: Any,
        *,
        scene_ids: Any = None,
        masks: Any = None,
        shared: Optional[Instances] = None,
        convert: bool = False,
    ):
        self._take_scenes(scenes)
        self.shared = shared
        if shared is not None and shared.device != self.device:
            raise InvalidArgument(f"shared is on {shared.device}, but the scenes are on {self.device}")
        begins = _begins(world_begins)
        records = self._records(transforms, scene_ids, masks, convert)
        self._wait_for_scenes()
        made = c_void_p()
        call(
            "copse_worlds_build",
            self._context.address,
            *self._accels(),
            self.batch._handle.address if self.batch is not None else None,
            *self._counted(records),
            begins.ctypes.data,
            len(begins) - 1,
            shared._handle.address if shared is not None else None,
            byref(made),
        )
        self._handle = Handle("worlds", made.value)

    def check_versions(self) -> None:
        """Raises StaleTree if a scene is older than its vertices, where that can be known."""
        super().check_versions()
        if self.shared is not None:
            self.shared.check_versions()

    def __len__(self) -> int:
        return library.copse_worlds_count(self._handle.address)

    def __repr__(self) -> str:
        return f"<copse.Worlds: {len(self)} with {self.instance_count} instances on {self.device}>"

    @property
    def instance_count(self) -> int:
        """The number of instances."""
        return library.copse_worlds_instance_count(self._handle.address)

    @property
    def size_bytes(self) -> int:
        """Bytes of all its memory."""
        return library.copse_worlds_size_bytes(self._handle.address)

    def refit(
        self, transforms: Any, *, scene_ids: Any = None, masks: Any = None, moved: Any = None, convert: bool = False
    ) -> None:
        """Fits the trees to as many instances that have moved.

        moved: (worlds,) int32 or uint32; worlds with a 0 stay as they are. None: all have moved
        """
        records = self._records(transforms, scene_ids, masks, convert)
        self._wait_for_scenes()
        context, *words, _ = moved_words(self, moved, len(self))
        call("copse_worlds_refit", context.address, self._handle.address, *self._counted(records), *words)

    def rebuild(self, transforms: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Builds new trees over as many instances."""
        records = self._records(transforms, scene_ids, masks, convert)
        self._wait_for_scenes()
        call("copse_worlds_rebuild", self._context.address, self._handle.address, *self._counted(records))

    def cast_rays(
        self, rays: Any, worlds: Any, *, out: Optional[InstanceHits] = None, **options: Unpack[RayOptions]
    ) -> InstanceHits:
        """Returns the closest hit of every ray in its world. The instances of a world are numbered from 0, and those of
        the shared part after them.

        rays:   (n, 8) float32: origin, t_min, direction, t_max
        worlds: (n,) int32 or uint32: the world of each ray. In a world that does not exist, it sees the shared part alone
        Other arguments are those of Scene.cast_rays.
        """
        all_rays, words = self._rays(rays, worlds, options)
        hits = records_for(InstanceHits, out, all_rays.place, (all_rays.count,))
        self._trace("closest_hits", all_rays, words, hits._target)
        return hits

    def occluded(self, rays: Any, worlds: Any, *, out: Any = None, **options: Unpack[RayOptions]) -> Any:
        """Returns (n,) bool: True where a ray hits anything in its world. Arguments are those of cast_rays."""
        all_rays, words = self._rays(rays, worlds, options)
        result = Numbers(out, all_rays.place, (all_rays.count,), "bool")
        self._trace("any_hits", all_rays, words, result.target)
        return result.array

    def _rays(self, given: Any, worlds: Any, options: Any) -> tuple:
        self.check_versions()
        rays = Rays(self._context, given, packed=True, **options)
        convert = options.get("convert", False)
        words = _arrays.read("worlds", worlds, [(rays.count,)], ("int32", "uint32"), convert, packed=True)
        place_of(self._context, ("rays", rays.first), ("worlds", words))
        self._wait_for_scenes()
        return rays, words

    def _trace(self, what: str, rays: Rays, words: Array, results: tuple) -> None:
        context = rays.place.context = self._context_for(rays.first)
        worlds = (words.address or None, words.memory)
        call(self._PREFIX + what, context.address, self._handle.address, rays.struct, *worlds, *results, rays.options())


def _begins(world_begins: Any) -> np.ndarray:
    begins = np.asarray(world_begins)
    if begins.ndim != 1 or len(begins) == 0 or not np.issubdtype(begins.dtype, np.integer):
        raise ArrayError(
            f"world_begins has the shape {begins.shape} of {begins.dtype}; (worlds + 1,) of integers is needed"
        )
    if begins.min() < 0 or begins.max() >= 2**32:
        raise InvalidArgument(f"world_begins has values from {begins.min()} to {begins.max()}; 0 to {2**32 - 1} are possible")
    return np.ascontiguousarray(begins, np.uint32)

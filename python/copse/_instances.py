"""Instances: scenes in many places."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from . import _arrays
from ._batch import Batch
from ._context import Handle
from ._errors import ArrayError, InvalidArgument
from ._library import HOST, StatsStruct, call, library
from ._rays import OnDevice, Rays, Traceable
from ._results import InstanceHits
from ._scene import Scene, Stats, build_options

RECORD = np.dtype([("rows", "<f4", (3, 4)), ("accel", "<u4"), ("mask", "<u4"), ("id", "<u4"), ("flags", "<u4")])


class Placed(OnDevice):
    """What refers to scenes, or to the meshes of a batch, in many places."""

    scenes: List[Scene]
    batch: Optional[Batch]

    def _take_scenes(self, scenes: Union[Scene, Sequence[Scene], Batch]) -> None:
        self.batch = scenes if isinstance(scenes, Batch) else None
        self.scenes = [scenes] if isinstance(scenes, Scene) else [] if isinstance(scenes, Batch) else list(scenes)
        if self.batch is None and not self.scenes:
            raise InvalidArgument("0 scenes were given; 1 is needed at least")
        for number, scene in enumerate(self.scenes):
            if scene.device != self.scenes[0].device:
                raise InvalidArgument(f"scene {number} is on {scene.device}, but scene 0 is on {self.scenes[0].device}")
        self._context = self._parts()[0]._context

    def _parts(self) -> List[OnDevice]:
        return [*self.scenes] if self.batch is None else [self.batch]

    def _accels(self) -> tuple:
        """Returns addresses and number of the scenes; none for a batch."""
        accels = (c_void_p * max(len(self.scenes), 1))(*[scene._handle.address for scene in self.scenes])
        return accels, len(self.scenes)

    def _records(self, transforms: Any, scene_ids: Any, masks: Any, convert: bool) -> np.ndarray:
        array = _arrays.read("transforms", transforms, [(None, 3, 4), (None, 4, 4)], convert=convert)
        if array.device != _arrays.CPU:
            raise ArrayError(f"transforms are on {array.device}; they are needed on the host")
        values = _arrays.to_numpy(array)
        if values.shape[1] == 4 and not np.array_equal(values[:, 3], np.broadcast_to([0, 0, 0, 1], (len(values), 4))):
            raise InvalidArgument("a transform has a last row other than 0 0 0 1")
        records = np.zeros(len(values), RECORD)
        records["rows"] = values[:, :3]
        records["mask"] = 0xFFFFFFFF
        scene_count = len(self.scenes) if self.batch is None else len(self.batch)
        for name, field, given, limit in (("scene_ids", "accel", scene_ids, scene_count), ("masks", "mask", masks, 2**32)):
            if given is None:
                continue
            numbers = np.asarray(given)
            if numbers.shape != records.shape or not np.issubdtype(numbers.dtype, np.integer):
                raise ArrayError(
                    f"{name} has the shape {numbers.shape} of {numbers.dtype}; ({len(records)},) of integers is needed"
                )
            if numbers.size > 0 and not 0 <= numbers.min() <= numbers.max() < limit:
                raise InvalidArgument(f"{name} has values from {numbers.min()} to {numbers.max()}; 0 to {limit - 1} are possible")
            records[field] = numbers
        records["id"] = np.arange(len(records))
        return records

    @staticmethod
    def _counted(records: np.ndarray) -> tuple:
        return (records.ctypes.data, len(records), HOST)

    def _wait_for_scenes(self) -> None:
        for part in self._parts():
            if part._context is not self._context:
                part._context.wait()


class Instances(Placed, Traceable):
    """Scenes in many places, and a tree over the places.

    scenes:     a Scene, a list of them, or a Batch. After refit() or rebuild() of one, refit or rebuild the instances too
    transforms: (n, 3, 4) float32 on the host; or (n, 4, 4), whose last rows are 0 0 0 1
    scene_ids:  (n,) which scene each one is of; None: the first
    masks:      (n,) rays pass over instances that share no bit with their mask; None: all bits
    quality, capacity: as for Scene
    """

    _CLOSEST, _ANY = "copse_scene_closest_hits", "copse_scene_any_hits"
    _FIRST, _ALL = "copse_scene_first_hits", "copse_scene_find_hits"
    _HITS = InstanceHits

    def __init__(
        self,
        scenes: Union[Scene, Sequence[Scene], Batch],
        transforms: Any,
        *,
        scene_ids: Any = None,
        masks: Any = None,
        quality: str = "balanced",
        capacity: int = 0,
        convert: bool = False,
    ):
        self._take_scenes(scenes)
        self._wait_for_scenes()
        options = build_options(quality, capacity)
        records = self._records(transforms, scene_ids, masks, convert)
        made = c_void_p()
        if self.batch is None:
            function, parts = "copse_scene_build", self._accels()
        else:
            function, parts = "copse_scene_build_of_batch", (self.batch._handle.address,)
        call(function, self._context.address, *parts, *self._counted(records), byref(options), byref(made))
        self._handle = Handle("scene", made.value)

    def __len__(self) -> int:
        return library.copse_scene_instance_count(self._handle.address)

    def __repr__(self) -> str:
        of = f"{len(self.scenes)} scenes" if self.batch is None else f"a batch of {len(self.batch)} meshes"
        return f"<copse.Instances: {len(self)} of {of} on {self.device}>"

    def refit(self, transforms: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Fits the tree to as many instances that have moved."""
        self._change("copse_scene_refit", transforms, scene_ids, masks, convert)

    def rebuild(self, transforms: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Builds a new tree over any number of instances up to the capacity."""
        self._change("copse_scene_rebuild", transforms, scene_ids, masks, convert)

    def _change(self, function: str, transforms: Any, scene_ids: Any, masks: Any, convert: bool) -> None:
        records = self._records(transforms, scene_ids, masks, convert)
        self._wait_for_scenes()
        call(function, self._context.address, self._handle.address, *self._counted(records))

    def stats(self) -> Stats:
        """Measures the tree over the instances."""
        struct = StatsStruct()
        call("copse_scene_stats", self._context.address, self._handle.address, byref(struct))
        return Stats._of(struct)

    def check_versions(self) -> None:
        """Raises StaleTree if a scene is older than its vertices, where that can be known."""
        for scene in self.scenes:
            scene.check_versions()

    def _rays(self, *arguments: Any) -> Rays:
        rays = super()._rays(*arguments)
        self._wait_for_scenes()
        return rays

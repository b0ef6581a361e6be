"""Instances: scenes in many places."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Sequence, Union

from ._batch import Batch
from ._build import Stats, build_options
from ._context import Handle
from ._library import call
from ._placed import PlacedSurfaces
from ._records import InstanceHits, InstanceNearest, InstanceNeighbours, InstanceOverlaps
from ._scene import Scene
from ._structs import StatsStruct


class Instances(PlacedSurfaces):
    """Scenes in many places, and a tree over the places.

    scenes:     a Scene, a list of them, or a Batch. After refit() or rebuild() of one, refit or rebuild the instances too
    transforms: (n, 3, 4) float32 on the host; or (n, 4, 4), whose last rows are 0 0 0 1
    scene_ids:  (n,) which scene each one is of; None: the first
    masks:      (n,) rays pass over instances that share no bit with their mask; None: all bits
    quality, capacity: as for Scene
    """

    _PREFIX = "copse_scene_"
    _HITS, _NEAREST, _NEIGHBOURS, _OVERLAPS = InstanceHits, InstanceNearest, InstanceNeighbours, InstanceOverlaps

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

    def __repr__(self) -> str:
        of = f"{len(self.scenes)} scenes" if self.batch is None else f"a batch of {len(self.batch)} meshes"
        return f"<copse.Instances: {len(self)} of {of} on {self.device}>"

    def refit(self, transforms: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Fits the tree to as many instances that have moved, and to scenes that were refitted."""
        self._change("refit", transforms, scene_ids, masks, convert)

    def rebuild(self, transforms: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Builds a new tree over any number of instances up to the capacity."""
        self._change("rebuild", transforms, scene_ids, masks, convert)

    def stats(self) -> Stats:
        """Measures the tree over the instances."""
        struct = StatsStruct()
        call("copse_scene_stats", self._context.address, self._handle.address, byref(struct))
        return Stats._of(struct)

"""Instances: scenes in many places."""

from __future__ import annotations

from ctypes import addressof, byref, c_void_p
from typing import Any, Optional, Sequence, Union

import numpy as np

from ._batch import Batch
from ._build import Stats, build_options
from ._context import Handle
from ._errors import ArrayError
from ._geometry import structs_of
from ._library import call
from ._picture import Drawn
from ._placed import PlacedSurfaces
from ._records import InstanceHits, InstanceNearest, InstanceNeighbours, InstanceOverlaps
from ._scene import Scene
from ._structs import SceneMeshStruct, StatsStruct


class Instances(PlacedSurfaces[InstanceHits, InstanceNearest, InstanceNeighbours, InstanceOverlaps], Drawn):
    """Scenes in many places, and a tree over the places.

    scenes:     a Scene, a list of them, or a Batch. After refit() or rebuild() of one, refit or rebuild the instances too
    transforms: (n, 3, 4) float32 on the host; or (n, 4, 4), whose last rows are 0 0 0 1
    scene_ids:  (n,) which scene each one is of; None: the first
    masks:      (n,) rays pass over instances that share no bit with their mask; None: all bits
    quality, capacity: as for Scene

    render() makes pictures, as that of a Scene. It copies all triangles first. Several geometries of a scene must have ids that
    count from 0, as those of files have.
    """

    #: For pictures: for each scene the colours of its geometries, (geometries, 4) float32 of red, green, blue and alpha, linear,
    #: 0 to 1. None: white. SceneFile.build() sets it.
    colours: Optional[Sequence[Any]] = None

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
        self._handle, self._placed = Handle("scene", made.value), records

    def __repr__(self) -> str:
        of = f"{len(self.scenes)} scenes" if self.batch is None else f"a batch of {len(self.batch)} meshes"
        return f"<copse.Instances: {len(self)} of {of} on {self.device}>"

    def refit(self, transforms: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Fits the tree to as many instances that have moved, and to scenes that were refitted."""
        self._change("refit", transforms, scene_ids, masks, convert)

    def rebuild(self, transforms: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Builds a new tree over any number of instances up to the capacity."""
        self._change("rebuild", transforms, scene_ids, masks, convert)

    def _change(self, what: str, transforms: Any, ids: Any, masks: Any, convert: bool) -> np.ndarray:
        self._placed = super()._change(what, transforms, ids, masks, convert)
        return self._placed

    def _draw(self, camera: int, options: Any, pixels: int) -> None:
        lists = [scene.geometries for scene in self.scenes] if self.batch is None else [[each] for each in self.batch.meshes]
        if self.colours is not None and len(self.colours) != len(lists):
            raise ArrayError(f"there are colours of {len(self.colours)} scenes, but the instances are of {len(lists)}")
        meshes, kept = (SceneMeshStruct * max(len(lists), 1))(), []
        for number, geometries in enumerate(lists):
            kept.append(structs_of(geometries))
            meshes[number].geometries, meshes[number].geometry_count = addressof(kept[-1]), len(geometries)
            if self.colours is not None:
                kept.append(_colours(number, self.colours[number], len(geometries)))
                meshes[number].colours = kept[-1].ctypes.data
        self._wait_for_scenes()
        scene = (self._context.address, self._handle.address, meshes, len(lists))
        call("copse_scene_render", *scene, *self._counted(self._placed), camera, options, pixels)

    def stats(self) -> Stats:
        """Measures the tree over the instances."""
        struct = StatsStruct()
        call("copse_scene_stats", self._context.address, self._handle.address, byref(struct))
        return Stats._of(struct)


def _colours(number: int, colours: Any, count: int) -> np.ndarray:
    """Returns the colours of the geometries of a scene."""
    array = np.asarray(colours)
    if array.shape != (count, 4) or array.dtype.kind not in "iuf":
        raise ArrayError(
            f"colours of scene {number} have the shape {array.shape} of {array.dtype}; ({count}, 4) of numbers is needed"
        )
    return np.ascontiguousarray(array, np.float32)

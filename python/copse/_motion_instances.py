"""Instances that move while a picture is taken."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, List, Sequence, Union

import numpy as np

from ._build import check_quality
from ._context import Handle
from ._errors import ArrayError, InvalidArgument, check_range
from ._library import call, library
from ._motion import MotionScene, Timed
from ._placed import Placed, rows_of
from ._records import InstanceHits
from ._scene import Scene
from ._structs import HOST, MotionInstancesStruct, MotionSceneOptions

#: A transform at a key, in parts that can be interpolated. A point p of the mesh stands in the scene at
#:
#:     turned by rotation (stretch p + pivot) + translation
#:
#: stretch: the numbers of an upper triangular matrix; rotation: a quaternion x, y, z, w of any length above 0. Keys are less
#: than half a turn apart. For a wheel, the pivot is minus the place of its hub.
MOTION_TRANSFORM = np.dtype(
    [(name, "<f4") for name in ("stretch_x", "stretch_xy", "stretch_xz", "pivot_x", "stretch_y", "stretch_yz", "pivot_y")]
    + [("stretch_z", "<f4"), ("pivot_z", "<f4"), ("rotation", "<f4", (4,)), ("translation", "<f4", (3,))]
)


def motion_transforms(transforms: Any, *, convert: bool = False) -> np.ndarray:
    """Returns transforms taken apart, without a pivot: (n,) of MOTION_TRANSFORM.

    transforms: (n, 3, 4) float32 on the host; or (n, 4, 4), whose last rows are 0 0 0 1
    """
    rows = np.ascontiguousarray(rows_of("transforms", transforms, convert))
    parts = np.empty(len(rows), MOTION_TRANSFORM)
    call("copse_motion_transforms_of", rows.ctypes.data, len(rows), parts.ctypes.data)
    return parts


class MotionInstances(Timed[InstanceHits], Placed):
    """Scenes that move on their ways from key to key, and trees over them. Each ray has a time: 0 at the first key, 1 at the
    last. The hits of a ray are those of Instances at its time.

    scenes:     a Scene or a MotionScene, or a list of them in any mixture. After refit() or rebuild() of one, refit or rebuild
                this too
    keys:       where the instances stand at each key, at least 2: a list of (n, 3, 4) or (n, 4, 4) float32 on the host, which
                are taken apart into rotation, stretch and translation. Or one array (n, keys) of MOTION_TRANSFORM
    scene_ids:  (n,) which scene each one is of; None: the first
    masks:      (n,) rays pass over instances that share no bit with their mask; None: all bits
    tree_count: trees over the instances, each for a part of the time, up to 256; 0: one between any two keys
    quality, capacity: as for Scene
    """

    _PREFIX = "copse_motion_scene_"
    _HITS = InstanceHits

    def __init__(
        self,
        scenes: Union[Scene, MotionScene, Sequence[Union[Scene, MotionScene]]],
        keys: Any,
        *,
        scene_ids: Any = None,
        masks: Any = None,
        tree_count: int = 0,
        quality: str = "balanced",
        capacity: int = 0,
        convert: bool = False,
    ):
        self._take_scenes([scenes] if isinstance(scenes, (Scene, MotionScene)) else scenes)
        check_range("tree_count", tree_count, 0, 256)
        options = MotionSceneOptions(
            quality=check_quality(quality, capacity),
            tree_count=tree_count,
            capacity=capacity,
        )
        groups = self._group_scenes()
        struct, arrays = self._moving(keys, scene_ids, masks, convert)
        self._wait_for_scenes()
        made = c_void_p()
        call("copse_motion_scene_build", self._context.address, *groups, byref(struct), byref(options), byref(made))
        del arrays  # they had to live until now
        self._handle = Handle("motion_scene", made.value)

    def _group_scenes(self) -> tuple:
        """Returns addresses and number of the scenes that stand still inside, then of those that move. The library numbers
        them in this order."""
        groups: List[List[int]] = [[], []]
        for number, scene in enumerate(self.scenes):
            if not isinstance(scene, (Scene, MotionScene)):
                raise ArrayError(f"scene {number} is a {type(scene).__name__}; a Scene or a MotionScene is needed")
            groups[isinstance(scene, MotionScene)].append(number)
        self._numbers_inside = np.argsort(groups[0] + groups[1]).astype(np.uint32)
        arguments: tuple = ()
        for group in groups:
            addresses = (c_void_p * max(len(group), 1))(*[self.scenes[number]._handle.address for number in group])
            arguments += (addresses, len(group))
        return arguments

    def _moving(self, keys: Any, scene_ids: Any, masks: Any, convert: bool) -> tuple:
        """Returns the instances for the library, and the arrays that they are in."""
        transforms = _transforms_of(keys, convert)
        count, key_count = transforms.shape
        ids = np.zeros(count, np.uint32)
        if scene_ids is not None:
            ids = self._numbers(self._IDS, scene_ids, count, len(self.scenes))
        arrays = [transforms, self._numbers_inside[ids]]
        if masks is not None:
            arrays.append(self._numbers("masks", masks, count, 2**32))
        addresses = [array.ctypes.data if array.size > 0 else None for array in arrays] + [None]
        struct = MotionInstancesStruct(
            transforms=addresses[0],
            count=count,
            key_count=key_count,
            memory=HOST,
            accels=addresses[1],
            masks=addresses[2],
        )
        return struct, arrays

    def __len__(self) -> int:
        return library.copse_motion_scene_instance_count(self._handle.address)

    def __repr__(self) -> str:
        of = f"{len(self)} of {len(self.scenes)} scenes at {self.key_count} keys"
        return f"<copse.MotionInstances: {of} on {self.device}>"

    def refit(self, keys: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Fits the trees to as many instances that move otherwise, at as many keys, and to scenes that were refitted."""
        self._change("refit", keys, scene_ids, masks, convert)

    def rebuild(self, keys: Any, *, scene_ids: Any = None, masks: Any = None, convert: bool = False) -> None:
        """Builds new trees over any number of instances up to the capacity, at as many keys."""
        self._change("rebuild", keys, scene_ids, masks, convert)

    def _change(self, what: str, keys: Any, scene_ids: Any, masks: Any, convert: bool) -> None:
        struct, arrays = self._moving(keys, scene_ids, masks, convert)
        self._wait_for_scenes()
        call(self._PREFIX + what, self._context.address, self._handle.address, byref(struct))
        del arrays  # they had to live until now

    def _timed_rays(self, *arguments: Any) -> tuple:
        rays = super()._timed_rays(*arguments)
        self._wait_for_scenes()
        return rays


def _transforms_of(keys: Any, convert: bool) -> np.ndarray:
    """Returns (n, keys) of MOTION_TRANSFORM."""
    if isinstance(keys, np.ndarray) and keys.dtype == MOTION_TRANSFORM:
        if keys.ndim != 2 or keys.shape[1] < 2:
            raise ArrayError(f"keys have the shape {keys.shape}; (n, keys) is needed, with at least 2 keys")
        return np.ascontiguousarray(keys)
    parts = [motion_transforms(transforms, convert=convert) for transforms in keys]
    if len(parts) < 2:
        raise InvalidArgument(f"{len(parts)} keys were given; 2 are needed at least")
    for number, part in enumerate(parts):
        if len(part) != len(parts[0]):
            raise ArrayError(f"key {number} has {len(part)} transforms, but key 0 has {len(parts[0])}")
    return np.ascontiguousarray(np.stack(parts, axis=1))

"""What instances, nested instances and worlds share: scenes in many places."""

from __future__ import annotations

from ctypes import c_void_p
from typing import Any, Generic, List, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np

from . import _arrays
from ._arrays import Array
from ._batch import Batch
from ._device import OnDevice
from ._errors import ArrayError, InvalidArgument
from ._geometry import mask_of
from ._library import call, library
from ._questions import Answering
from ._rays import H, Rays, TraceableInDepth
from ._records import Nearest, Records
from ._results import Place
from ._scene import Scene
from ._structs import ALL_BITS, HOST

RECORD = np.dtype([("rows", "<f4", (3, 4)), ("accel", "<u4"), ("mask", "<u4"), ("id", "<u4"), ("flags", "<u4")])


def rows_of(name: str, transforms: Any, convert: bool) -> np.ndarray:
    """Returns (n, 3, 4) of transforms of a caller, which are (n, 3, 4) or (n, 4, 4) on the host."""
    array = _arrays.read(name, transforms, [(None, 3, 4), (None, 4, 4)], convert=convert, may_overlap=True)
    if array.device != _arrays.CPU:
        raise ArrayError(f"{name} are on {array.device}; they are needed on the host")
    values = _arrays.to_numpy(array)
    if values.shape[1] == 4 and not np.array_equal(values[:, 3], np.broadcast_to([0, 0, 0, 1], (len(values), 4))):
        raise InvalidArgument(f"{name} have a last row other than 0 0 0 1")
    return values[:, :3]


# What questions to a structure find.
N = TypeVar("N", bound=Nearest)
K = TypeVar("K", bound=Records)
O = TypeVar("O", bound=Records)


class Placed(OnDevice):
    """What refers to scenes, or to the meshes of a batch, in many places."""

    scenes: List[Any]
    batch: Optional[Batch]
    _IDS = "scene_ids"  # what messages call the numbers of the scenes

    def _take_scenes(self, scenes: Union[Scene, Sequence[Any], Batch]) -> None:
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

    def check_versions(self) -> None:
        """Raises StaleTree if a scene is older than its vertices, where that can be known."""
        for part in self._parts():
            part.check_versions()

    def _accels(self) -> tuple:
        """Returns addresses and number of the scenes; none for a batch."""
        accels = (c_void_p * max(len(self.scenes), 1))(*[scene._handle.address for scene in self.scenes])
        return accels, len(self.scenes)

    def _records(self, transforms: Any, scene_ids: Any, masks: Any, convert: bool) -> np.ndarray:
        values = rows_of("transforms", transforms, convert)
        records = np.zeros(len(values), RECORD)
        records["rows"] = values
        records["mask"] = 0xFFFFFFFF
        if scene_ids is not None:
            records["accel"] = self._numbers(self._IDS, scene_ids, len(records), self._scene_count())
        if masks is not None:
            records["mask"] = self._numbers("masks", masks, len(records), 2**32)
        records["id"] = np.arange(len(records))
        return records

    def _scene_count(self) -> int:
        return len(self.scenes) if self.batch is None else len(self.batch)

    @staticmethod
    def _numbers(name: str, given: Any, count: int, limit: int) -> np.ndarray:
        """Returns (count,) uint32 of a caller. Raises InvalidArgument unless all are below the limit."""
        numbers = np.asarray(given)
        if numbers.shape != (count,) or not np.issubdtype(numbers.dtype, np.integer):
            raise ArrayError(f"{name} has the shape {numbers.shape} of {numbers.dtype}; ({count},) of integers is needed")
        if numbers.size > 0 and not 0 <= numbers.min() <= numbers.max() < limit:
            raise InvalidArgument(f"{name} has values from {numbers.min()} to {numbers.max()}; 0 to {limit - 1} are possible")
        return np.ascontiguousarray(numbers, np.uint32)

    @staticmethod
    def _counted(records: np.ndarray) -> tuple:
        return (records.ctypes.data, len(records), HOST)

    def _wait_for_scenes(self) -> None:
        """Waits for work on scenes that was put on another stream."""
        for part in self._parts():
            if part._context is not self._context:
                part._context.wait()


class PlacedSurfaces(Placed, TraceableInDepth[H], Answering, Generic[H, N, K, O]):
    """Instances or NestedInstances: triangles in many places, for rays and questions."""

    def __len__(self) -> int:
        return getattr(library, self._PREFIX + "instance_count")(self._handle.address)

    @property
    def size_bytes(self) -> int:
        """The bytes of memory that it holds, without what it places."""
        return getattr(library, self._PREFIX + "size_bytes")(self._handle.address)

    def closest_points(
        self,
        points: Any,
        *,
        max_distance: float = float("inf"),
        mask: int = ALL_BITS,
        out: Optional[N] = None,
        convert: bool = False,
    ) -> N:
        """Returns the point of the surface of any instance that is nearest to each point.

        points: (n, 3) float32
        max_distance: nothing that is farther is found
        mask:   instances that share no bit with it are not there
        """
        return self._closest_points(points, max_distance, out, convert, (mask_of(mask),))

    def contains(self, points: Any, *, mask: int = ALL_BITS, out: Any = None, convert: bool = False) -> Any:
        """Returns (n,) bool: True where a point is inside any instance. The meshes must be closed.

        points: (n, 3) float32
        """
        return self._contains(points, out, convert, (mask_of(mask),))

    def signed_distance(self, points: Any, *, mask: int = ALL_BITS, convert: bool = False) -> Any:
        """Returns (n,) float32: the distance to the nearest surface of any instance, negative inside of one. The meshes must
        be closed.

        points: (n, 3) float32, in NumPy, PyTorch or CuPy
        """
        return self._signed_distance(points, convert, (mask_of(mask),))

    def k_nearest(
        self,
        points: Any,
        k: int,
        *,
        max_distance: float = float("inf"),
        mask: int = ALL_BITS,
        out: Optional[K] = None,
        convert: bool = False,
    ) -> K:
        """Returns the k triangles nearest to each point, (n, k), nearest first: InstanceNeighbours, or NestedNeighbours.
        Where there are fewer, the primitive is -1.

        points: (n, 3) float32
        """
        return self._k_nearest(points, k, max_distance, out, convert, (mask_of(mask),))

    def overlaps(
        self,
        *,
        boxes: Any = None,
        spheres: Any = None,
        frusta: Any = None,
        mask: int = ALL_BITS,
        convert: bool = False,
    ) -> Tuple[Any, O]:
        """Returns (offsets, overlaps): the triangles that touch region i are those from offsets[i] to offsets[i + 1] of the
        InstanceOverlaps, or NestedOverlaps.

        boxes, spheres, frusta: one of them, as for Scene.overlaps
        """
        return self._overlaps(boxes, spheres, frusta, convert, (mask_of(mask),))

    def _change(self, what: str, transforms: Any, ids: Any, masks: Any, convert: bool) -> np.ndarray:
        records = self._records(transforms, ids, masks, convert)
        self._wait_for_scenes()
        call(self._PREFIX + what, self._context.address, self._handle.address, *self._counted(records))
        return records

    def _rays(self, *arguments: Any, **options: Any) -> Rays:
        rays = super()._rays(*arguments, **options)
        self._wait_for_scenes()
        return rays

    def _read_points(self, *arguments: Any) -> Tuple[Array, Place]:
        read = super()._read_points(*arguments)
        self._wait_for_scenes()
        return read

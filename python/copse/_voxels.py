"""Voxels and distances of a mesh, as arrays."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ._context import Context, Handle
from ._errors import InvalidArgument, check_range
from ._geometry import Geometry, structs_of
from ._library import call, library
from ._results import DeviceArray, Place, as_kind
from ._structs import GridShape

RULES = {"touched": 0, "crossed": 1, "inside": 2}


class _Grid:
    """What grids of voxels share. Voxel (x, y, z) is the cube from lower + (x, y, z) * voxel_size on."""

    _KIND: str

    def __init__(self, context: Context, kind: str, address: int):
        self._context, self._handle = context, Handle(self._KIND, address)
        self._place = Place(context, context.is_cuda, kind)
        self._shape = GridShape()
        call(f"copse_{self._KIND}_shape", context.address, address, byref(self._shape))

    @property
    def device(self) -> str:
        """The device: "cpu" or "cuda:N"."""
        return self._context.device

    @property
    def resolution(self) -> Tuple[int, int, int]:
        """Voxels along x, y and z."""
        x, y, z = self._shape.resolution
        return x, y, z

    @property
    def lower(self) -> np.ndarray:
        """(3,) float64: the corner of voxel (0, 0, 0)."""
        return np.array(self._shape.lower)

    @property
    def voxel_size(self) -> float:
        """The edge of a voxel."""
        return self._shape.voxel_size

    @property
    def voxel_count(self) -> int:
        """Voxels that are set."""
        return self._shape.voxel_count

    def _view(self, address: Optional[int], shape: tuple, typestr: str) -> Any:
        """Returns an array over the memory of the grid, which it keeps."""
        if self._place.is_device:
            return as_kind(DeviceArray(self._handle, address or 0, shape, None, typestr, self._place), self._place)
        if 0 in shape:
            return as_kind(np.empty(shape, typestr), self._place)
        return as_kind(np.asarray(_HostMemory(self._handle, address, shape, typestr)), self._place)

    def _to_host(self, address: Optional[int], shape: tuple, typestr: str) -> np.ndarray:
        """Returns a copy on the host."""
        host = np.empty(shape, typestr)
        if host.size > 0:
            call("copse_download", self._context.address, host.ctypes.data, address, host.nbytes)
        return host


class _HostMemory:
    def __init__(self, owner: Handle, address: Optional[int], shape: tuple, typestr: str):
        self.owner = owner
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (address, False), "version": 3}


class Voxels(_Grid):
    """A dense grid of bits, one per voxel. Scene.voxels() makes it."""

    _KIND = "voxels"

    def __repr__(self) -> str:
        return f"<copse.Voxels: {self.voxel_count} of {' x '.join(map(str, self.resolution))} on {self.device}>"

    def _words_shape(self) -> tuple:
        x, y, z = self.resolution
        return z, y, (x + 31) // 32

    @property
    def words(self) -> Any:
        """(z, y, w) uint32, without a copy: voxel x is bit x % 32, counted from the lowest, of word x // 32."""
        return self._view(library.copse_voxels_words(self._handle.address), self._words_shape(), "<u4")

    def dense(self) -> np.ndarray:
        """Returns (z, y, x) bool, a copy on the host."""
        words = self._to_host(library.copse_voxels_words(self._handle.address), self._words_shape(), "<u4")
        bits = np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")
        return bits[..., : self.resolution[0]].astype(bool)


class Bricks(_Grid):
    """Sparse bricks of 8 x 8 x 8 voxels. Scene.bricks() makes them."""

    _KIND = "bricks"

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<copse.{name}: {len(self)} bricks of {' x '.join(map(str, self.resolution))} voxels on {self.device}>"

    def __len__(self) -> int:
        return self._shape.brick_count

    @property
    def keys(self) -> Any:
        """(n,) int64, without a copy, ascending: places() decodes them."""
        return self._view(library.copse_bricks_keys(self._handle.address), (len(self),), "<i8")

    @property
    def words(self) -> Any:
        """(n, 16) uint32, without a copy: voxel (x, y, z) of a brick is bit (x + 8 y) % 32 of word 2 z + y // 4."""
        return self._view(library.copse_bricks_words(self._handle.address), (len(self), 16), "<u4")

    def places(self) -> np.ndarray:
        """Returns (n, 3) int64, on the host: x, y and z of the first voxel of each brick."""
        keys = self._to_host(library.copse_bricks_keys(self._handle.address), (len(self),), "<i8")
        x, y = self._shape.bricks[0], self._shape.bricks[1]
        return 8 * np.stack([keys % x, keys // x % y, keys // (x * y)], axis=-1)

    def voxels(self) -> np.ndarray:
        """Returns (n, 8, 8, 8) bool by z, y and x: which voxels of each brick are set; a copy on the host."""
        words = self._to_host(library.copse_bricks_words(self._handle.address), (len(self), 16), "<u4")
        return np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little").reshape(-1, 8, 8, 8).astype(bool)


class DistanceField(Bricks):
    """Distances from a closed surface near it, negative inside, in sparse bricks. Scene.distance_field() makes it."""

    @property
    def band(self) -> float:
        """How far the distances reach. Voxels of a brick that are farther have band, or -band inside."""
        return self._shape.band

    @property
    def values(self) -> Any:
        """(n, 8, 8, 8) float32 by z, y and x, without a copy: the distance at the centre of each voxel."""
        return self._view(library.copse_bricks_values(self._handle.address), (len(self), 8, 8, 8), "<f4")

    def dense(self) -> np.ndarray:
        """Returns (z, y, x) float32, a copy on the host: NaN where there is no brick."""
        values = self._to_host(library.copse_bricks_values(self._handle.address), (len(self), 8, 8, 8), "<f4")
        bricks = tuple(self._shape.bricks)
        whole = np.full((bricks[2], 8, bricks[1], 8, bricks[0], 8), np.nan, np.float32)
        x, y, z = (self.places() // 8).T
        whole[z, :, y, :, x, :] = values
        resolution = self.resolution
        whole = whole.reshape(8 * bricks[2], 8 * bricks[1], 8 * bricks[0])
        return whole[: resolution[2], : resolution[1], : resolution[0]]


def make(kind: type, context: Context, geometries: Sequence[Geometry], *arguments: Any) -> Any:
    """Returns Voxels, Bricks or a DistanceField of geometries."""
    functions: Any = {
        Voxels: "copse_voxels_build",
        Bricks: "copse_bricks_build",
        DistanceField: "copse_distances_build",
    }
    made = c_void_p()
    call(functions[kind], context.address, structs_of(geometries), len(geometries), *arguments, byref(made))
    of_caller = geometries[0]._positions.kind if geometries else "numpy"
    return kind(context, of_caller, made.value)


def rule_of(rule: str) -> int:
    if rule not in RULES:
        raise InvalidArgument(f'rule is {rule!r}; it can be "touched", "crossed" or "inside"')
    return RULES[rule]


def check_resolution(resolution: int) -> int:
    check_range("resolution", resolution, 1, 65536)
    return resolution

"""Scene: triangles in a tree, for rays and queries."""

from __future__ import annotations

import os
from ctypes import byref, c_void_p
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _voxels
from ._build import Stats, build_options, check_device
from ._context import Handle, automatic_device, context_of, device_for
from ._errors import InvalidArgument
from ._geometry import Geometry, are_geometries, device_of, structs_of
from ._library import call, library
from ._picture import Drawn
from ._questions import Answering
from ._rays import TraceableInDepth
from ._records import Hits, Nearest, Neighbours
from ._saved import Saved
from ._structs import SelfOverlapOptions, StatsStruct
from ._tree import Tree


class Scene(TraceableInDepth[Hits], Answering, Saved, Drawn):
    """Triangles in a tree, for rays and queries. Results are equal on all devices, bit for bit.

    vertices, faces, convert: as Geometry takes them
    quality:  "fast", for scenes that are built anew in every frame; "balanced"; or "best", for scenes that stay
    device:   "auto": where the vertices are, else the GPU if one answers, else the CPU; "cpu", "cuda" or "cuda:N"
    capacity: room for so many triangles, so that rebuild() may have more of them
    splits:   room for references per triangle, 1 to 4. Above 1, triangles that fill their boxes badly stand in several
              leaves. Results stay the same. Rays get faster by long triangles, and slower at large walls: measure
    """

    _PREFIX = "copse_"
    _HITS, _NEAREST, _NEIGHBOURS, _OVERLAPS = Hits, Nearest, Neighbours, None

    def __init__(
        self,
        vertices: Any,
        faces: Any = None,
        *,
        quality: str = "balanced",
        device: str = "auto",
        capacity: int = 0,
        splits: float = 1,
        convert: bool = False,
    ):
        self._build([Geometry(vertices, faces, convert=convert)], quality, device, capacity, splits)

    @classmethod
    def from_geometries(
        cls,
        geometries: Sequence[Geometry],
        *,
        quality: str = "balanced",
        device: str = "auto",
        capacity: int = 0,
        splits: float = 1,
    ) -> "Scene":
        """Returns a scene of several geometries, with ids and masks of their own."""
        scene = cls.__new__(cls)
        scene._build(list(geometries), quality, device, capacity, splits)
        return scene

    def _build(
        self, geometries: List[Geometry], quality: str, device: str, capacity: int, splits: float = 1
    ) -> None:
        options = build_options(quality, capacity, splits)
        device, on_stream = device_for(device, device_of(geometries))
        self._context = context_of(device, *on_stream)
        check_device(self._context, geometries)
        made = c_void_p()
        structs = structs_of(geometries)
        call("copse_accel_build", self._context.address, structs, len(geometries), byref(options), byref(made))
        self._handle, self.quality = Handle("accel", made.value), quality
        self._keep(geometries)

    def __repr__(self) -> str:
        return f"<copse.Scene of {self.triangle_count} triangles on {self.device}>"

    @property
    def vertices(self) -> Any:
        """The vertices of the only geometry."""
        return self._only_geometry().vertices

    @property
    def faces(self) -> Any:
        """The faces of the only geometry."""
        return self._only_geometry().faces

    def _only_geometry(self) -> Geometry:
        if len(self.geometries) != 1:
            raise InvalidArgument(f"the scene has {len(self.geometries)} geometries; ask scene.geometries")
        return self.geometries[0]

    @property
    def triangle_count(self) -> int:
        """The number of triangles."""
        return library.copse_accel_triangle_count(self._handle.address)

    @property
    def size_bytes(self) -> int:
        """Bytes of all its memory."""
        return library.copse_accel_size_bytes(self._handle.address)

    def stats(self) -> Stats:
        """Measures the tree."""
        struct = StatsStruct()
        call("copse_accel_stats", self._context.address, self._handle.address, byref(struct))
        return Stats._of(struct)

    def tree(self) -> Tree:
        """Returns the tree, for a look at its nodes and at the walks of rays. Make another one after a refit or a rebuild."""
        self.check_versions()
        return Tree._of_accel(self._context, self._handle)

    # ---- Motion ----------------------------------------------------------------------------------------

    def refit(self, vertices: Any, *, convert: bool = False) -> None:
        """Fits the tree to vertices that have moved. Rays become slower as the triangles move apart.

        vertices: as many as before; or a list of geometries, with the same triangles as before
        """
        self._change("copse_accel_refit", self._moved(vertices, convert))

    def rebuild(self, vertices: Any, faces: Any = None, *, convert: bool = False) -> None:
        """Builds a new tree in the same memory.

        vertices: any number; or a list of geometries. At most as many triangles as the first build, or its capacity
        faces:    None: the same as before
        """
        if faces is not None:
            only = self._only_geometry()
            geometries = [Geometry(vertices, faces, id=only.id, mask=only.mask, convert=convert)]
        else:
            geometries = self._moved(vertices, convert)
        self._change("copse_accel_rebuild", geometries)

    def _moved(self, vertices: Any, convert: bool) -> List[Geometry]:
        if are_geometries(vertices):
            return list(vertices)
        return [self._only_geometry().moved(vertices, convert)]

    def _change(self, function: str, geometries: List[Geometry], *more: Any) -> None:
        check_device(self._context, geometries)
        context = self._context_for(device_of(geometries))
        call(function, context.address, self._handle.address, structs_of(geometries), len(geometries), *more)
        self._keep(geometries)

    def compact(self) -> None:
        """Frees the memory that the tree does not use. It can be traced and refitted, but not rebuilt."""
        call("copse_accel_compact", self._context.address, self._handle.address)

    # ---- Points ----------------------------------------------------------------------------------------

    def closest_points(
        self, points: Any, *, max_distance: float = float("inf"), out: Optional[Nearest] = None, convert: bool = False
    ) -> Nearest:
        """Returns the point of the surface that is nearest to each point.

        points: (n, 3) float32
        max_distance: nothing that is farther is found
        """
        return self._closest_points(points, max_distance, out, convert)

    def contains(self, points: Any, *, out: Any = None, convert: bool = False) -> Any:
        """Returns (n,) bool: True where a point is inside the closed mesh.

        points: (n, 3) float32
        """
        return self._contains(points, out, convert)

    def signed_distance(self, points: Any, *, convert: bool = False) -> Any:
        """Returns (n,) float32: the distance to the surface of a closed mesh, negative inside.

        points: (n, 3) float32, in NumPy, PyTorch or CuPy
        """
        return self._signed_distance(points, convert)

    def k_nearest(
        self,
        points: Any,
        k: int,
        *,
        max_distance: float = float("inf"),
        out: Optional[Neighbours] = None,
        convert: bool = False,
    ) -> Neighbours:
        """Returns the k triangles nearest to each point, (n, k), nearest first. Where there are fewer, the primitive is
        -1.

        points: (n, 3) float32
        """
        return self._k_nearest(points, k, max_distance, out, convert)

    # ---- Regions and pairs -----------------------------------------------------------------------------

    def overlaps(
        self, *, boxes: Any = None, spheres: Any = None, frusta: Any = None, convert: bool = False
    ) -> Tuple[Any, Any]:
        """Returns (offsets, triangles): those that touch region i are triangles[offsets[i]:offsets[i + 1]].

        Their numbers count through all geometries. Give one of
        boxes:   (n, 6) float32: lower corner, upper corner
        spheres: (n, 4) float32: centre, radius
        frusta:  (n, 24) float32: normal and offset of six planes, inside where normal . p + offset >= 0
        """
        return self._overlaps(boxes, spheres, frusta, convert)

    def pairs(self, *, exact: bool = True, with_adjacent: bool = False) -> np.ndarray:
        """Returns (m, 2) int32: the pairs of triangles that overlap each other, each pair once.

        exact:         False: those whose boxes overlap, which is a tenth of the work
        with_adjacent: also those that share a corner
        """
        self.check_versions()
        options = SelfOverlapOptions(exact_triangles=int(exact), with_adjacent=int(with_adjacent))
        total = np.zeros(1, np.uint64)
        found = np.empty((0, 2), np.int32)
        while True:
            call(
                "copse_self_overlaps",
                self._context.address,
                self._handle.address,
                byref(options),
                found.ctypes.data if len(found) else None,
                len(found),
                0,
                total.ctypes.data,
                0,
            )
            if len(found) == int(total[0]):
                return found
            found = np.empty((int(total[0]), 2), np.int32)

    # ---- Voxels ----------------------------------------------------------------------------------------

    def voxels(self, resolution: int, *, rule: str = "touched") -> _voxels.Voxels:
        """Returns the voxels of the mesh, in a dense grid over its box.

        resolution: voxels along the longest edge of the box, 1 to 2048
        rule:       "touched": those that a triangle touches; "crossed": a thinner surface, which no path over faces passes;
                    "inside": those with a centre inside the closed mesh
        """
        return self._grid(_voxels.Voxels, _voxels.check_resolution(resolution), _voxels.rule_of(rule))

    def bricks(self, resolution: int) -> _voxels.Bricks:
        """Returns the voxels that triangles touch, in sparse bricks. resolution: 1 to 65,536 along the longest edge."""
        return self._grid(_voxels.Bricks, _voxels.check_resolution(resolution))

    def distance_field(self, resolution: int = 256, *, band: float = 3.0) -> _voxels.DistanceField:
        """Returns the distances from the closed mesh near it, negative inside, in sparse bricks.

        resolution: voxels along the longest edge of the box, 1 to 4096
        band:       how far from the surface voxels have distances, in voxels: 2 to 16
        """
        return self._grid(_voxels.DistanceField, _voxels.check_resolution(resolution), band)

    def _grid(self, kind: type, *arguments: Any) -> Any:
        context = self._context_for(device_of(self.geometries))
        return _voxels.make(kind, context, self.geometries, *arguments)


def load(path: Union[str, "os.PathLike[str]"], *, device: str = "auto", mmap: bool = False) -> Scene:
    """Returns the scene of a .copse file. It can be traced and refitted, but not rebuilt.

    mmap: True for a scene on the CPU in the pages of the file, without a copy. The file must not be changed or cut while
          the scene lives; scene.save() may put a new one in its place.
    """
    scene = Scene.__new__(Scene)
    if device == "auto":
        device = "cpu" if mmap else automatic_device()
    scene._load(path, device, mmap)
    return scene

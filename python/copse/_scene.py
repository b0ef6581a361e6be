"""Scene: triangles in a tree, for rays and queries."""

from __future__ import annotations

import os
import tempfile
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _voxels
from ._arrays import CPU, Array
from ._context import Context, Handle, automatic_device, context_of, device_for
from ._errors import ArrayError, InvalidArgument, StaleTree
from ._geometry import Geometry, device_of, geometry_of_file, structs_of
from ._library import BuildOptions, GeometryStruct, SelfOverlapOptions, StatsStruct, call, library
from ._rays import Traceable
from ._results import Hits, Nearest, Neighbours, Numbers, Place, element_of, place_of, records_for

QUALITIES = {"fast": 0, "balanced": 1, "best": 2}


@dataclass(frozen=True)
class Stats:
    """Measures of a tree."""

    source_count: int  #: triangles, or instances, of the last build
    left_out_count: int  #: those that are not in the tree, since no ray can hit them
    node_count: int
    leaf_count: int
    depth: int  #: nodes on the longest path from the root to a leaf
    sah_cost: float  #: expected cost of a ray
    lower: Tuple[float, float, float]  #: the box around the tree
    upper: Tuple[float, float, float]
    used_bytes: int
    size_bytes: int

    @classmethod
    def _of(cls, struct: StatsStruct) -> "Stats":
        values = {name: getattr(struct, name) for name in cls.__dataclass_fields__}
        values["lower"], values["upper"] = tuple(struct.lower), tuple(struct.upper)
        return cls(**values)


def build_options(quality: str, capacity: int) -> BuildOptions:
    if quality not in QUALITIES:
        raise InvalidArgument(f'quality is {quality!r}; it can be "fast", "balanced" or "best"')
    if capacity < 0:
        raise InvalidArgument(f"capacity is {capacity}; it can be 0 or more")
    return BuildOptions(quality=QUALITIES[quality], capacity=capacity)


def check_device(context: Context, geometries: Sequence[Geometry]) -> None:
    """Raises ArrayError if vertices are on a GPU that is not the device of the context."""
    for number, geometry in enumerate(geometries):
        device = geometry._positions.device
        if device not in (CPU, context.device) and not (device == "cuda" and context.is_cuda):
            raise ArrayError(f"the vertices of geometry {number} are on {device}, but the scene is on {context.device}")


class Scene(Traceable):
    """Triangles in a tree, for rays and queries. Results are equal on all devices, bit for bit.

    vertices, faces, convert: as Geometry takes them
    quality:  "fast", for scenes that are built anew in every frame; "balanced"; or "best", for scenes that stay
    device:   "auto": where the vertices are, else the GPU if one answers, else the CPU; "cpu", "cuda" or "cuda:N"
    capacity: room for so many triangles, so that rebuild() may have more of them
    """

    _CLOSEST, _ANY, _FIRST, _ALL = "copse_closest_hits", "copse_any_hits", "copse_first_hits", "copse_find_hits"
    _HITS = Hits

    #: False: no rays and queries are refused because vertices were changed in place.
    checks_versions = True

    def __init__(
        self,
        vertices: Any,
        faces: Any = None,
        *,
        quality: str = "balanced",
        device: str = "auto",
        capacity: int = 0,
        convert: bool = False,
    ):
        self._build([Geometry(vertices, faces, convert=convert)], quality, device, capacity)

    @classmethod
    def from_geometries(
        cls, geometries: Sequence[Geometry], *, quality: str = "balanced", device: str = "auto", capacity: int = 0
    ) -> "Scene":
        """Returns a scene of several geometries, with ids and masks of their own."""
        scene = cls.__new__(cls)
        scene._build(list(geometries), quality, device, capacity)
        return scene

    def _build(self, geometries: List[Geometry], quality: str, device: str, capacity: int) -> None:
        options = build_options(quality, capacity)
        device, on_stream = device_for(device, device_of(geometries))
        self._context = context_of(device, *on_stream)
        check_device(self._context, geometries)
        made = c_void_p()
        structs = structs_of(geometries)
        call("copse_accel_build", self._context.address, structs, len(geometries), byref(options), byref(made))
        self._handle, self.quality = Handle("accel", made.value), quality
        self._keep(geometries)

    def _keep(self, geometries: List[Geometry]) -> None:
        self.geometries = geometries
        versions = [_arrays.version_of(geometry.vertices) for geometry in geometries]
        self._versions = versions if any(version is not None for version in versions) else None

    def check_versions(self) -> None:
        """Raises StaleTree if a tensor of vertices was changed in place after the tree was made of it. All rays and
        queries ask for it. PyTorch counts such changes; other arrays have no count, and nothing is known of them."""
        if self._versions is None or not self.checks_versions:
            return
        for number, (geometry, made_of) in enumerate(zip(self.geometries, self._versions)):
            version = _arrays.version_of(geometry.vertices)
            if version != made_of:
                raise StaleTree(
                    f"the vertices of geometry {number} are of version {version}, but the tree was made of version {made_of}: "
                    "they were changed in place. Call refit() or rebuild(), or set scene.checks_versions = False"
                )

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
        return library.copse_accel_triangle_count(self._handle.address)

    @property
    def size_bytes(self) -> int:
        return library.copse_accel_size_bytes(self._handle.address)

    def stats(self) -> Stats:
        """Measures the tree."""
        struct = StatsStruct()
        call("copse_accel_stats", self._context.address, self._handle.address, byref(struct))
        return Stats._of(struct)

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
        if isinstance(vertices, (list, tuple)) and all(isinstance(v, Geometry) for v in vertices):
            return list(vertices)
        return [self._only_geometry().moved(vertices, convert)]

    def _change(self, function: str, geometries: List[Geometry]) -> None:
        check_device(self._context, geometries)
        context = self._context_for(device_of(geometries))
        call(function, context.address, self._handle.address, structs_of(geometries), len(geometries))
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
        array, place = self._points("points", points, convert)
        nearest = records_for(Nearest, out, place, (array.count,))
        call(
            "copse_nearest_points",
            place.context.address,
            self._handle.address,
            array.address or None,
            array.count,
            array.memory,
            max_distance,
            nearest._memory.address,
            nearest._memory.kind,
        )
        return nearest

    def contains(self, points: Any, *, out: Any = None, convert: bool = False) -> Any:
        """Returns (n,) bool: True where a point is inside the closed mesh.

        points: (n, 3) float32
        """
        array, place = self._points("points", points, convert)
        result = Numbers(out, place, (array.count,), "bool")
        call(
            "copse_points_inside",
            place.context.address,
            self._handle.address,
            array.address or None,
            array.count,
            array.memory,
            result.address,
            result.kind,
        )
        return result.array

    def signed_distance(self, points: Any, *, convert: bool = False) -> Any:
        """Returns (n,) float32: the distance to the surface of a closed mesh, negative inside.

        points: (n, 3) float32, in NumPy or PyTorch
        """
        distance = self.closest_points(points, convert=convert).distance
        inside = self.contains(points, convert=convert)
        if isinstance(distance, np.ndarray):
            return np.where(inside, -distance, distance)
        if hasattr(distance, "where"):
            return distance.where(~inside, -distance)
        raise ArrayError("signed_distance takes arrays of NumPy or PyTorch; call closest_points and contains for others")

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
        if k < 1:
            raise InvalidArgument(f"k is {k}; it can be 1 or more")
        array, place = self._points("points", points, convert)
        neighbours = records_for(Neighbours, out, place, (array.count, k))
        call(
            "copse_k_nearest",
            place.context.address,
            self._handle.address,
            array.address or None,
            array.count,
            array.memory,
            k,
            max_distance,
            neighbours._memory.address,
            neighbours._memory.kind,
        )
        return neighbours

    def _points(self, name: str, points: Any, convert: bool, width: int = 3) -> Tuple[Array, Place]:
        self.check_versions()
        array = _arrays.read(name, points, [(None, width)], convert=convert)
        place = place_of(self._context, (name, _arrays.require_packed(name, array)))
        place.context = self._context_for(array)
        return array, place

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
        shapes = [("boxes", boxes, 6), ("spheres", spheres, 4), ("frusta", frusta, 24)]
        given = [(shape, name, value, width) for shape, (name, value, width) in enumerate(shapes) if value is not None]
        if len(given) != 1:
            raise InvalidArgument(f"{len(given)} kinds of regions were given; give boxes, spheres or frusta")
        shape, name, value, width = given[0]
        array, place = self._points(name, value, convert, width)
        offsets = Numbers(None, place, (array.count + 1,), "int64")

        def find(address: Optional[int], room: int) -> None:
            call(
                "copse_find_overlaps",
                place.context.address,
                self._handle.address,
                shape,
                array.address or None,
                array.count,
                array.memory,
                offsets.address,
                offsets.kind,
                address,
                room,
                offsets.kind,
            )

        find(None, 0)
        total = element_of(place, offsets.address + 8 * array.count, place.is_device)
        triangles = Numbers(None, place, (total,), "int32")
        if total > 0:
            find(triangles.address, total)
        return offsets.array, triangles.array

    def pairs(self, *, exact: bool = True, with_adjacent: bool = False) -> np.ndarray:
        """Returns (m, 2) int32: the pairs of triangles that overlap each other, each pair once.

        exact:         False: those whose boxes overlap, which is a tenth of the work
        with_adjacent: also those that share a corner
        """
        self.check_versions()
        place = Place(self._context, False, "numpy")
        options = SelfOverlapOptions(exact_triangles=int(exact), with_adjacent=int(with_adjacent))
        total = np.zeros(1, np.uint64)
        found = np.empty((0, 2), np.int32)
        while True:
            call(
                "copse_self_overlaps",
                place.context.address,
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

    # ---- Files -----------------------------------------------------------------------------------------

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the tree and its triangles to a .copse file, which load(), C, C++ and the command line read."""
        structs = structs_of(self.geometries)
        name = os.fsencode(path)
        call("copse_accel_save", self._context.address, self._handle.address, name, structs, len(self.geometries))

    def __getstate__(self) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.copse")
            self.save(path)
            with open(path, "rb") as file:
                return {"file": file.read(), "device": self.device, "quality": self.quality}

    def __setstate__(self, state: dict) -> None:
        device = state["device"]
        if device != "cpu":
            device = automatic_device()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.copse")
            with open(path, "wb") as file:
                file.write(state["file"])
            self._load(path, device)
        self.quality = state["quality"]

    def _load(self, path: Union[str, "os.PathLike[str]"], device: str) -> None:
        self._context = context_of(device)
        accel, mesh = c_void_p(), c_void_p()
        call("copse_accel_load", self._context.address, os.fsencode(path), byref(accel), byref(mesh))
        self._handle, self.quality = Handle("accel", accel.value), "balanced"
        self._keep(geometries_of(Handle("mesh", mesh.value)))


def geometries_of(mesh: Handle) -> List[Geometry]:
    """Returns the geometries of a mesh. Their arrays view its memory and keep it."""
    geometries = []
    for number in range(library.copse_mesh_geometry_count(mesh.address)):
        struct = GeometryStruct(position_stride=12, index_bytes=4)
        call("copse_mesh_geometry", mesh.address, number, byref(struct))
        geometries.append(geometry_of_file(mesh, struct))
    return geometries


def load(path: Union[str, "os.PathLike[str]"], *, device: str = "auto") -> Scene:
    """Returns the scene of a .copse file. It can be traced and refitted, but not rebuilt."""
    scene = Scene.__new__(Scene)
    scene._load(path, automatic_device() if device == "auto" else device)
    return scene


def load_mesh(path: Union[str, "os.PathLike[str]"]) -> Tuple[np.ndarray, np.ndarray]:
    """Returns (vertices, faces) of an OBJ, PLY, STL or OFF file, perhaps packed by gzip."""
    made = c_void_p()
    call("copse_mesh_load", os.fsencode(path), byref(made))
    geometry = geometries_of(Handle("mesh", made.value))[0]
    return geometry.vertices, geometry.faces

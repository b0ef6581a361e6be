"""Open3D's ray casting by Copse: a RaycastingScene with the methods, arguments and results of open3d.t.geometry.RaycastingScene.

>>> scene = copse.open3d.RaycastingScene()
>>> scene.add_triangles(mesh)                         # open3d.t.geometry.TriangleMesh, or vertices and triangles
>>> answer = scene.cast_rays(rays)                    # (..., 6) float32
>>> answer["t_hit"], answer["primitive_ids"]

Results are tensors of Open3D if rays or points are; else NumPy arrays. Open3D itself is not needed. On a GPU, rays on the
host are copied to it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _pinhole
from ._errors import ArrayError, InvalidArgument
from ._geometry import Geometry
from ._pinhole import giver, to_numpy
from ._scene import Scene

_INVALID_ID = 0xFFFFFFFF


class RaycastingScene:
    """Rays and distances of meshes.

    nthreads: is there for Open3D: Copse takes all threads that the process may use
    device:   "auto", or Open3D's names: "CPU:0", "CUDA:0"; then as for copse.Scene
    quality:  as for copse.Scene
    """

    #: The id of a ray that misses, and of no geometry.
    INVALID_ID = _INVALID_ID

    def __init__(self, nthreads: int = 0, device: Any = "auto", *, quality: str = "balanced"):
        self._device, self._quality = _device_name(device), quality
        self._geometries: List[Geometry] = []
        self._built: Optional[Scene] = None
        self._normals: Optional[np.ndarray] = None  # of all triangles, and 0 behind them
        self._first_triangle = np.zeros(0, np.int64)  # of each geometry, in this table

    @property
    def scene(self) -> Scene:
        """The tree over all triangles that were added."""
        if self._built is None:
            self._built = Scene.from_geometries(self._geometries, quality=self._quality, device=self._device)
        return self._built

    def add_triangles(self, vertex_positions: Any = None, triangle_indices: Any = None, *, mesh: Any = None) -> int:
        """Adds a mesh and returns its geometry id.

        vertex_positions: (n, 3) float32; or a mesh, and nothing else
        triangle_indices: (m, 3) integers
        mesh:             has `vertex` and `triangle`, or `vertices` and `triangles`, as those of Open3D
        """
        if triangle_indices is None:
            vertex_positions, triangle_indices = _parts_of(vertex_positions if mesh is None else mesh)
        vertices = np.array(to_numpy(vertex_positions), np.float32)  # copies: a tree is made later
        faces = np.array(to_numpy(triangle_indices))
        if faces.size > 0 and not 0 <= faces.min() <= faces.max() < len(vertices):
            raise InvalidArgument(
                f"triangle_indices has values from {faces.min()} to {faces.max()}, but there are {len(vertices)} vertices"
            )
        geometry = Geometry(vertices, faces, id=len(self._geometries), convert=True)
        self._geometries.append(geometry)
        self._built = self._normals = None
        return geometry.id

    # ---- Rays ------------------------------------------------------------------------------------------

    def cast_rays(self, rays: Any, nthreads: int = 0) -> Dict[str, Any]:
        """Returns the first hit of every ray.

        rays: (..., 6) float32: origin and direction
        Returns t_hit (...,) float32, infinite on a miss; geometry_ids and primitive_ids (...,) uint32, INVALID_ID on a miss;
        primitive_uvs (..., 2) float32; primitive_normals (..., 3) float32, of length 1, 0 on a miss
        """
        origins, directions, shape, give = _rays(rays)
        hits = self.scene.cast_rays(origins, directions)
        records = hits.records
        answer = {"t_hit": records["t"].copy(), **self._answer(records), "primitive_normals": self._normals_of(records)}
        return {name: give(values.reshape(shape + values.shape[1:])) for name, values in answer.items()}

    def test_occlusions(self, rays: Any, tnear: float = 0.0, tfar: float = float("inf"), nthreads: int = 0) -> Any:
        """Returns (...,) bool: True where a ray hits anything from tnear to tfar. rays: as for cast_rays."""
        origins, directions, shape, give = _rays(rays)
        return give(self.scene.occluded(origins, directions, t_min=float(tnear), t_max=float(tfar)).reshape(shape))

    def count_intersections(self, rays: Any, nthreads: int = 0) -> Any:
        """Returns (...,) int32: the number of triangles that each ray meets. rays: as for cast_rays."""
        origins, directions, shape, give = _rays(rays)
        return give(np.diff(self.scene.hit_offsets(origins, directions)).astype(np.int32).reshape(shape))

    def list_intersections(self, rays: Any, nthreads: int = 0) -> Dict[str, Any]:
        """Returns all hits of every ray, in order of t. rays: as for cast_rays.

        Returns ray_splits (rays + 1,) uint32: the hits of ray i are those from ray_splits[i] to ray_splits[i + 1]; ray_ids
        (m,) uint32; and t_hit, geometry_ids, primitive_ids and primitive_uvs of the hits
        """
        origins, directions, _, give = _rays(rays)
        splits, hits = self.scene.all_hits(origins, directions)
        splits = splits.astype(np.uint32) if len(hits) < 2**32 else splits
        answer = {"ray_splits": splits, "ray_ids": np.repeat(np.arange(len(origins), dtype=np.uint32), np.diff(splits))}
        answer.update(t_hit=hits.records["t"].copy(), **self._answer(hits.records))
        return {name: give(values) for name, values in answer.items()}

    def _answer(self, records: np.ndarray) -> Dict[str, np.ndarray]:
        """Returns what all answers have, of records of hits or of nearest points. Ids of -1 become INVALID_ID."""
        weights = records.view(np.float32).reshape(len(records), -1)[:, -2:]  # u and v are the last fields, and 0 on a miss
        return {
            "geometry_ids": records["geometry"].astype(np.uint32),
            "primitive_ids": records["primitive"].astype(np.uint32),
            "primitive_uvs": weights.copy(),
        }

    def _normals_of(self, records: np.ndarray) -> np.ndarray:
        """Returns the normals of triangles, and 0 where there is none."""
        if self._normals is None:
            self._normals, self._first_triangle = _normal_table(self._geometries)
        rows = records["primitive"]
        if len(self._geometries) > 1:
            rows = np.where(rows < 0, -1, self._first_triangle[records["geometry"]] + rows)
        return self._normals[rows]

    @staticmethod
    def create_rays_pinhole(*arguments: Any, **named: Any) -> Any:
        """Returns (height_px, width_px, 6) float32: a ray through each pixel of a pinhole camera. t is the depth.

        create_rays_pinhole(intrinsic_matrix, extrinsic_matrix, width_px, height_px): (3, 3), and (4, 4) from the world to
        the camera
        create_rays_pinhole(fov_deg, center, eye, up, width_px, height_px): the horizontal angle, the point looked at, the
        position, and the direction in which rows follow each other. Open3D calls it up; with an up that points down, the
        picture stands upright
        """
        if len(arguments) + len(named) == 4:
            return _pinhole.of_matrices(*arguments, **named)
        return _pinhole.of_view(*arguments, **named)

    # ---- Points ----------------------------------------------------------------------------------------

    def compute_closest_points(self, query_points: Any, nthreads: int = 0) -> Dict[str, Any]:
        """Returns the nearest point of the meshes for each query.

        query_points: (..., 3) float32
        Returns points (..., 3) float32, geometry_ids and primitive_ids (...,) uint32, primitive_uvs (..., 2) float32 and
        primitive_normals (..., 3) float32
        """
        points, shape, give = _points(query_points)
        records = self.scene.closest_points(points).records
        answer = {"points": records["point"].copy(), **self._answer(records), "primitive_normals": self._normals_of(records)}
        return {name: give(values.reshape(shape + values.shape[1:])) for name, values in answer.items()}

    def compute_distance(self, query_points: Any, nthreads: int = 0) -> Any:
        """Returns (...,) float32: the distance of each query to the meshes. query_points: (..., 3) float32."""
        points, shape, give = _points(query_points)
        return give(np.ascontiguousarray(self.scene.closest_points(points).distance).reshape(shape))

    def compute_signed_distance(self, query_points: Any, nthreads: int = 0, nsamples: int = 1) -> Any:
        """Returns (...,) float32: the distance, negative inside the meshes, which must be closed.

        nsamples: is there for Open3D, which asks several rays whether a point is inside. One answer of Copse is exact
        """
        points, shape, give = _points(query_points)
        _check_samples(nsamples)
        return give(self.scene.signed_distance(points).reshape(shape))

    def compute_occupancy(self, query_points: Any, nthreads: int = 0, nsamples: int = 1) -> Any:
        """Returns (...,) float32: 1 for queries inside the closed meshes, else 0."""
        points, shape, give = _points(query_points)
        _check_samples(nsamples)
        return give(self.scene.contains(points).astype(np.float32).reshape(shape))


def _normal_table(geometries: List[Geometry]) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the normals of all triangles with a row of 0 behind them, and the row of each geometry's first triangle."""
    ends = np.cumsum([0] + [len(geometry.faces) for geometry in geometries])
    normals = np.zeros((ends[-1] + 1, 3), np.float32)
    for geometry, first, end in zip(geometries, ends, ends[1:]):
        a, b, c = (geometry.vertices[geometry.faces[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal, axis=-1, keepdims=True)
        normals[first:end] = normal / np.where(length > 0, length, 1)
    return normals, ends[:-1]


def _device_name(device: Any) -> str:
    kind, _, ordinal = str(device).lower().partition(":")
    return "cpu" if kind == "cpu" else f"{kind}:{ordinal}" if ordinal else kind


def _check_samples(nsamples: int) -> None:
    if nsamples < 1 or nsamples % 2 == 0:
        raise InvalidArgument(f"nsamples is {nsamples}; it can be 1, 3, 5 and so on")


def _parts_of(mesh: Any) -> Tuple[Any, Any]:
    """Returns vertices and triangles of a mesh of Open3D, of either of its two kinds."""
    if hasattr(mesh, "vertex") and hasattr(mesh, "triangle"):
        return mesh.vertex["positions"], mesh.triangle["indices"]
    if hasattr(mesh, "vertices") and hasattr(mesh, "triangles"):
        return np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    raise ArrayError(f"the mesh is a {type(mesh).__name__}; vertices and triangles, or a mesh of Open3D, are needed")


def _floats(name: str, value: Any, width: int) -> np.ndarray:
    array = to_numpy(value)
    if array.ndim < 1 or array.shape[-1] != width or array.dtype != np.float32:
        raise ArrayError(f"{name} has the shape {array.shape} of {array.dtype}; (..., {width}) of float32 is needed")
    return np.ascontiguousarray(array)


def _rays(rays: Any) -> Tuple[np.ndarray, np.ndarray, tuple, Any]:
    array = _floats("rays", rays, 6)
    rows = array.reshape(-1, 6)
    return rows[:, :3], rows[:, 3:], array.shape[:-1], giver(rays)


def _points(points: Any) -> Tuple[np.ndarray, tuple, Any]:
    array = _floats("query_points", points, 3)
    return array.reshape(-1, 3), array.shape[:-1], giver(points)

"""The rays of trimesh by Copse: the methods of trimesh.ray's RayMeshIntersector, with the same arguments and results.

>>> mesh.ray = copse.trimesh.RayMeshIntersector(mesh)
>>> mesh.ray.intersects_location(origins, directions)

trimesh itself finds the second hit of a ray by a new ray that starts a little behind the first one. Copse lists all hits
in one traversal, in order, each triangle once.

>>> copse.trimesh.replace_rays()                     # for all meshes that are made from now on
>>> pyvista.Sphere().multi_ray_trace(origins, directions)
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any, Optional, Tuple

import numpy as np

from ._scene import Scene


class RayMeshIntersector:
    """Rays through a trimesh.Trimesh, or any object with `vertices` and `faces`.

    mesh:         is read when rays are cast, and again after its hash has changed
    scale_to_box: is there for trimesh and changes nothing: hits do not depend on the scale
    device, quality: as for copse.Scene
    """

    def __init__(self, mesh: Any, scale_to_box: bool = True, *, device: str = "auto", quality: str = "balanced"):
        self.mesh, self._device, self._quality = mesh, device, quality
        self._scene: Optional[Scene] = None
        self._hash: Optional[int] = None

    @property
    def scene(self) -> Scene:
        """The tree of the mesh as it is now."""
        current = hash(self.mesh)
        if self._scene is None or current != self._hash:
            vertices = np.ascontiguousarray(self.mesh.vertices, np.float32)
            self._scene = Scene(vertices, self.mesh.faces, device=self._device, quality=self._quality, convert=True)
            self._hash = current
        return self._scene

    def intersects_id(
        self,
        ray_origins: Any,
        ray_directions: Any,
        multiple_hits: bool = True,
        max_hits: int = 100,
        return_locations: bool = False,
    ) -> Tuple[np.ndarray, ...]:
        """Returns (index_triangle, index_ray), and locations if they are asked for: (m,), (m,), (m, 3) float64.

        They are in order of the rays, and for each ray in order of the distance.

        multiple_hits: False: the first hit of each ray alone
        max_hits:      the hits of a ray that are kept
        """
        origins, directions = _rays(ray_origins, ray_directions)
        if multiple_hits:
            offsets, hits = self.scene.all_hits(origins, directions)
            index_ray = np.repeat(np.arange(len(origins)), np.diff(offsets))
            kept = np.arange(len(hits)) - offsets[index_ray] < max_hits
        else:
            hits = self.scene.cast_rays(origins, directions)
            index_ray = np.arange(len(origins))
            kept = hits.primitive >= 0
        triangle, index_ray = hits.primitive[kept].astype(np.int64), index_ray[kept]
        if not return_locations:
            return triangle, index_ray
        # From the weights and the vertices as they are, in double precision.
        u, v = (weight[kept].astype(np.float64)[:, None] for weight in (hits.u, hits.v))
        corners = np.asarray(self.mesh.vertices, np.float64)[np.asarray(self.mesh.faces)[triangle]]
        return triangle, index_ray, (1 - u - v) * corners[:, 0] + u * corners[:, 1] + v * corners[:, 2]

    def intersects_location(
        self, ray_origins: Any, ray_directions: Any, multiple_hits: bool = True, **_: Any
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns (locations, index_ray, index_triangle): (m, 3) float64, (m,), (m,). All hits, or the first ones."""
        triangle, index_ray, locations = self.intersects_id(
            ray_origins, ray_directions, multiple_hits, max_hits=len(self.mesh.faces), return_locations=True
        )
        return locations, index_ray, triangle

    def intersects_first(self, ray_origins: Any, ray_directions: Any, **_: Any) -> np.ndarray:
        """Returns (n,) the triangle that each ray hits first, or -1."""
        return self.scene.cast_rays(*_rays(ray_origins, ray_directions)).primitive.astype(np.int64)

    def intersects_any(self, ray_origins: Any, ray_directions: Any, **_: Any) -> np.ndarray:
        """Returns (n,) bool: True where a ray hits anything."""
        return self.scene.occluded(*_rays(ray_origins, ray_directions))

    def __getstate__(self) -> dict:
        """A copy and a pickle build their own tree when they are first asked."""
        return {**self.__dict__, "_scene": None, "_hash": None}

    def contains_points(self, points: Any) -> np.ndarray:
        """Returns (n,) bool: True where a point is inside the mesh, which must be closed."""
        return self.scene.contains(_rows(points))


def replace_rays(*, device: str = "auto", quality: str = "balanced") -> None:
    """Gives every trimesh.Trimesh that is made from now on the rays of Copse, in place of those of trimesh or Embree. So
    PyVista's multi_ray_trace, which goes through trimesh, has them too; it needs neither pyembree nor embreex then.

    device, quality: as for copse.Scene
    """
    import trimesh

    rays: Any = trimesh.ray
    maker = partial(RayMeshIntersector, device=device, quality=quality)
    rays.ray_triangle.RayMeshIntersector = maker  # for Trimesh(..., use_embree=False)
    rays.ray_pyembree = SimpleNamespace(RayMeshIntersector=maker)
    rays.has_embree = True


def _rows(values: Any) -> np.ndarray:
    """Returns (n, 3) in the type that Copse takes; trimesh has double precision. (3,) is one row, and [] none."""
    array = np.asarray(values, np.float32)
    if array.ndim < 2:
        array = array.reshape((0, 3) if array.size == 0 else (1, -1))
    return np.ascontiguousarray(array)


def _rays(origins: Any, directions: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Returns as many origins as directions; one of either goes with all others."""
    first, second = _rows(origins), _rows(directions)
    if 1 in (len(first), len(second)) and first.shape[1:] == second.shape[1:]:
        first, second = (np.ascontiguousarray(part) for part in np.broadcast_arrays(first, second))
    return first, second

"""The ways of bench/python-rays to ask a question about a mesh: the calls of the package, those of its stand-ins for Open3D and
trimesh, and those of rivals that can be imported.

A way takes a question and its arrays. It returns None if it does not answer such questions, else a function to measure, and a
function that makes of its result what the ways are compared by. Arrays are brought into the form that a way takes before it is
measured: Open3D's rays are tensors of six numbers per ray, those of trimesh have double precision.

questions: "closest", the first triangle of each ray; "any", whether it hits; "all", the number of triangles that it hits, from a list
of them; "nearest", the distance of each point from the mesh
"""

import importlib
import math

import numpy as np

import copse
import copse.open3d
import copse.trimesh
from copse._library import call
from copse._rays import Rays


def numbers(values):
    """Returns an array of any library as one of NumPy."""
    return values.cpu().numpy() if hasattr(values, "cpu") else np.asarray(values)


def counts_of(index_ray, count):
    return np.bincount(np.asarray(index_ray), minlength=count)


class Meshes:
    """A mesh, and what is made of it."""

    def __init__(self, vertices, faces, device):
        self.vertices, self.faces, self.device = vertices, faces, device
        self.scene = copse.Scene(vertices, faces, device=device)


# ---- Copse ---------------------------------------------------------------------------------------------

def c_function(meshes):
    """The C function below cast_rays, with rays that are records already."""
    scene = meshes.scene

    def way(question, origins, directions):
        if question != "closest":
            return None
        given = records_of(origins, directions)
        hits = scene.cast_rays(given)
        rays = Rays(scene._context, given)
        context, handle = scene._context.address, scene._handle.address
        return lambda: call("copse_closest_hits", context, handle, rays.struct, *hits._target, None), lambda _: numbers(hits.primitive)

    return way


def records_of(origins, directions):
    """Returns (n, 8) of rays, where the origins are."""
    one = lambda value: np.full((len(origins), 1), value, np.float32)
    if isinstance(origins, np.ndarray):
        return np.concatenate([origins, one(0), directions, one(math.inf)], axis=1)
    import torch

    one = lambda value: torch.full((len(origins), 1), value, device=origins.device)
    return torch.cat([origins, one(0.0), directions, one(math.inf)], dim=1)


def records(meshes, with_out=True):
    scene = meshes.scene

    def way(question, origins, directions):
        if question not in ("closest", "any"):
            return None
        rays = records_of(origins, directions)
        ask = scene.cast_rays if question == "closest" else scene.occluded
        out = ask(rays) if with_out else None
        return lambda: ask(rays, out=out), lambda found: numbers(found.primitive if question == "closest" else found)

    return way


def two_arrays(meshes):
    scene = meshes.scene

    def way(question, origins, directions):
        if question == "closest":
            return lambda: scene.cast_rays(origins, directions), lambda hits: numbers(hits.primitive)
        if question == "any":
            return lambda: scene.occluded(origins, directions), numbers
        if question == "all":
            return lambda: scene.all_hits(origins, directions), lambda found: np.diff(numbers(found[0]))
        return lambda: scene.closest_points(origins), lambda near: numbers(near.distance)

    return way


# ---- Open3D, and what stands in for it -----------------------------------------------------------------

def raycasting_scene(scene, tensor):
    """The methods of a RaycastingScene. tensor: makes what it takes of an array of NumPy."""

    def way(question, origins, directions):
        if question == "nearest":
            points = tensor(origins)
            return lambda: scene.compute_closest_points(points), lambda found: np.linalg.norm(numbers(found["points"]) - origins, axis=1)
        rays = tensor(np.concatenate([origins, directions], axis=1))
        if question == "closest":
            return lambda: scene.cast_rays(rays), lambda found: numbers(found["primitive_ids"]).astype(np.int32)
        if question == "any":
            return lambda: scene.test_occlusions(rays), numbers
        if not hasattr(scene, "list_intersections"):  # before Open3D 0.17
            return None
        return lambda: scene.list_intersections(rays), lambda found: counts_of(numbers(found["ray_ids"]), len(origins))

    return way


def stand_in_for_open3d(meshes):
    """With Open3D's tensors if Open3D is installed, else with arrays of NumPy."""
    scene = copse.open3d.RaycastingScene(device=meshes.device)
    scene.add_triangles(meshes.vertices, meshes.faces)
    try:
        return raycasting_scene(scene, importlib.import_module("open3d").core.Tensor.from_numpy)
    except ImportError:
        return raycasting_scene(scene, lambda array: array)


def open3d(meshes):
    library = importlib.import_module("open3d")
    tensor = library.core.Tensor.from_numpy
    scene = library.t.geometry.RaycastingScene()
    scene.add_triangles(tensor(meshes.vertices), tensor(meshes.faces.astype(np.uint32)))
    return raycasting_scene(scene, tensor)


# ---- trimesh, and what stands in for its rays ----------------------------------------------------------

class MeshLike:
    """What copse.trimesh reads of a trimesh.Trimesh, for machines without trimesh."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = vertices.astype(np.float64), faces.astype(np.int64)

    def __hash__(self):
        return id(self)


def trimesh_of(meshes):
    return importlib.import_module("trimesh").Trimesh(meshes.vertices, meshes.faces, process=False)


def intersector(ray, nearest=None):
    """The methods of a RayMeshIntersector."""

    def way(question, origins, directions):
        origins = origins.astype(np.float64)
        if question == "nearest":
            return (lambda: nearest(origins), lambda found: found[1]) if nearest is not None else None
        directions = directions.astype(np.float64)
        if question == "closest":
            return lambda: ray.intersects_first(origins, directions), np.asarray
        if question == "any":
            return lambda: ray.intersects_any(origins, directions), np.asarray
        return lambda: ray.intersects_location(origins, directions), lambda found: counts_of(found[1], len(origins))

    return way


def stand_in_for_trimesh(meshes):
    try:
        mesh = trimesh_of(meshes)
    except ImportError:
        mesh = MeshLike(meshes.vertices, meshes.faces)
    return intersector(copse.trimesh.RayMeshIntersector(mesh, device=meshes.device))


def trimesh_with_embree(meshes):
    module = importlib.import_module("trimesh.ray.ray_pyembree")
    return intersector(module.RayMeshIntersector(trimesh_of(meshes)))


def trimesh_alone(meshes):
    module = importlib.import_module("trimesh.ray.ray_triangle")
    importlib.import_module("rtree")
    mesh = trimesh_of(meshes)
    return intersector(module.RayMeshIntersector(mesh), mesh.nearest.on_surface)


#: Name, maker, and whether it takes arrays of the device.
WAYS = (
    ("C function, records", c_function, True),
    ("records, out=", records, True),
    ("records", lambda meshes: records(meshes, with_out=False), True),
    ("two arrays", two_arrays, True),
    ("copse.open3d", stand_in_for_open3d, False),
    ("copse.trimesh", stand_in_for_trimesh, False),
    ("Open3D", open3d, False),
    ("trimesh, Embree", trimesh_with_embree, False),
    ("trimesh, rtree", trimesh_alone, False),
)


def ways_of(meshes):
    """Returns ({name: (way, whether it takes arrays of the device)}, {name: why it cannot be imported})."""
    ways, missing = {}, {}
    for name, make, on_device in WAYS:
        try:
            ways[name] = make(meshes), on_device
        except ImportError as error:
            missing[name] = str(error)
    return ways, missing

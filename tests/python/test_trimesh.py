"""The rays of trimesh, compared with tests of every triangle, and with trimesh itself where it is installed."""

import copy
import pickle
import subprocess
import sys

import copse.trimesh
import numpy as np
import pytest

import oracle


class Mesh:
    """What the intersector reads of a trimesh.Trimesh."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = vertices.astype(np.float64), faces.astype(np.int64)

    def __hash__(self):
        return hash((self.vertices.tobytes(), self.faces.tobytes()))


@pytest.fixture(scope="module")
def soup():
    return oracle.soup()


@pytest.fixture(scope="module")
def rays():
    return tuple(part.astype(np.float64) for part in oracle.rays())


def intersector(mesh):
    return copse.trimesh.RayMeshIntersector(mesh, device="cpu")


def test_all_hits(soup, rays):
    ray = intersector(Mesh(*soup))
    t, _ = oracle.all_t(*soup, *rays)
    locations, index_ray, index_triangle = ray.intersects_location(*rays)
    expected_ray, expected_triangle = np.nonzero(np.isfinite(t))
    assert set(zip(index_ray, index_triangle)) == set(zip(expected_ray, expected_triangle))
    along = t[index_ray, index_triangle]
    assert np.allclose(locations, rays[0][index_ray] + along[:, None] * rays[1][index_ray], atol=1e-4)
    assert np.all((np.diff(along) >= -1e-4) | (np.diff(index_ray) > 0)) and np.all(np.diff(index_ray) >= 0)
    triangle, few_rays = ray.intersects_id(*rays, max_hits=2)
    assert np.array_equal(np.bincount(few_rays, minlength=len(t)), np.minimum(np.isfinite(t).sum(axis=1), 2))


def test_rays_of_all_shapes(soup, rays):
    ray = intersector(Mesh(*soup))
    origins, directions = rays[0][:9], rays[1][:9]
    all_of = ray.intersects_location(origins, directions)
    lists = ray.intersects_location(origins.tolist(), np.asfortranarray(directions))
    assert all(np.array_equal(a, b) for a, b in zip(all_of, lists))
    for one in range(9):
        mine = all_of[1] == one
        locations, index_ray, triangle = ray.intersects_location(origins[one], directions[one])
        assert np.array_equal(locations, all_of[0][mine]) and np.array_equal(triangle, all_of[2][mine])
        assert not index_ray.any()
    from_one = ray.intersects_id(origins[0], directions)
    repeated = ray.intersects_id(np.repeat(origins[:1], 9, axis=0), directions)
    assert all(np.array_equal(a, b) for a, b in zip(from_one, repeated))
    for nothing in ([], np.zeros((0, 3))):
        locations, index_ray, triangle = ray.intersects_location(nothing, nothing)
        assert locations.shape == (0, 3) and len(index_ray) == len(triangle) == 0
        assert ray.intersects_first(nothing, directions[0]).shape == ray.contains_points(nothing).shape == (0,)
    for wrong in (origins[:, :2], origins[:4], origins[None], 3.0):
        with pytest.raises(copse.ArrayError, match="origins"):
            ray.intersects_any(wrong, directions)


def test_first_hits(soup, rays):
    ray = intersector(Mesh(*soup))
    t, _ = oracle.all_t(*soup, *rays)
    expected = np.where(np.isfinite(t.min(axis=1)), t.argmin(axis=1), -1)
    assert np.array_equal(ray.intersects_first(*rays), expected)
    assert np.array_equal(ray.intersects_any(*rays), expected >= 0)
    locations, index_ray, triangle = ray.intersects_location(*rays, multiple_hits=False)
    assert np.array_equal(index_ray, np.flatnonzero(expected >= 0)) and np.array_equal(triangle, expected[index_ray])
    assert locations.shape == (len(triangle), 3) and locations.dtype == np.float64


def test_points_inside():
    points = oracle.NUMBERS.uniform(-1.5, 1.5, (200, 3))
    inside = intersector(Mesh(*oracle.cube())).contains_points(points)
    assert np.array_equal(inside, (np.abs(points) < 1).all(axis=1))


def test_a_mesh_that_changes_is_read_again():
    mesh = Mesh(*oracle.cube())
    ray = intersector(mesh)
    assert ray.intersects_location([[0.1, 0.2, 3]], [[0, 0, -1]])[0][:, 2].tolist() == [1, -1]
    mesh.vertices *= 2
    assert ray.intersects_location([[0.1, 0.2, 3]], [[0, 0, -1]])[0][:, 2].tolist() == [2, -2]
    assert ray.scene is ray.scene


def test_copies_build_their_own_tree():
    ray = intersector(Mesh(*oracle.cube()))
    expected = ray.intersects_first([[0.1, 0.2, 3]], [[0, 0, -1]])
    for copied in (copy.deepcopy(ray), pickle.loads(pickle.dumps(ray))):
        assert copied._scene is None
        assert np.array_equal(copied.intersects_first([[0.1, 0.2, 3]], [[0, 0, -1]]), expected)


def test_against_trimesh():
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=3)
    origins, directions = (part.astype(np.float64) for part in oracle.rays(500))
    theirs = trimesh.ray.ray_triangle.RayMeshIntersector(mesh)
    ours = copse.trimesh.RayMeshIntersector(mesh, device="cpu")
    assert np.array_equal(theirs.intersects_first(origins, directions), ours.intersects_first(origins, directions))
    pairs = [set(zip(*by.intersects_id(origins, directions))) for by in (theirs, ours)]
    assert pairs[0] == pairs[1]
    assert np.array_equal(theirs.intersects_any(origins, directions), ours.intersects_any(origins, directions))
    found = [by.intersects_location(origins, directions) for by in (theirs, ours)]
    order = [np.lexsort((triangle, ray)) for _, ray, triangle in found]
    assert np.allclose(found[0][0][order[0]], found[1][0][order[1]], atol=1e-5)
    points = oracle.NUMBERS.uniform(-1.2, 1.2, (300, 3))
    assert np.array_equal(theirs.contains_points(points), ours.contains_points(points))
    mesh.ray = ours
    assert np.array_equal(mesh.contains(points), theirs.contains_points(points))


def test_a_mesh_of_trimesh_becomes_a_scene():
    """Its arrays are of a subclass of NumPy's, in double precision."""
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.box((2, 2, 2))
    with pytest.raises(copse.ArrayError, match=r"vertices has the shape \(8, 3\) of float64"):
        copse.Scene(mesh.vertices, mesh.faces, device="cpu")
    scene = copse.Scene(mesh.vertices, mesh.faces, device="cpu", convert=True)
    hits = scene.cast_rays([[0.1, 0.2, 3], [5, 5, 5]], [[0, 0, -1], [0, 0, -1]], convert=True)
    assert type(hits.t) is np.ndarray and hits.t.tolist() == [2, np.inf] and mesh.face_normals[hits.primitive[0]].tolist() == [0, 0, 1]
    assert type(scene.closest_points(mesh.vertices, convert=True).distance) is np.ndarray


def intersectors(mesh):
    """Returns the rays of trimesh alone, of trimesh over Embree if it is installed, and of Copse."""
    import trimesh

    theirs = [trimesh.ray.ray_triangle.RayMeshIntersector(mesh)]
    if trimesh.ray.has_embree:
        theirs.append(trimesh.ray.ray_pyembree.RayMeshIntersector(mesh))
    return [*theirs, copse.trimesh.RayMeshIntersector(mesh, device="cpu")]


def test_the_example_of_rays_of_trimesh():
    """examples/ray.ipynb of trimesh, by all intersectors."""
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere()
    ray_origins, ray_directions = np.array([[0, 0, -3], [2, 2, -3]]), np.array([[0, 0, 1], [0, 0, 1]])
    answers = []
    for mesh.ray in intersectors(mesh):
        locations, index_ray, index_tri = mesh.ray.intersects_location(ray_origins=ray_origins, ray_directions=ray_directions)
        assert len(locations) == len(index_ray) == len(index_tri) and set(index_ray) == {0}
        answers.append({tuple(location) for location in locations.round(4) + 0.0})  # at a corner, each triangle may tell its hit
    assert all(answer == {(0, 0, -1), (0, 0, 1)} for answer in answers)


def test_the_example_of_a_camera_of_trimesh():
    """examples/raytrace.py of trimesh: a depth image from the rays of a scene's camera, by all intersectors."""
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.annulus(0.4, 1, 0.7)
    scene = mesh.scene()
    scene.camera.resolution = [64, 48]
    scene.camera.fov = 60 * (scene.camera.resolution / scene.camera.resolution.max())
    origins, vectors, pixels = scene.camera_rays()
    images = []
    for mesh.ray in intersectors(mesh):
        points, index_ray, index_tri = mesh.ray.intersects_location(origins, vectors, multiple_hits=False)
        image = np.zeros(scene.camera.resolution)
        image[tuple(pixels[index_ray].T)] = trimesh.util.diagonal_dot(points - origins[0], vectors[index_ray])
        images.append(image)
    assert 0.1 < (images[0] > 0).mean() < 0.9
    for image in images[1:]:
        assert np.isclose(image, images[0], atol=1e-3).mean() > 0.999


def test_what_trimesh_asks_its_rays():
    """Functions of trimesh that use mesh.ray."""
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.annulus(0.4, 1, 0.7, transform=trimesh.transformations.euler_matrix(0.3, 0.4, 0.5))
    points, faces = trimesh.sample.sample_surface(mesh, 60, seed=3)
    inside = oracle.NUMBERS.uniform(-1.1, 1.1, (300, 3))
    answers = []
    for mesh.ray in (intersectors(mesh)[0], intersectors(mesh)[-1]):
        mesh._cache.clear()
        answers.append(
            [
                trimesh.proximity.thickness(mesh, points, normals=mesh.face_normals[faces], method="ray"),
                trimesh.proximity.longest_ray(mesh, points - 1e-3 * mesh.face_normals[faces], -mesh.face_normals[faces]),
                trimesh.proximity.signed_distance(mesh, inside[:40]),
                mesh.contains(inside),
                np.unique(trimesh.voxel.creation.voxelize_ray(mesh, 0.25).points.round(4), axis=0),
            ]
        )
    for theirs, ours in zip(*answers):
        assert theirs.shape == ours.shape and np.isclose(theirs, ours, atol=1e-4).mean() > 0.98


REPLACED = """
import copse.trimesh, numpy as np, trimesh
copse.trimesh.replace_rays(device="cpu")
assert trimesh.ray.has_embree  # what PyVista asks for
for use_embree in (True, False):
    box = trimesh.creation.box((2, 2, 2))
    box = trimesh.Trimesh(box.vertices, box.faces, use_embree=use_embree)
    assert isinstance(box.ray, copse.trimesh.RayMeshIntersector)
    assert box.contains([[0, 0, 0], [2, 0, 0]]).tolist() == [True, False]
    assert len(box.ray.intersects_location([[0.1, 0.2, 3]], [[0, 0, -1]])[0]) == 2
"""
MULTI_RAY_TRACE = """
import copse.trimesh, numpy as np, pyvista
copse.trimesh.replace_rays(device="cpu")
sphere = pyvista.Sphere()

# The example of PyVista's documents.
points, rays, cells = sphere.multi_ray_trace([[0, 0, 0]] * 3, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], first_point=True)
told = ", ".join([f"({point[0]:.3f}, {point[1]:.3f}, {point[2]:.3f})" for point in points])
assert told == "(0.499, 0.000, 0.000), (0.000, 0.497, 0.000), (0.000, 0.000, 0.500)", told
assert rays.tolist() == [0, 1, 2]

# Through both sides, beside PyVista's ray_trace, which asks VTK ray by ray. Some rays miss.
numbers = np.random.default_rng(5)
origins = numbers.uniform(-2, 2, (60, 3))
directions = numbers.uniform(-0.6, 0.6, (60, 3)) - origins
points, rays, cells = sphere.multi_ray_trace(origins, directions)
for number in range(60):
    expected, expected_cells = sphere.ray_trace(origins[number], origins[number] + 4 * directions[number])
    mine = rays == number
    assert sorted(cells[mine]) == sorted(expected_cells), number
    assert np.allclose(points[mine], expected[np.argsort(np.linalg.norm(expected - origins[number], axis=1))], atol=1e-5)
assert 20 < len(set(rays)) < 60
first, of_first, _ = sphere.multi_ray_trace(origins, directions, first_point=True)
assert of_first.tolist() == sorted(set(rays)) and np.array_equal(first, points[np.searchsorted(rays, of_first)])

# With retry, VTK is asked for the rays that miss. It finds nothing more.
again = sphere.multi_ray_trace(origins, directions, retry=True)
assert all(np.array_equal(a, b) for a, b in zip(again, (points, rays, cells)))
nowhere = sphere.multi_ray_trace([[3, 3, 3]], [[1, 0, 0]])
assert [len(part) for part in nowhere] == [0, 0, 0] and nowhere[0].shape == (0, 3)
"""


def run_alone(code):
    """Runs code that changes the modules of a process."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_all_meshes():
    pytest.importorskip("trimesh")
    run_alone(REPLACED)


def test_multi_ray_trace_of_pyvista():
    pytest.importorskip("trimesh")
    pytest.importorskip("pyvista")
    run_alone(MULTI_RAY_TRACE)

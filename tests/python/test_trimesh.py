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
try:
    import pyvista
except ImportError:
    print("without pyvista")
else:
    axes = np.eye(3)
    points, rays, cells = pyvista.Sphere().multi_ray_trace([[0, 0, 0]] * 3, axes, first_point=True)
    assert rays.tolist() == [0, 1, 2] and np.allclose(points, 0.5 * axes, atol=0.01)
    points, rays, cells = pyvista.Sphere().multi_ray_trace(-2 * axes + 0.01, axes)
    assert np.bincount(rays).tolist() == [2, 2, 2] and np.allclose(np.linalg.norm(points, axis=1), 0.5, atol=0.01)
    print("with pyvista")
"""


def test_all_meshes_and_pyvista():
    """The example of PyVista's documents, and through both sides of a sphere."""
    pytest.importorskip("trimesh")
    run = subprocess.run([sys.executable, "-c", REPLACED], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.startswith("with"), run.stderr

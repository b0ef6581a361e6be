"""The ray casting of Open3D, compared with tests of every triangle, and with Open3D itself where it is installed."""

import copse.open3d
import numpy as np
import pytest

import oracle

INVALID = copse.open3d.RaycastingScene.INVALID_ID


def scene_of(*meshes):
    scene = copse.open3d.RaycastingScene(device="CPU:0")
    for number, mesh in enumerate(meshes):
        assert scene.add_triangles(*mesh) == number
    return scene


def six(rays):
    return np.concatenate(rays, axis=-1).astype(np.float32)


@pytest.fixture(scope="module")
def soup():
    return oracle.soup()


@pytest.fixture(scope="module")
def rays():
    return oracle.rays(240)


def test_rays(soup, rays):
    scene = scene_of(soup)
    t, _ = oracle.all_t(*soup, *rays)
    closest, has_hit = t.min(axis=1), np.isfinite(t.min(axis=1))
    answer = scene.cast_rays(six(rays).reshape(8, 30, 6))
    assert {name: (values.shape, values.dtype.name) for name, values in answer.items()} == {
        "t_hit": ((8, 30), "float32"),
        "geometry_ids": ((8, 30), "uint32"),
        "primitive_ids": ((8, 30), "uint32"),
        "primitive_uvs": ((8, 30, 2), "float32"),
        "primitive_normals": ((8, 30, 3), "float32"),
    }
    assert np.allclose(answer["t_hit"].ravel(), closest, atol=1e-4)
    expected = np.where(has_hit, t.argmin(axis=1), INVALID)
    assert np.array_equal(answer["primitive_ids"].ravel(), expected)
    assert np.array_equal(answer["geometry_ids"].ravel(), np.where(has_hit, 0, INVALID))
    lengths = np.linalg.norm(answer["primitive_normals"].reshape(-1, 3), axis=-1)
    assert np.allclose(lengths, has_hit) and np.all(answer["primitive_uvs"].reshape(-1, 2)[~has_hit] == 0)
    assert np.array_equal(scene.test_occlusions(six(rays)), has_hit)
    assert np.array_equal(scene.test_occlusions(six(rays), tnear=0.2, tfar=0.5), ((t >= 0.2) & (t <= 0.5)).any(axis=1))
    counts = scene.count_intersections(six(rays))
    assert counts.dtype == np.int32 and np.array_equal(counts, np.isfinite(t).sum(axis=1))
    lists = scene.list_intersections(six(rays))
    assert np.array_equal(np.diff(lists["ray_splits"]), counts) and len(lists["t_hit"]) == counts.sum()
    assert np.allclose(lists["t_hit"], t[lists["ray_ids"], lists["primitive_ids"]], atol=1e-4)


def test_points():
    far_cube = oracle.cube()[0] * 0.5 + np.float32(4), oracle.cube()[1]
    scene = scene_of(oracle.cube(), far_cube)
    points = oracle.NUMBERS.uniform(-1.5, 5, (5, 20, 3)).astype(np.float32)
    flat = points.reshape(-1, 3)
    by_mesh = np.stack([oracle.distances(*mesh, flat).min(axis=1) for mesh in (oracle.cube(), far_cube)])
    inside = (np.abs(flat) < 1).all(axis=1) | (np.abs(flat - 4) < 0.5).all(axis=1)
    assert 0 < inside.sum() < len(flat)
    assert np.allclose(scene.compute_distance(points).ravel(), by_mesh.min(axis=0), atol=1e-5)
    signed = scene.compute_signed_distance(points, nsamples=3).ravel()
    assert np.allclose(signed, np.where(inside, -1, 1) * by_mesh.min(axis=0), atol=1e-5)
    assert np.array_equal(scene.compute_occupancy(points).ravel(), inside.astype(np.float32))
    answer = scene.compute_closest_points(points)
    assert np.array_equal(answer["geometry_ids"].ravel(), by_mesh.argmin(axis=0))
    assert np.allclose(np.linalg.norm(answer["points"] - points, axis=-1).ravel(), by_mesh.min(axis=0), atol=1e-5)


def test_pinhole_and_errors():
    scene = scene_of(oracle.cube())
    rays = scene.create_rays_pinhole(60, [0, 0, 0], [0, 0, 4], [0, -1, 0], 64, 48)
    answer = scene.cast_rays(rays)
    assert rays.shape == (48, 64, 6) and np.allclose(answer["t_hit"][20:28, 28:36], 3, atol=1e-5)
    assert np.allclose(answer["primitive_normals"][24, 32], [0, 0, 1])
    assert rays[0, 0, 3] < 0 < rays[0, 0, 4]  # the first pixel is left and above
    assert scene.add_triangles(oracle.cube()[0] + np.float32([0, 0, 1.5]), oracle.cube()[1]) == 1
    answer = scene.cast_rays(rays)  # a mesh that is added later is there
    assert answer["geometry_ids"][24, 32] == 1 and np.allclose(answer["primitive_normals"][24, 32], [0, 0, 1])
    tilted = oracle.cube()[0] @ np.float32([[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]])
    assert scene.add_triangles(tilted + np.float32([0, 0, 2.2]), oracle.cube()[1]) == 2
    answer = scene.cast_rays(rays)
    shown = {tuple(normal) for normal in answer["primitive_normals"][answer["geometry_ids"] == 2].astype(float).round(3)}
    assert shown & {(0.6, 0, 0.8), (-0.8, 0, 0.6)} and not answer["primitive_normals"][answer["geometry_ids"] == INVALID].any()
    with pytest.raises(copse.ArrayError, match=r"rays has the shape \(2, 6\) of float64"):
        scene.cast_rays(np.zeros((2, 6)))
    with pytest.raises(copse.InvalidArgument, match="nsamples is 2"):
        scene.compute_occupancy(np.zeros((1, 3), np.float32), nsamples=2)
    with pytest.raises(copse.ArrayError, match="the mesh is a dict"):
        scene.add_triangles({})


def compare_rays(theirs, ours, view, spread):
    """Compares answers to rays, but for an Open3D whose rays hit nothing, as that of Debian 12."""
    answers = [scene.cast_rays(view) for scene in (theirs, ours)]
    both = [{name: values.numpy() for name, values in answer.items()} for answer in answers]
    assert set(both[0]) <= set(both[1])
    for name, values in both[0].items():
        assert (values.shape, values.dtype) == (both[1][name].shape, both[1][name].dtype), name
    for name in ("count_intersections", "test_occlusions"):
        left, right = (getattr(scene, name)(spread).numpy() for scene in (theirs, ours))
        assert left.dtype == right.dtype and (np.array_equal(left, right) or not left.any()), name
    if not np.isfinite(both[0]["t_hit"]).any():
        return
    compare_lists(*(scene.list_intersections(spread) for scene in (theirs, ours)))
    same = both[0]["primitive_ids"] == both[1]["primitive_ids"]
    assert same.mean() > 0.99  # at edges, either triangle may be first
    assert np.allclose(both[0]["t_hit"], both[1]["t_hit"], rtol=1e-4)
    for name in ("primitive_uvs", "primitive_normals"):
        assert np.allclose(both[0][name][same], both[1][name][same], atol=1e-3), name


def compare_lists(theirs, ours):
    """Compares lists of hits. Those of Open3D are in any order."""
    lists = [{name: values.numpy() for name, values in answer.items()} for answer in (theirs, ours)]
    for name, values in lists[0].items():
        assert (values.shape, values.dtype) == (lists[1][name].shape, lists[1][name].dtype), name
    order = [np.lexsort((answer["t_hit"], answer["ray_ids"])) for answer in lists]
    assert np.array_equal(lists[0]["ray_splits"], lists[1]["ray_splits"]) and len(order[0]) > 100
    for name in ("ray_ids", "geometry_ids", "primitive_ids", "t_hit", "primitive_uvs"):
        assert np.allclose(lists[0][name][order[0]], lists[1][name][order[1]], atol=1e-3), name


def test_cameras_and_meshes_that_cannot_be():
    make = copse.open3d.RaycastingScene.create_rays_pinhole
    view = {"fov_deg": 60, "center": [0, 0, 0], "eye": [2, 0, 0], "up": [0, 1, 0], "width_px": 4, "height_px": 3}
    assert make(**view).shape == (3, 4, 6)
    for change, words in (
        ({"fov_deg": 180}, "fov_deg is 180"),
        ({"eye": [0, 0, 0]}, "center minus eye has the length 0.0"),
        ({"up": [1, 0, 0]}, "product of up and the direction of view has the length 0.0"),
        ({"eye": [np.nan, 0, 0]}, "has the length nan"),
        ({"width_px": 0}, "width_px is 0; it can be 1 or more"),
    ):
        with pytest.raises(copse.InvalidArgument, match=words):
            make(**{**view, **change})
    with pytest.raises(copse.InvalidArgument, match="determinant 0.0; it cannot be inverted"):
        make(np.zeros((3, 3)), np.eye(4), 4, 3)
    scene = copse.open3d.RaycastingScene(device="cpu")
    vertices, faces = oracle.cube()
    for wrong in (faces + 1, faces - 1):
        with pytest.raises(copse.InvalidArgument, match="but there are 8 vertices"):
            scene.add_triangles(vertices, wrong)
    assert scene.add_triangles(vertices, faces) == 0  # what was refused is not there


def test_the_example_of_the_tutorial():
    """Open3D's tutorial "Ray Casting": a box, and two rays from above."""
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], np.float32)
    scene = scene_of((corners, oracle.cube()[1]))
    rays = np.array([[0.5, 0.5, 10, 0, 0, -1], [-1, -1, 10, 0, 0, -1]], np.float32)
    answer = scene.cast_rays(rays)
    assert answer["t_hit"].tolist() == [9, np.inf] and answer["geometry_ids"].tolist() == [0, INVALID]
    assert answer["primitive_normals"].tolist() == [[0, 0, 1], [0, 0, 0]]
    queries = np.array([[0.4, 0.3, 0.2], [2, 0.5, 0.5]], np.float32)
    assert np.allclose(scene.compute_signed_distance(queries), [-0.2, 1])
    assert scene.compute_occupancy(queries).tolist() == [1, 0]


def test_against_open3d(soup, rays):
    """The examples of Open3D's documents, by both."""
    open3d = pytest.importorskip("open3d")
    tensor = open3d.core.Tensor.from_numpy
    theirs, ours = open3d.t.geometry.RaycastingScene(), copse.open3d.RaycastingScene(device="CPU:0")
    cube = open3d.t.geometry.TriangleMesh.from_legacy(open3d.geometry.TriangleMesh.create_box().translate([-1.2, -1.2, 0]))
    sphere = open3d.geometry.TriangleMesh.create_sphere(0.5, resolution=12).translate([0.7, 0.8, 0])
    for scene in (theirs, ours):
        assert scene.add_triangles(mesh=cube) == 0
        assert scene.add_triangles(open3d.t.geometry.TriangleMesh.from_legacy(sphere)) == 1
    views = [
        scene.create_rays_pinhole(fov_deg=60, center=[0, 0, 0.3], eye=[2, 2.2, 1.5], up=[0, 0, 1], width_px=64, height_px=48)
        for scene in (theirs, ours)
    ]
    assert np.allclose(views[0].numpy(), views[1], atol=1e-5)
    compare_rays(theirs, ours, views[0], tensor(six(rays)))
    points = tensor(oracle.NUMBERS.uniform(-1.5, 1.5, (16, 16, 3)).astype(np.float32))
    for name in ("compute_distance", "compute_signed_distance", "compute_occupancy"):
        options = {"nsamples": 3} if name != "compute_distance" and hasattr(theirs, "list_intersections") else {}
        left, right = (getattr(scene, name)(points, **options).numpy() for scene in (theirs, ours))
        assert left.dtype == right.dtype and left.shape == right.shape
        if name == "compute_distance" or (left < 0).any():
            assert np.allclose(left, right, atol=1e-5), name
    nearest = [scene.compute_closest_points(points) for scene in (theirs, ours)]
    nearest = [{name: values.numpy() for name, values in answer.items()} for answer in nearest]
    assert set(nearest[0]) <= set(nearest[1])
    same = nearest[0]["primitive_ids"] == nearest[1]["primitive_ids"]
    # At edges and corners, any of their triangles may be nearest.
    assert same.mean() > 0.3 and np.array_equal(nearest[0]["geometry_ids"], nearest[1]["geometry_ids"])
    # Near flat edges, points that differ in 1e-4 can have the same distance in float.
    distances = [np.linalg.norm(answer["points"] - points.numpy(), axis=-1) for answer in nearest]
    assert np.allclose(*distances, atol=1e-6) and np.isclose(nearest[0]["points"], nearest[1]["points"], atol=1e-4).mean() > 0.99
    same &= np.isclose(nearest[0]["points"], nearest[1]["points"], atol=1e-4).all(axis=-1)
    for name in ("primitive_uvs", "primitive_normals"):
        assert np.allclose(nearest[0][name][same], nearest[1][name][same], atol=1e-3), name

"""Instances, nested instances, and instances that move, compared with one mesh of all triangles where they stand."""

import copse
import numpy as np
import pytest

import oracle
from test_answers import DEVICES


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(scope="module")
def rays():
    return oracle.rays()


def placed(count, seed):
    """Returns (n, 4, 4) turns, sizes and shifts."""
    numbers = np.random.default_rng(seed)
    places = np.tile(np.eye(4, dtype=np.float32), (count, 1, 1))
    for place in places:
        turn = np.linalg.qr(numbers.normal(size=(3, 3)))[0]
        place[:3, :3] = turn * np.sign(np.linalg.det(turn)) * numbers.uniform(0.3, 0.8)
        place[:3, 3] = numbers.uniform(-1, 1, 3)
    return places


def one_mesh(meshes, places, ids):
    """Returns (vertices, faces, instance and number of each triangle) of all meshes where they stand."""
    vertices, faces, owners, begin = [], [], [], 0
    for instance, (place, number) in enumerate(zip(places, ids)):
        points, triangles = meshes[number]
        vertices.append(points @ place[:3, :3].T + place[:3, 3])
        faces.append(triangles + begin)
        owners += [(instance, i) for i in range(len(triangles))]
        begin += len(points)
    return np.concatenate(vertices), np.concatenate(faces), np.array(owners)


def test_questions(device):
    meshes = [oracle.soup(), oracle.cube()]
    scenes = [copse.Scene(*mesh, device=device) for mesh in meshes]
    places, ids = placed(5, 3), [0, 1, 1, 0, 1]
    vertices, faces, owners = one_mesh(meshes, places, ids)
    instances = copse.Instances(scenes, places, scene_ids=ids, masks=[1, 1, 3, 1, 1])
    nested = copse.NestedInstances([instances], np.eye(4, dtype=np.float32)[None])
    points = np.random.default_rng(4).uniform(-1.5, 1.5, (60, 3)).astype(np.float32)
    distances = oracle.distances(vertices, faces, points)
    expected = np.sort(distances, axis=1)[:, :6]
    for structure, where in ((instances, "instance"), (nested, "path")):
        near = structure.k_nearest(points, 6)
        assert near.distance.shape == (60, 6) and np.allclose(near.distance, expected, atol=1e-5)
        number = near.instance if where == "instance" else near.path[..., 1]
        triangles = np.searchsorted(owners[:, 0], number) + near.primitive
        assert np.allclose(np.take_along_axis(distances, triangles, 1), near.distance, atol=1e-5)
        assert structure.k_nearest(points, 6, out=near) is near
        assert (structure.k_nearest(points, 3, max_distance=0.01).primitive == -1).any()
        only_third = structure.k_nearest(points, 20, mask=2)
        assert (only_third.primitive[:, 12:] == -1).all() and (only_third.primitive[:, :12] >= 0).all()
        signed = structure.signed_distance(points)
        assert np.array_equal(signed < 0, structure.contains(points))
        assert np.allclose(np.abs(signed), expected[:, 0], atol=1e-5)

        boxes = np.concatenate([points - np.float32(0.2), points + np.float32(0.2)], axis=1)
        spheres = np.concatenate([points, np.full((60, 1), 0.25, np.float32)], axis=1)
        assert structure.overlaps(boxes=boxes)[0][-1] > 0
        offsets, found = structure.overlaps(spheres=spheres)
        number = found.instance if where == "instance" else found.path[:, 1]
        for i in range(60):
            mine = slice(offsets[i], offsets[i + 1])
            got = set(zip(number[mine].tolist(), found.primitive[mine].tolist()))
            sure = {tuple(owner) for owner in owners[distances[i] < 0.2499].tolist()}
            possible = {tuple(owner) for owner in owners[distances[i] < 0.2501].tolist()}
            assert sure <= got <= possible
        with pytest.raises(copse.InvalidArgument, match="0 kinds of regions were given"):
            structure.overlaps()
    with pytest.raises(copse.ArrayError, match="out is a Neighbours; a copse.InstanceNeighbours"):
        instances.k_nearest(points, 6, out=scenes[0].k_nearest(points, 6))


def test_rays_that_are_gathered_in_parts(device):
    """More rays than are gathered at a time on a CPU of a few threads."""
    origins, directions = oracle.rays(200_000)
    records = np.zeros((len(origins), 8), np.float32)
    records[:, :3], records[:, 4:7], records[:, 7] = origins, directions, np.inf
    scene = copse.Scene(*oracle.cube(), device=device)
    masks = np.arange(len(origins), dtype=np.uint32)
    for structure in (scene, copse.Instances(scene, placed(3, 8), masks=[1, 2, 4])):
        expected = structure.cast_rays(records, masks=masks)
        assert structure.cast_rays(origins, directions, masks=masks).records.tobytes() == expected.records.tobytes()
        assert np.array_equal(structure.occluded(origins, directions, masks=masks), expected.primitive >= 0)


def test_nested_instances(device):
    numbers = np.random.default_rng(5)  # its own, so that other tests keep theirs
    corners = (numbers.uniform(-1, 1, (200, 1, 3)) + numbers.uniform(-0.3, 0.3, (200, 3, 3))).astype(np.float32)
    faces = np.arange(600, dtype=np.int32).reshape(-1, 3)
    cube, soup = copse.Scene(*oracle.cube(), device=device), copse.Scene(corners.reshape(-1, 3), faces, device=device)
    origins = numbers.uniform(-2, 2, (300, 3)).astype(np.float32)
    rays = origins, (numbers.uniform(-1, 1, (300, 3)) - origins).astype(np.float32)
    places = np.tile(np.eye(4, dtype=np.float32)[:3], (3, 1, 1))
    places[:, :, 3] = numbers.uniform(-1, 1, (3, 3))
    low = copse.Instances([cube, soup], places, scene_ids=[0, 1, 0])
    here = np.eye(4, dtype=np.float32)[None]
    nested = copse.NestedInstances([low, cube], np.tile(here, (2, 1, 1)), masks=[1, 0])  # no ray sees the second
    high = copse.NestedInstances([nested], here)
    assert (len(nested), nested.level_count, high.level_count) == (2, 2, 3) and high.size_bytes > 0
    expected, hits = low.cast_rays(*rays), high.cast_rays(*rays)
    for name in ("t", "primitive", "geometry", "u", "v"):
        assert np.array_equal(getattr(hits, name), getattr(expected, name))
    found = expected.instance >= 0
    assert found.sum() > 10 and hits.path.shape == (len(found), 7)
    assert np.array_equal(hits.path[:, 2], expected.instance) and (hits.path[:, 3:] == -1).all()
    assert np.array_equal(hits.path[:, :2], np.where(found, 0, -1)[:, None].repeat(2, 1))
    assert np.array_equal(high.occluded(*rays), found)
    points = numbers.uniform(-2, 2, (200, 3)).astype(np.float32)
    near, near_low = high.closest_points(points), low.closest_points(points)
    assert np.array_equal(near.distance, near_low.distance) and np.array_equal(near.point, near_low.point)
    assert np.array_equal(near.path[:, 2], near_low.instance) and (near_low.instance >= 0).all()
    alone = np.min([cube.closest_points(points - places[i, :, 3]).distance for i in (0, 2)], axis=0)
    assert np.allclose(low.closest_points(points, mask=~0).distance, np.minimum(
        alone, soup.closest_points(points - places[1, :, 3]).distance), atol=1e-5)
    assert np.array_equal(high.contains(points), low.contains(points))
    nested.rebuild(places[:1])
    high.refit(here)
    moved = high.closest_points(points).distance
    assert np.allclose(moved, low.closest_points(points - places[0, :, 3]).distance, atol=1e-5)
    with pytest.raises(copse.InvalidArgument, match="part_ids has values from 0 to 2; 0 to 1 are possible"):
        copse.NestedInstances([low, cube], np.tile(here, (2, 1, 1)), part_ids=[0, 2])
    with pytest.raises(copse.ArrayError, match="part 1 is a list"):
        copse.NestedInstances([low, []], here)


def test_motion(rays, device):
    keys = [oracle.soup()[0] for _ in range(3)]
    faces = oracle.soup()[1]
    moving = copse.MotionScene(keys, faces, device=device)
    assert (moving.key_count, moving.triangle_count) == (3, oracle.SOUP_SIZE)
    for time, key in ((0, 0), (0.5, 1), (1, 2)):
        still = copse.Scene(keys[key], faces, device=device).cast_rays(*rays)
        assert moving.cast_rays(*rays, times=time).records.tobytes() == still.records.tobytes()
    times = oracle.NUMBERS.uniform(0, 1, len(rays[0])).astype(np.float32)
    hits = moving.cast_rays(*rays, times=times)
    assert np.array_equal(moving.occluded(*rays, times=times), hits.primitive >= 0)
    at = times[:, None, None]
    part = np.where(at < 0.5, 0, 1)
    share = 2 * at - part
    for i in range(0, len(times), 7):
        between = (1 - share[i]) * keys[part[i, 0, 0]] + share[i] * keys[part[i, 0, 0] + 1]
        t = oracle.all_t(between, faces, rays[0][i : i + 1], rays[1][i : i + 1])[0].min()
        assert np.isclose(hits.t[i], t, atol=1e-3) or (np.isinf(t) and np.isinf(hits.t[i]))
    moving.refit([keys[1]] * 3)
    still = copse.Scene(keys[1], faces, device=device).cast_rays(*rays)
    assert moving.cast_rays(*rays, times=0.3).records.tobytes() == still.records.tobytes()
    with pytest.raises(copse.InvalidArgument, match="1 keys were given; 2 are needed"):
        copse.MotionScene(keys[:1], faces, device=device)
    with pytest.raises(copse.ArrayError, match=r"times has the shape \(4,\)"):
        moving.cast_rays(*rays, times=np.zeros(4, np.float32))


def test_instances_that_move(rays, device):
    meshes = [oracle.soup(), oracle.cube()]
    moved = meshes[0][0] * np.float32(0.7)
    parts = [
        copse.MotionScene([meshes[0][0], moved], meshes[0][1], device=device),
        copse.Scene(*meshes[1], device=device),
        copse.Scene(*meshes[0], device=device),
    ]
    ids = np.array([0, 1, 2, 1])
    keys = [placed(4, seed) for seed in (5, 6, 7)]
    for key in keys[1:]:  # less than half a turn from key to key
        key[:, :3, :3] = keys[0][:, :3, :3]
    moving = copse.MotionInstances(parts, keys, scene_ids=ids, masks=[1, 1, 1, 2])
    assert (len(moving), moving.key_count) == (4, 3) and moving.size_bytes > 0
    for time in (0, 0.25, 0.5, 1):
        before = min(int(2 * time), 1)
        share = np.float32(2 * time - before)
        between = (1 - share) * keys[before] + share * keys[before + 1]
        inside = ((1 - np.float32(time)) * meshes[0][0] + np.float32(time) * moved, meshes[0][1])
        vertices, faces, owners = one_mesh([inside, meshes[1], meshes[0]], between[:3], ids[:3])
        t = oracle.all_t(vertices, faces, *rays)[0]
        hits = moving.cast_rays(*rays, times=time, mask=1)
        found = np.isfinite(t.min(axis=1))
        assert (np.array_equal(hits.instance >= 0, found)) and found.sum() > 20
        assert np.allclose(hits.t[found], t.min(axis=1)[found], rtol=1e-3, atol=1e-3)
        assert np.array_equal(moving.occluded(*rays, times=np.full(len(found), time, np.float32), mask=1), found)
    first = moving.cast_rays(*rays, times=0)
    parts_of_keys = np.stack([copse.motion_transforms(key) for key in keys], axis=1)
    assert parts_of_keys.shape == (4, 3) and parts_of_keys.dtype == copse.MOTION_TRANSFORM
    moving.refit(parts_of_keys[:, [0, 0, 0]], scene_ids=ids, masks=[1, 1, 1, 2])
    assert not np.array_equal(moving.cast_rays(*rays, times=1).records, first.records)  # the triangles still move
    moving.rebuild(parts_of_keys[:2], scene_ids=ids[:2])
    assert len(moving) == 2
    moving.rebuild(keys, scene_ids=ids, masks=[1, 1, 1, 2])
    assert np.array_equal(moving.cast_rays(*rays, times=0).records, first.records)
    alone = copse.MotionInstances(parts[1], [keys[0][:1], keys[1][:1]])
    still = copse.Instances(parts[1], keys[1][:1])
    assert np.array_equal(alone.cast_rays(*rays, times=1).instance, still.cast_rays(*rays).instance)

    with pytest.raises(copse.InvalidArgument, match="1 keys were given; 2 are needed"):
        copse.MotionInstances(parts, keys[:1])
    with pytest.raises(copse.ArrayError, match="key 1 has 3 transforms, but key 0 has 4"):
        copse.MotionInstances(parts, [keys[0], keys[1][:3]])
    with pytest.raises(copse.InvalidArgument, match="scene_ids has values from 0 to 3; 0 to 2 are possible"):
        copse.MotionInstances(parts, keys, scene_ids=[0, 1, 2, 3])
    with pytest.raises(copse.InvalidArgument, match="tree_count is 257; it can be 0 to 256"):
        copse.MotionInstances(parts, keys, tree_count=257)
    with pytest.raises(copse.ArrayError, match="scene 1 is a Instances"):
        copse.MotionInstances([parts[1], still], keys)
    with pytest.raises(copse.InvalidArgument, match="2 keys.*3"):
        moving.refit(keys[:2], scene_ids=ids)
    with pytest.raises(TypeError, match="'time'"):
        moving.cast_rays(*rays, times=0, time=0)

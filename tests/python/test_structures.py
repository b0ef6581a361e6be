"""Points, voxels, distances, batches, worlds and scene files, compared with slow and obvious answers."""

import gc
import os
import pickle

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


@pytest.mark.parametrize("kind", [copse.KdTree, copse.PointBvh, copse.PointGrid])
def test_points(kind, device):
    wide = oracle.NUMBERS.uniform(-1, 1, (600, 5)).astype(np.float32)
    points, queries = wide[:, 1:4], oracle.NUMBERS.uniform(-1.2, 1.2, (80, 3)).astype(np.float32)
    chosen = kind(points, device=device)
    distance = np.linalg.norm(queries[:, None].astype(np.float64) - points, axis=-1)
    nearest = chosen.k_nearest(queries, 7)
    assert len(chosen) == 600 and nearest.point.shape == (80, 7) and chosen.size_bytes > 600 * 12
    assert np.allclose(nearest.distance, np.sort(distance, axis=1)[:, :7], atol=1e-6)
    assert np.allclose(np.take_along_axis(distance, nearest.point, 1), nearest.distance, atol=1e-6)
    assert chosen.k_nearest(queries, 7, out=nearest) is nearest
    offsets, found = chosen.within(queries, 0.4)
    assert np.array_equal(np.diff(offsets), chosen.count_within(queries, 0.4))
    for i in range(80):
        assert set(found[offsets[i] : offsets[i + 1]]) == set(np.flatnonzero(distance[i] <= 0.4))
    few = chosen.k_nearest(queries, 3, max_distance=0.05)
    assert np.array_equal(few.point >= 0, np.sort(distance, axis=1)[:, :3] <= 0.05)
    chosen.rebuild(points[:5])
    assert len(chosen) == 5 and np.all(chosen.k_nearest(queries, 7).point[:, 5:] == -1)
    with pytest.raises(copse.InvalidArgument, match="601"):
        chosen.rebuild(np.zeros((601, 3), np.float32))
    with pytest.raises(copse.InvalidArgument, match="k is 0"):
        chosen.k_nearest(queries, 0)
    with pytest.raises(copse.ArrayError, match=r"queries has the shape \(80, 2\)"):
        chosen.k_nearest(np.ascontiguousarray(queries[:, :2]), 1)


def test_point_grids_take_a_cell_size(device):
    points = oracle.NUMBERS.uniform(-1, 1, (500, 3)).astype(np.float32)
    counts = [copse.PointGrid(points, cell_size=size, device=device).count_within(points, 0.2) for size in (0, 0.2, 5)]
    assert np.array_equal(counts[0], counts[1]) and np.array_equal(counts[0], counts[2]) and counts[0].min() >= 1
    with pytest.raises(copse.InvalidArgument, match="-1"):
        copse.PointGrid(points, cell_size=-1, device=device)


def test_voxels(device):
    scene = copse.Scene(*oracle.cube(), device=device)
    touched, inside = scene.voxels(20), scene.voxels(20, rule="inside")
    assert inside.resolution == (20, 20, 20) and inside.voxel_count == 8000 and inside.dense().all()
    surface = np.ones((20, 20, 20), bool)
    surface[1:-1, 1:-1, 1:-1] = False
    assert np.array_equal(touched.dense(), surface) and touched.voxel_count == surface.sum()
    assert np.array_equal(touched.lower, [-1, -1, -1]) and np.isclose(touched.voxel_size, 0.1)
    bricks = scene.bricks(20)
    whole = np.zeros((24, 24, 24), bool)
    for (x, y, z), voxels in zip(bricks.places(), bricks.voxels()):
        whole[z : z + 8, y : y + 8, x : x + 8] = voxels
    assert np.array_equal(whole[:20, :20, :20], surface) and not whole[20:].any() and len(bricks) == 26
    if device == "cpu":
        words = touched.words
        del touched, scene
        gc.collect()
        assert words.shape == (20, 20, 1) and words[0, 0, 0] == 0xFFFFF  # the array keeps the grid
    with pytest.raises(copse.InvalidArgument, match="rule is 'solid'"):
        copse.Scene(*oracle.cube(), device=device).voxels(4, rule="solid")
    with pytest.raises(copse.InvalidArgument, match="resolution is 0"):
        copse.Scene(*oracle.cube(), device=device).voxels(0)


def test_distances(device):
    field = copse.Scene(*oracle.cube(), device=device).distance_field(24, band=4)
    dense = field.dense()
    assert dense.shape == field.resolution[::-1] and field.band == np.float32(4 * field.voxel_size)
    z, y, x = np.nonzero(np.isfinite(dense))
    centres = (field.lower + field.voxel_size * (np.stack([x, y, z], axis=-1) + 0.5)).astype(np.float32)
    expected = oracle.distances(*oracle.cube(), centres).min(axis=1)
    inside = (np.abs(centres) < 1).all(axis=1)
    expected = np.where(inside, -1, 1) * np.minimum(expected, field.band)
    assert np.allclose(dense[z, y, x], expected, atol=1e-6) and 0 < inside.sum() < len(inside)
    assert (np.abs(dense[z, y, x]) < field.band).sum() == field.voxel_count


def records_of(rays):
    records = np.zeros((len(rays[0]), 8), np.float32)
    records[:, :3], records[:, 4:7], records[:, 7] = rays[0], rays[1], np.inf
    return records


def test_batches_and_worlds(rays, device):
    soup = tuple(part.copy() for part in oracle.soup())
    meshes = [copse.Geometry(*soup), copse.Geometry(*oracle.cube()), copse.Geometry(np.zeros((0, 3), np.float32))]
    batch = copse.Batch(meshes, device=device)
    assert len(batch) == 3 and batch.triangle_count == oracle.SOUP_SIZE + 12
    transforms = np.tile(np.eye(4, dtype=np.float32), (5, 1, 1))
    transforms[:, :3, :3] *= np.array([1, 0.5, -0.7, 0.4, 1], np.float32)[:, None, None]
    transforms[:, :3, 3] = oracle.NUMBERS.uniform(-0.5, 0.5, (5, 3))
    ids, begins = np.array([0, 1, 0, 1, 2]), [0, 1, 3, 3, 5]
    worlds = copse.Worlds(batch, transforms, begins, scene_ids=ids)
    assert (len(worlds), worlds.instance_count) == (4, 5)
    world_of_ray = np.arange(len(rays[0]), dtype=np.int32) % 5
    records = records_of(rays)

    def check():
        hits = worlds.cast_rays(records, world_of_ray)
        assert np.array_equal(worlds.occluded(records, world_of_ray), hits.primitive >= 0)
        for world in range(4):
            mine, own = world_of_ray == world, slice(begins[world], begins[world + 1])
            if begins[world] == begins[world + 1]:
                assert np.all(hits.primitive[mine] == -1)
                continue
            alone = copse.Instances(batch, transforms[own], scene_ids=ids[own])
            assert np.array_equal(alone.cast_rays(records).records[mine], hits.records[mine])
        assert np.all(hits.primitive[world_of_ray == 4] == -1)
        return hits.records

    before = check()
    soup[0][:] *= np.float32(0.8)  # where the batch reads them
    batch.refit(np.array([1, 0, 0], np.int32))
    worlds.refit(transforms, scene_ids=ids)
    after = check()
    assert not np.array_equal(before, after)
    batch.rebuild()
    worlds.rebuild(transforms, scene_ids=ids)
    assert np.array_equal(check(), after)
    shared = copse.Instances(copse.Scene(*oracle.cube(), device=device), np.eye(4, dtype=np.float32)[None])
    with_floor = copse.Worlds(batch, transforms, begins, scene_ids=ids, shared=shared)
    seen = shared.cast_rays(records).primitive >= 0
    del shared
    gc.collect()
    hits = with_floor.cast_rays(records, world_of_ray)
    assert np.all(hits.primitive[seen] >= 0) and np.all(hits.t <= after["t"])
    with pytest.raises(copse.InvalidArgument):
        copse.Worlds(batch, transforms, [0, 3, 2, 5], scene_ids=ids)
    with pytest.raises(copse.ArrayError, match="world_begins has the shape"):
        copse.Worlds(batch, transforms, [[0, 5]], scene_ids=ids)
    with pytest.raises(copse.InvalidArgument, match="scene_ids has values from 0 to 3; 0 to 2"):
        copse.Instances(batch, transforms, scene_ids=[0, 1, 2, 3, 0])


def test_scene_files(device):
    file = copse.load_scene(os.path.join(os.environ["COPSE_ASSETS"], "grove.glb"))
    assert len(file.transforms) == len(file.mesh_ids) == len(file.names) > len(file.meshes) > 0 and file.left_out == ""
    assert file.meshes[0].colours.shape == (len(file.meshes[0].geometries), 4)
    instances = file.build(device=device)
    assert len(instances) == len(file.transforms)
    stats = instances.stats()
    low, high = np.array(stats.lower), np.array(stats.upper)
    origins = np.tile((low + high) / 2, (100, 1)).astype(np.float32)
    origins[:, 1] = high[1] + 1
    origins[:, ::2] += oracle.NUMBERS.uniform(-1, 1, (100, 2)).astype(np.float32)
    hits = instances.cast_rays(origins, np.array([0, -1, 0], np.float32))
    assert (hits.instance >= 0).sum() > 20 and hits.instance.max() < len(instances)
    with pytest.raises(copse.BadFile, match="nowhere.glb"):
        copse.load_scene("nowhere.glb")


def test_results_can_be_pickled_as_arrays(rays):
    hits = copse.Scene(*oracle.cube(), device="cpu").cast_rays(*rays)
    assert np.array_equal(pickle.loads(pickle.dumps(hits.records)), hits.records)

"""All calls that answer something, compared with tests of every triangle."""

import pickle

import copse
import numpy as np
import pytest

import oracle


def _has_gpu():
    try:
        copse.Scene(*oracle.cube(), device="cuda")
        return True
    except copse.NoDevice:
        return False


DEVICES = ["cpu"] + (["cuda"] if _has_gpu() else [])


@pytest.fixture(scope="module")
def soup():
    return oracle.soup()


@pytest.fixture(scope="module")
def rays():
    return oracle.rays()


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(scope="module")
def scene(soup, device):
    return copse.Scene(*soup, device=device)


def check_closest(hits, t):
    closest = t.min(axis=1)
    has_hit = np.isfinite(closest)
    assert np.array_equal(hits.primitive >= 0, has_hit)
    assert np.all(np.isinf(hits.t[~has_hit]))
    assert np.all(hits.primitive[~has_hit] == -1) and np.all(hits.geometry[~has_hit] == -1)
    assert np.allclose(hits.t[has_hit], closest[has_hit], atol=1e-4)
    assert np.allclose(t[has_hit, hits.primitive[has_hit]], closest[has_hit], atol=1e-4)


@pytest.mark.parametrize("quality", ["fast", "balanced", "best"])
def test_closest_hits(soup, rays, quality, device):
    scene = copse.Scene(*soup, quality=quality, device=device)
    assert scene.triangle_count == oracle.SOUP_SIZE and scene.device.startswith(device)
    hits = scene.cast_rays(*rays)
    t, is_front = oracle.all_t(*soup, *rays)
    check_closest(hits, t)
    found = hits.primitive >= 0
    u, v = hits.u[found, None], hits.v[found, None]
    a, b, c = (soup[0][soup[1][hits.primitive[found], k]] for k in range(3))
    points = rays[0][found] + hits.t[found, None] * rays[1][found]
    assert np.allclose((1 - u - v) * a + u * b + v * c, points, atol=1e-4)
    check_closest(scene.cast_rays(*rays, cull="back"), np.where(is_front, t, np.inf))
    check_closest(scene.cast_rays(*rays, cull="front"), np.where(is_front, np.inf, t))


def test_any_hits(scene, soup, rays):
    t, _ = oracle.all_t(*soup, *rays)
    occluded = scene.occluded(*rays)
    assert occluded.dtype == bool and np.array_equal(occluded, np.isfinite(t.min(axis=1)))
    assert np.array_equal(scene.occluded(*rays, t_max=0.5), t.min(axis=1) <= 0.5)


def test_several_hits(scene, soup, rays):
    t, _ = oracle.all_t(*soup, *rays)
    offsets, hits = scene.all_hits(*rays)
    counts = np.isfinite(t).sum(axis=1)
    assert np.array_equal(np.diff(offsets), counts) and len(hits) == counts.sum() > len(rays[0])
    first = scene.first_k(*rays, k=4)
    assert first.shape == (len(rays[0]), 4)
    expected = np.sort(t, axis=1)
    for i in range(len(counts)):
        assert np.allclose(hits.t[offsets[i] : offsets[i + 1]], expected[i, : counts[i]], atol=1e-4)
        many = min(counts[i], 4)
        assert np.array_equal(first.records[i, :many], hits.records[offsets[i] : offsets[i] + many])
        assert np.all(first.primitive[i, many:] == -1)


@pytest.mark.parametrize("layers", [1, 15, 40])
def test_all_hits_of_any_number(layers, device):
    """The memory of the results fits, whether all_hits had expected as many or not."""
    corners = np.array([[-1, -1, 0], [3, -1, 0], [-1, 3, 0]], np.float32)
    heights = np.arange(layers, dtype=np.float32)[:, None, None] * np.array([0, 0, 1], np.float32)
    scene = copse.Scene((corners + heights).reshape(-1, 3), np.arange(3 * layers, dtype=np.int32).reshape(-1, 3), device=device)
    origins = np.tile(np.array([0, 0, -1], np.float32), (500, 1))
    origins[::5] += 10
    directions = np.tile(np.array([0, 0, 1], np.float32), (500, 1))
    offsets, hits = scene.all_hits(origins, directions)
    assert np.array_equal(np.diff(offsets), np.where(np.arange(500) % 5 == 0, 0, layers))
    assert len(hits) == hits.records.size == hits.t.size == 400 * layers and hits.records.base is None
    assert np.array_equal(hits.primitive.reshape(-1, layers), np.tile(np.arange(layers), (400, 1)))
    assert np.array_equal(hits.t, hits.primitive + 1)
    nothing = scene.all_hits(np.ascontiguousarray(origins[::5]), directions[:100])
    assert len(nothing[1]) == 0 and not nothing[0].any()


def test_limits_and_records(scene, rays):
    count = len(rays[0])
    t_min, t_max = np.full(count, 0.2, np.float32), np.linspace(0.3, 3, count, dtype=np.float32)
    records = np.concatenate([rays[0], t_min[:, None], rays[1], t_max[:, None]], axis=1)
    expected = scene.cast_rays(*rays, t_min=t_min, t_max=t_max).records
    assert np.array_equal(scene.cast_rays(records).records, expected)
    assert np.array_equal(scene.cast_rays(*rays, t_min=0.2, t_max=t_max).records, expected)
    wide = np.zeros((count, 10), np.float32)
    wide[:, 1:4], wide[:, 5:8] = rays
    apart = scene.cast_rays(wide[:, 1:4], wide[:, 5:8], t_min=0.2, t_max=t_max)
    assert np.array_equal(apart.records, expected)
    one = scene.cast_rays(rays[0], rays[1][0])
    same = scene.cast_rays(rays[0], np.broadcast_to(rays[1][0], (count, 3)))
    assert np.array_equal(one.records, same.records)
    assert len(scene.cast_rays(rays[0][0], rays[1][0])) == 1


def test_points(scene, soup):
    points = oracle.NUMBERS.uniform(-1.5, 1.5, (200, 3)).astype(np.float32)
    expected = np.sort(oracle.distances(*soup, points), axis=1)
    nearest = scene.closest_points(points)
    assert np.allclose(nearest.distance, expected[:, 0], atol=1e-5)
    assert np.allclose(np.linalg.norm(nearest.point - points, axis=1), expected[:, 0], atol=1e-5)
    neighbours = scene.k_nearest(points, 5)
    assert np.allclose(neighbours.distance, expected[:, :5], atol=1e-5)
    limited = scene.closest_points(points, max_distance=0.2)
    assert np.array_equal(limited.primitive >= 0, expected[:, 0] <= 0.2)


def test_inside(device):
    scene = copse.Scene(*oracle.cube(), device=device)
    points = oracle.NUMBERS.uniform(-1.5, 1.5, (300, 3)).astype(np.float32)
    inside = (np.abs(points) < 1).all(axis=1)
    assert np.array_equal(scene.contains(points), inside) and 0 < inside.sum() < 300
    distance = scene.signed_distance(points)
    assert np.array_equal(distance < 0, inside)
    assert np.allclose(np.abs(distance), oracle.distances(*oracle.cube(), points).min(axis=1), atol=1e-6)


def test_overlaps(scene, soup):
    spheres = oracle.NUMBERS.uniform(-1, 1, (20, 4)).astype(np.float32)
    spheres[:, 3] = np.abs(spheres[:, 3]) * 0.5
    offsets, triangles = scene.overlaps(spheres=spheres)
    touches = oracle.distances(*soup, spheres[:, :3]) <= spheres[:, 3:]
    for i in range(20):
        assert set(triangles[offsets[i] : offsets[i + 1]]) == set(np.flatnonzero(touches[i]))
    everything = np.array([[-9, -9, -9, 9, 9, 9]], np.float32)
    offsets, triangles = scene.overlaps(boxes=everything)
    assert sorted(triangles) == list(range(oracle.SOUP_SIZE)) and list(offsets) == [0, oracle.SOUP_SIZE]


def test_pairs(device):
    crossing = [[-1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0.2, -1], [0, 0.2, 1], [0, 2, 0], [9, 9, 9], [8, 9, 9], [9, 8, 9]]
    scene = copse.Scene(np.array(crossing, np.float32), device=device)
    assert scene.pairs().tolist() == [[0, 1]]


def test_masks_and_geometries(soup, rays, device):
    scene = copse.Scene.from_geometries(
        [copse.Geometry(*soup, id=5, mask=1), copse.Geometry(*oracle.cube(), id=6, mask=2)], device=device
    )
    for geometry, mask, mesh in ((5, 1, soup), (6, 2, oracle.cube())):
        hits = scene.cast_rays(*rays, mask=mask)
        check_closest(hits, oracle.all_t(*mesh, *rays)[0])
        assert set(hits.geometry) <= {geometry, -1}
        masks = np.full(len(rays[0]), mask, np.uint32)
        assert np.array_equal(scene.cast_rays(*rays, masks=masks).records, hits.records)


def test_motion(soup, rays, device):
    scene = copse.Scene(*soup, device=device, capacity=300)
    moved = np.ascontiguousarray(soup[0][:, ::-1]) * np.float32(0.9)
    scene.refit(moved)
    check_closest(scene.cast_rays(*rays), oracle.all_t(moved, soup[1], *rays)[0])
    scene.rebuild(*oracle.cube())
    check_closest(scene.cast_rays(*rays), oracle.all_t(*oracle.cube(), *rays)[0])
    scene.compact()
    with pytest.raises(copse.InvalidArgument, match="has room for 12"):
        scene.rebuild(soup[0], soup[1])


def test_splits(soup, scene, rays, device):
    split = copse.Scene(*soup, device=device, splits=2)
    assert np.array_equal(split.cast_rays(*rays).records, scene.cast_rays(*rays).records)
    with pytest.raises(copse.InvalidArgument, match="splits is 5; it can be 1 to 4"):
        copse.Scene(*soup, device=device, splits=5)


def test_files(scene, rays, device, tmp_path):
    expected = scene.cast_rays(*rays).records
    scene.save(tmp_path / "soup.copse")
    loaded = copse.load(tmp_path / "soup.copse", device=device)
    assert np.array_equal(loaded.cast_rays(*rays).records, expected)
    assert np.array_equal(loaded.vertices[loaded.faces], scene.vertices[scene.faces])
    loaded.refit(loaded.vertices)
    assert np.array_equal(loaded.cast_rays(*rays).records, expected)
    if device == "cpu":
        assert np.array_equal(pickle.loads(pickle.dumps(scene)).cast_rays(*rays).records, expected)
        mapped = copse.load(tmp_path / "soup.copse", mmap=True)
        assert np.array_equal(mapped.cast_rays(*rays).records, expected)
        assert np.array_equal(mapped.vertices[mapped.faces], scene.vertices[scene.faces])
        vertices, faces = mapped.vertices, mapped.faces
        del mapped
        assert np.array_equal(vertices[faces], scene.vertices[scene.faces])
    else:
        with pytest.raises(copse.InvalidArgument, match="mapped for the CPU"):
            copse.load(tmp_path / "soup.copse", device=device, mmap=True)
    with pytest.raises(copse.BadFile, match="nowhere.copse"):
        copse.load("nowhere.copse", device=device)


def test_instances(soup, rays, device):
    scenes = [copse.Scene(*soup, device=device), copse.Scene(*oracle.cube(), device=device)]
    transforms = np.tile(np.eye(4, dtype=np.float32), (4, 1, 1))
    transforms[:, :3, :3] *= np.array([0.5, -0.4, 0.3, 0.6], np.float32)[:, None, None]
    transforms[:, :3, 3] = oracle.NUMBERS.uniform(-1, 1, (4, 3))
    scene_ids = [0, 1, 1, 0]
    instances = copse.Instances(scenes, transforms, scene_ids=scene_ids)
    hits, t = instances.cast_rays(*rays), []
    for transform, number in zip(transforms, scene_ids):
        vertices, faces = (soup, oracle.cube())[number]
        t.append(oracle.all_t(vertices @ transform[:3, :3].T + transform[:3, 3], faces, *rays)[0].min(axis=1))
    closest = np.min(t, axis=0)
    found = np.isfinite(closest)
    assert np.array_equal(hits.instance >= 0, found) and len(instances) == 4
    assert np.allclose(hits.t[found], closest[found], atol=1e-4)
    assert np.allclose(np.array(t)[hits.instance[found], np.flatnonzero(found)], closest[found], atol=1e-4)
    assert np.array_equal(instances.occluded(*rays), found)
    instances.refit(transforms[:, :3] + np.float32(0.1), scene_ids=scene_ids)
    assert not np.array_equal(instances.cast_rays(*rays).records, hits.records)
    instances.rebuild(transforms[:, :3], scene_ids=scene_ids)
    assert np.array_equal(instances.cast_rays(*rays).records, hits.records)
    offsets, several = instances.all_hits(*rays)
    assert np.array_equal(np.diff(offsets) > 0, found)
    assert np.array_equal(several.records[offsets[:-1][found]], hits.records[found])
    assert np.array_equal(instances.first_k(*rays, k=2).records[:, 0], hits.records)
    del scenes
    assert instances.stats().source_count == 4


@pytest.mark.skipif(len(DEVICES) == 1, reason="no GPU answers")
def test_devices_agree_by_bytes(soup, rays):
    scenes = [copse.Scene(*soup, device=device) for device in DEVICES]
    points = rays[0]
    for ask in (
        lambda s: s.cast_rays(*rays).records,
        lambda s: s.occluded(*rays),
        lambda s: s.all_hits(*rays)[1].records,
        lambda s: s.closest_points(points).records,
        lambda s: s.k_nearest(points, 3).records,
    ):
        assert ask(scenes[0]).tobytes() == ask(scenes[1]).tobytes()


def test_stats(scene):
    stats = scene.stats()
    assert stats.source_count == oracle.SOUP_SIZE and stats.left_out_count == 0
    assert stats.node_count > 0 and stats.sah_cost > 1 and stats.lower[0] < stats.upper[0]
    assert 0 < stats.used_bytes <= stats.size_bytes == scene.size_bytes

"""Scenes on several devices answer as one scene does, byte for byte."""

import copse
import numpy as np
import pytest

import oracle
from test_answers import DEVICES


@pytest.fixture(scope="module", params=DEVICES)
def devices(request):
    if request.param == "cpu":
        return copse.Devices(3, device="cpu")
    return copse.Devices(device="cuda")


def test_devices(devices):
    assert len(devices) == (3 if devices.device == "cpu" else copse.gpu_count())
    devices.wait()
    for count in (-1, 65, 2**32 + 1):
        with pytest.raises(copse.InvalidArgument, match=str(count)):
            copse.Devices(count, device="cpu")
    with pytest.raises(copse.InvalidArgument, match="device is 'cuda:1'"):
        copse.Devices(device="cuda:1")


def test_answers_are_those_of_a_scene(devices):
    vertices, faces = oracle.soup()
    origins, directions = oracle.rays(2000)
    points = oracle.NUMBERS.uniform(-1, 1, (500, 3)).astype(np.float32)
    shared = copse.ReplicatedScene(vertices, faces, devices=devices, capacity=2 * len(faces))
    one = copse.Scene(vertices, faces, device=devices.device, capacity=2 * len(faces))

    def check():
        assert shared.triangle_count == one.triangle_count and shared.size_bytes > 0
        for options in ({}, {"t_max": 1.0, "cull": "back"}):
            hits = shared.cast_rays(origins, directions, **options)
            expected = one.cast_rays(origins, directions, **options)
            assert isinstance(hits, copse.Hits) and hits.records.tobytes() == expected.records.tobytes()
            assert np.array_equal(shared.occluded(origins, directions, **options), expected.primitive >= 0)
        assert shared.cast_rays(origins, directions, out=hits) is hits
        near, expected = shared.closest_points(points), one.closest_points(points)
        assert near.records.tobytes() == expected.records.tobytes()
        near, expected = shared.k_nearest(points, 3), one.k_nearest(points, 3)
        assert near.records.tobytes() == expected.records.tobytes()
        assert np.array_equal(shared.contains(points), one.contains(points))

    check()
    for each in (shared, one):
        each.refit(vertices[:, ::-1].copy())
    check()
    for each in (shared, one):
        each.rebuild(*oracle.cube())
    check()
    assert np.array_equal(shared.signed_distance(points), one.signed_distance(points))
    for each in (shared, one):
        each.rebuild([copse.Geometry(vertices, faces, id=3), copse.Geometry(*oracle.cube(), id=5)])
    check()
    assert len(shared.cast_rays(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))) == 0
    with pytest.raises(copse.ArrayError, match="origins has the shape"):
        shared.cast_rays(origins[:, :2].copy(), directions)
    with pytest.raises(copse.InvalidArgument, match="k is 0"):
        shared.k_nearest(points, 0)

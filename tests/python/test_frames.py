"""Advisors, which choose between refit and rebuild, and trees that are built in slices."""

import copse
import numpy as np
import pytest

import oracle
from test_answers import DEVICES


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    return request.param


def same_hits(scene, vertices, faces, rays):
    expected = copse.Scene(vertices, faces, device=scene.device).cast_rays(*rays)
    return scene.cast_rays(*rays).records.tobytes() == expected.records.tobytes()


def test_advisor(device):
    vertices, faces = oracle.soup()
    rays = oracle.rays()
    scene = copse.Scene(vertices, faces, device=device)
    advisor = copse.RebuildAdvisor(scene)
    first = advisor.history()
    assert first.built_cost == first.cost > 0 and (first.refit_count, first.rebuild_count) == (0, 0)

    stretched = vertices * np.float32([1.01, 1, 1])
    assert advisor.refit_or_rebuild(stretched) is False
    history = advisor.history()
    assert (history.refit_count, history.rebuild_count, history.refits_since_build) == (1, 0, 1)
    assert 0.9 < history.growth < 1.25 and same_hits(scene, stretched, faces, rays)

    torn = vertices.reshape(-1, 3, 3)[np.random.default_rng(2).permutation(len(faces))].reshape(-1, 3)
    assert advisor.refit_or_rebuild(torn) is True
    history = advisor.history()
    assert (history.refit_count, history.rebuild_count, history.growth) == (2, 1, 1.0)
    assert same_hits(scene, torn, faces, rays) and scene.vertices is torn

    scene.rebuild(vertices)
    advisor.note_build()
    assert np.isclose(advisor.history().cost, first.cost)

    # A tree that only gets worse is refitted to the end if it may cost anything, and is rebuilt in every second frame if asked.
    patient = copse.RebuildAdvisor(scene, max_growth=1000, max_refits=0)
    assert not any(patient.refit_or_rebuild(torn) for _ in range(3)) and patient.history().growth > 1.25
    eager = copse.RebuildAdvisor(scene, max_growth=1000, max_refits=2)
    assert [eager.refit_or_rebuild(torn) for _ in range(6)].count(True) in (2, 3)
    assert same_hits(scene, torn, faces, rays)


def test_advisors_that_cannot_be(device, tmp_path):
    scene = copse.Scene(*oracle.cube(), device=device)
    with pytest.raises(copse.InvalidArgument, match="max_growth is 0.5"):
        copse.RebuildAdvisor(scene, max_growth=0.5)
    with pytest.raises(copse.InvalidArgument, match="max_refits is -1; it can be 0 to 4294967295"):
        copse.RebuildAdvisor(scene, max_refits=-1)
    with pytest.raises(copse.InvalidArgument, match="scene is a ndarray; a copse.Scene is needed"):
        copse.RebuildAdvisor(oracle.cube()[0])
    advisor = copse.RebuildAdvisor(scene)
    with pytest.raises(copse.InvalidArgument, match="200 triangles, but the structure was built over 12"):
        advisor.refit_or_rebuild([copse.Geometry(*oracle.soup())])
    with pytest.raises(copse.ArrayError, match="vertices has the shape"):
        advisor.refit_or_rebuild(oracle.cube()[0].astype(np.float64))
    scene.save(tmp_path / "cube.copse")
    loaded = copse.load(tmp_path / "cube.copse", device=device)
    due = copse.RebuildAdvisor(loaded, max_refits=1)
    with pytest.raises(copse.InvalidArgument, match="no room for a rebuild"):
        for _ in range(2):
            due.refit_or_rebuild(loaded.vertices)


def test_slices(device):
    vertices, faces = oracle.soup()
    rays = oracle.rays()
    with pytest.raises(copse.InvalidArgument, match=r"slices of 64 triangles, the smallest, take \d+") as error:
        copse.build_in_slices(vertices, faces, memory_bytes=1, device=device)
    least = int(str(error.value).split()[-1])
    scene = copse.build_in_slices(vertices, faces, memory_bytes=least, device=device)
    assert scene.device == "cpu" and scene.triangle_count == len(faces) and same_hits(scene, vertices, faces, rays)
    whole = copse.build_in_slices([copse.Geometry(vertices, faces)], device=device)
    assert whole.stats() == scene.stats()  # the same tree, of any number of slices
    points = rays[0]
    expected = copse.Scene(vertices, faces, device="cpu").closest_points(points)
    assert scene.closest_points(points).records.tobytes() == expected.records.tobytes()
    moved = vertices * np.float32(0.5)
    scene.refit(moved)
    assert same_hits(scene, moved, faces, rays)
    scene.rebuild(vertices)
    assert same_hits(scene, vertices, faces, rays)
    with pytest.raises(copse.InvalidArgument, match="memory_bytes is -1; it can be 0 to"):
        copse.build_in_slices(vertices, faces, memory_bytes=-1, device=device)
    assert copse.build_in_slices(np.zeros((0, 3), np.float32), device=device).cast_rays(*rays).primitive.max() == -1

"""Advisors, which choose between refit and rebuild, trees that are built in slices, and meshes that stay in their files."""

import pickle

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

    def least_memory(hploc_radius):
        with pytest.raises(copse.InvalidArgument, match=r"slices of 64 triangles, the smallest, take \d+ bytes") as error:
            copse.build_in_slices(vertices, faces, memory_bytes=1, hploc_radius=hploc_radius, device=device)
        return int(str(error.value).split()[-2])

    least = least_memory(0)
    scene = copse.build_in_slices(vertices, faces, memory_bytes=least, device=device)
    assert scene.device == "cpu" and scene.triangle_count == len(faces) and same_hits(scene, vertices, faces, rays)
    whole = copse.build_in_slices([copse.Geometry(vertices, faces)], device=device)
    assert whole.stats() == scene.stats()  # the same tree, of any number of slices
    hploc = copse.build_in_slices(vertices, faces, memory_bytes=least_memory(4), hploc_radius=4, device=device)
    assert hploc.stats() != scene.stats() and same_hits(hploc, vertices, faces, rays)
    assert hploc.stats() == copse.build_in_slices(vertices, faces, hploc_radius=4, device=device).stats()
    with pytest.raises(copse.InvalidArgument, match="hploc_radius is 9; it can be 0 to 8"):
        copse.build_in_slices(vertices, faces, hploc_radius=9, device=device)
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


def write_ply(path, vertices, faces):
    """Writes a PLY file whose vertices have a colour, so that hardly any record is aligned."""
    rows = np.empty(len(vertices), np.dtype([("red", "u1"), ("xyz", "<f4", 3)]))
    rows["red"], rows["xyz"] = 7, vertices
    corners = np.empty(len(faces), np.dtype([("count", "u1"), ("ids", "<u4", 3)]))
    corners["count"], corners["ids"] = 3, faces
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty uchar red\n"
    header += "property float x\nproperty float y\nproperty float z\n"
    header += f"element face {len(faces)}\nproperty list uchar uint vertex_indices\nend_header\n"
    path.write_bytes(header.encode() + rows.tobytes() + corners.tobytes())


def test_mapped_meshes(device, tmp_path):
    vertices, faces = oracle.soup()
    rays = oracle.rays()
    write_ply(tmp_path / "soup.ply", vertices, faces)
    mesh = copse.MappedMesh(tmp_path / "soup.ply")
    assert repr(mesh) == f"<copse.MappedMesh of {len(faces)} triangles>"
    assert mesh.vertices.strides == mesh.faces.strides == (13, 4) and not mesh.vertices.flags.writeable
    assert np.array_equal(mesh.vertices, vertices) and np.array_equal(mesh.faces, faces)
    assert mesh.vertices.dtype == np.float32 and mesh.faces.dtype == np.uint32

    of_arrays = copse.build_in_slices(vertices, faces, device=device)
    scene = copse.build_in_slices(mesh, memory_bytes=1 << 20, device=device)
    assert scene.stats() == of_arrays.stats() and same_hits(scene, vertices, faces, rays)
    of_hploc = [copse.build_in_slices(*given, hploc_radius=4, device=device) for given in ((mesh,), (vertices, faces))]
    assert of_hploc[0].stats() == of_hploc[1].stats() != scene.stats()
    scene.save(tmp_path / "mapped.copse")
    of_arrays.save(tmp_path / "arrays.copse")
    assert (tmp_path / "mapped.copse").read_bytes() == (tmp_path / "arrays.copse").read_bytes()
    assert same_hits(pickle.loads(pickle.dumps(scene)), vertices, faces, rays)

    # The scene and the arrays keep the file mapped; new vertices take the place of those in the file.
    triangles = mesh.faces
    del mesh
    assert np.array_equal(triangles, faces) and np.array_equal(scene.vertices, vertices)
    moved = vertices * np.float32(0.5)
    with pytest.raises(copse.ArrayError, match=r"faces has the shape .*, \(13, 4\) bytes apart"):
        scene.refit(moved)
    scene.refit(moved, convert=True)
    assert same_hits(scene, moved, faces, rays)
    scene.save(tmp_path / "moved.copse")
    assert same_hits(copse.load(tmp_path / "moved.copse", device="cpu"), moved, faces, rays)


def test_meshes_that_cannot_be_mapped(device, tmp_path):
    vertices, faces = oracle.cube()
    write_ply(tmp_path / "cube.ply", vertices, faces)
    mesh = copse.MappedMesh(tmp_path / "cube.ply")
    with pytest.raises(copse.InvalidArgument, match="faces are given, but a MappedMesh has its own"):
        copse.build_in_slices(mesh, faces, device=device)
    with pytest.raises(copse.InvalidArgument, match="slices of 12 triangles, the smallest, take"):
        copse.build_in_slices(mesh, memory_bytes=1, device=device)
    with pytest.raises(copse.ArrayError, match="the triangles are in a MappedMesh; this call needs them in memory"):
        copse.build_in_slices(mesh, device=device).voxels(8)
    with pytest.raises(copse.InvalidArgument, match="the mapped_mesh is memory of the library"):
        pickle.dumps(mesh)
    write_ply(tmp_path / "bad.ply", vertices, faces + 1)
    with pytest.raises(copse.BadFile, match=r"bad.ply: cannot be mapped: face \d+ has vertex 8 of 8"):
        copse.MappedMesh(tmp_path / "bad.ply")
    with pytest.raises(copse.BadFile, match="missing.ply: cannot be opened"):
        copse.MappedMesh(tmp_path / "missing.ply")

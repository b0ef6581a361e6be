"""Tensors on a GPU: in place, on the caller's stream, in a captured graph. Skipped without PyTorch and a GPU."""

import subprocess
import sys

import copse
import numpy as np
import pytest

import oracle

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or "not used" in copse.device_report():
    pytest.skip("no GPU answers", allow_module_level=True)

SOUP, RAYS = oracle.soup(), oracle.rays(5000)
EXPECTED = copse.Scene(*SOUP, device="cpu").cast_rays(*RAYS).records


@pytest.fixture(scope="module")
def rays():
    return tuple(torch.from_numpy(part).cuda() for part in RAYS)


@pytest.fixture(scope="module")
def scene():
    return copse.Scene(*(torch.from_numpy(part).cuda() for part in SOUP))


def same(hits):
    return hits.records.tobytes() == EXPECTED.tobytes()


def test_tensors_in_and_out(scene, rays):
    assert scene.device == "cuda:0"
    hits = scene.cast_rays(*rays)
    assert same(hits) and hits.t.is_cuda and hits.t.device == rays[0].device
    assert np.array_equal(hits.t.cpu().numpy(), EXPECTED["t"])
    assert np.array_equal(hits.primitive.cpu().numpy(), EXPECTED["primitive"])
    occluded = torch.empty(len(rays[0]), dtype=torch.bool, device="cuda")
    assert scene.occluded(*rays, out=occluded) is occluded
    assert np.array_equal(occluded.cpu().numpy(), EXPECTED["primitive"] >= 0)
    near = scene.closest_points(rays[0])
    assert near.point.shape == (5000, 3) and near.point.is_cuda
    point = near.point
    del near, hits
    torch.cuda.synchronize()
    assert bool(torch.isfinite(point).all())  # a field keeps the memory of its records


def test_conversion_on_the_gpu(rays):
    """Tensors are copied on the GPU, with the same answers. What int32 cannot hold is refused."""
    vertices, faces = (torch.from_numpy(part).cuda() for part in oracle.cube())
    expected = copse.Scene(vertices, faces).cast_rays(*rays).records.tobytes()
    gaps = torch.stack([faces, faces], 1)[:, 0]
    with pytest.raises(copse.ArrayError, match="packed rows without gaps are needed; convert=True copies it"):
        copse.Scene(vertices, gaps)
    for given in (faces.long(), faces.double(), gaps, faces.t().contiguous().t()):
        scene = copse.Scene(vertices.double(), given, convert=True)
        hits = scene.cast_rays(rays[0].double(), rays[1].t().contiguous().t(), convert=True)
        assert hits.t.is_cuda and hits.records.tobytes() == expected
    column = rays[0][0].repeat(4, 1).t().contiguous()[:, 3]
    assert column.stride() == (4,)
    with pytest.raises(copse.ArrayError, match=r"of float32, \(16,\) bytes apart, on cuda:0; packed rows are needed"):
        scene.cast_rays(column, rays[1])
    one = [scene.cast_rays(each, rays[1], convert=True).records.tobytes() for each in (column, rays[0][0])]
    assert one[0] == one[1]
    for given, words in (
        (faces + 0.5, "values of torch.float32 that are no whole numbers"),
        (faces + 0j, "elements of the type torch.complex64"),
        (faces.long() + 2**32, "int32 takes -2147483648 to 2147483647"),
    ):
        with pytest.raises(copse.ArrayError, match=words):
            copse.Scene(vertices, given, convert=True)


def test_all_queries_agree_with_numpy(rays):
    on_gpu = copse.Scene(*(torch.from_numpy(part).cuda() for part in oracle.cube()))
    on_cpu = copse.Scene(*oracle.cube(), device="cpu")
    distance = on_gpu.signed_distance(rays[0])
    assert np.array_equal(distance.cpu().numpy(), on_cpu.signed_distance(RAYS[0]))
    offsets, hits = on_gpu.all_hits(*rays)
    expected_offsets, expected_hits = on_cpu.all_hits(*RAYS)
    assert np.array_equal(offsets.cpu().numpy(), expected_offsets)
    assert hits.records.tobytes() == expected_hits.records.tobytes()
    assert on_gpu.k_nearest(rays[0], 3).records.tobytes() == on_cpu.k_nearest(RAYS[0], 3).records.tobytes()
    limited = on_gpu.cast_rays(*rays, t_min=0.25, t_max=1.0).records
    assert limited.tobytes() == on_cpu.cast_rays(*RAYS, t_min=0.25, t_max=1.0).records.tobytes()


def test_work_follows_the_current_stream(scene):
    busy = torch.rand(4000, 4000, device="cuda")
    sources = [torch.from_numpy(part).pin_memory() for part in RAYS]
    for _ in range(3):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            late = [torch.zeros(5000, 3, device="cuda") for _ in RAYS]
            for _ in range(10):
                busy @ busy
            for tensor, source in zip(late, sources):
                tensor.copy_(source, non_blocking=True)
            t = scene.cast_rays(*late).t.clone()
        stream.synchronize()
        assert np.array_equal(t.cpu().numpy(), EXPECTED["t"])


def test_a_captured_graph(scene, rays):
    origins, directions = torch.zeros_like(rays[0]), rays[1].clone()
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        hits = scene.cast_rays(origins, directions)
    with torch.cuda.graph(graph, stream=stream):
        scene.cast_rays(origins, directions, out=hits)
    origins.copy_(rays[0])
    graph.replay()
    torch.cuda.synchronize()
    assert same(hits)


def test_motion(rays):
    vertices = torch.from_numpy(SOUP[0]).cuda()
    scene = copse.Scene(vertices * 0.5, torch.from_numpy(SOUP[1]).cuda())
    scene.refit(vertices)
    assert same(scene.cast_rays(*rays))
    scene.rebuild(vertices)
    assert same(scene.cast_rays(*rays))


def test_others_are_refused(scene, rays):
    with pytest.raises(copse.ArrayError, match=r"faces has the shape \(200, 3\) of int64 on cuda:0"):
        copse.Scene(torch.from_numpy(SOUP[0]).cuda(), torch.from_numpy(SOUP[1]).cuda().long())
    with pytest.raises(copse.ArrayError, match="directions is on cpu, but origins is on cuda:0"):
        scene.cast_rays(rays[0], RAYS[1])
    with pytest.raises(copse.ArrayError, match="packed rows are needed"):
        scene.cast_rays(rays[0].flip(1).t().contiguous().t(), rays[1])


def test_the_program_ends_with_scenes_alive():
    code = (
        "import copse, numpy as np, torch\n"
        "v = torch.eye(3, device='cuda')\n"
        "scene = copse.Scene(v)\n"
        "with torch.cuda.stream(torch.cuda.Stream()):\n"
        "    hits = scene.cast_rays(v, v)\n"
        "kept = copse.Instances(scene, np.eye(4, dtype=np.float32)[None])\n"
        "advisor, t = copse.RebuildAdvisor(scene), hits.t\n"
        "print('end')\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "end\n", "")


def test_memory_stays_flat():
    vertices, faces = (torch.from_numpy(part).cuda() for part in SOUP)
    for _ in range(20):
        copse.Scene(vertices, faces, quality="fast")
    torch.cuda.synchronize()
    before = torch.cuda.mem_get_info()[0]
    for _ in range(10000):
        copse.Scene(vertices, faces, quality="fast")
    torch.cuda.synchronize()
    assert before - torch.cuda.mem_get_info()[0] < 16 << 20

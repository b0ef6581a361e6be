"""Gradients of rays and nearest points, compared with differences in double precision. Skipped without PyTorch."""

import copse
import numpy as np
import pytest

import oracle

torch = pytest.importorskip("torch")
import copse.torch  # noqa: E402

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() and "not used" not in copse.device_report() else [])


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def tensors(device, *arrays):
    return [torch.from_numpy(array).to(device) for array in arrays]


def doubles(device, *arrays):
    return [torch.from_numpy(array.astype(np.float64)).to(device).requires_grad_(True) for array in arrays]


def check_gradients(function, arguments):
    assert torch.autograd.gradcheck(function, arguments, eps=1e-6, atol=1e-5, rtol=1e-4)


def test_rays(device):
    oracle.NUMBERS = np.random.default_rng(1)  # few random rays meet 30 triangles: these are 9
    vertices, faces = oracle.soup()
    scene = copse.Scene(*tensors(device, vertices[:90], faces[:30]))
    origins, directions = oracle.rays(40)
    arguments = doubles(device, origins, directions, vertices[:90])

    def of_rays(o, d, v):
        hits = copse.torch.cast_rays(scene, o, d, vertices=v)
        assert 3 < hits.is_hit.sum() < 40
        return hits.t[hits.is_hit], hits.uv, hits.point, hits.normal

    check_gradients(of_rays, arguments)
    expected = scene.cast_rays(*tensors(device, origins, directions))
    hits = copse.torch.cast_rays(scene, *tensors(device, origins, directions))
    assert torch.equal(hits.t, expected.t) and torch.equal(hits.primitive, expected.primitive)  # to the bit
    assert torch.allclose(hits.t.double()[hits.is_hit], copse.torch.cast_rays(scene, *arguments[:2]).t[hits.is_hit], atol=1e-4)
    weights = torch.stack([1 - hits.uv.sum(-1), hits.uv[:, 0], hits.uv[:, 1]], dim=-1)[hits.is_hit]
    corners = scene.vertices[scene.faces[hits.primitive[hits.is_hit].long()].long()]
    assert torch.allclose((weights[..., None] * corners).sum(1), hits.point[hits.is_hit], atol=1e-4)


def test_nearest_points(device):
    vertices, faces = oracle.soup()
    scene = copse.Scene(*tensors(device, vertices[:60], faces[:20]))
    points = oracle.NUMBERS.uniform(-1.5, 1.5, (60, 3))
    arguments = doubles(device, points, vertices[:60])

    def of_points(p, v):
        nearest = copse.torch.closest_points(scene, p, vertices=v)
        return nearest.point, nearest.distance

    check_gradients(of_points, arguments)
    (single,) = tensors(device, points.astype(np.float32))
    nearest, expected = copse.torch.closest_points(scene, single), scene.closest_points(single)
    assert torch.equal(nearest.distance, expected.distance) and torch.equal(nearest.point, expected.point)
    limited = copse.torch.closest_points(scene, single, max_distance=0.3)
    assert torch.equal(limited.primitive >= 0, expected.distance <= 0.3) and (limited.primitive < 0).any()


def test_signed_distance(device):
    scene = copse.Scene(*tensors(device, *oracle.cube()))
    points = oracle.NUMBERS.uniform(-1.6, 1.6, (60, 3))
    arguments = doubles(device, points, oracle.cube()[0])
    check_gradients(lambda p, v: copse.torch.signed_distance(scene, p, vertices=v), arguments)
    on_surface = torch.tensor([[0.25, 0.5, 1.0]], device=device, requires_grad=True)
    copse.torch.signed_distance(scene, on_surface).sum().backward()
    assert on_surface.grad.tolist() == [[0, 0, 1]]  # the normal, where others have NaN
    on_surface.grad = None
    copse.torch.closest_points(scene, on_surface).distance.sum().backward()
    assert on_surface.grad.tolist() == [[0, 0, 0]]


def test_misses_have_no_gradient(device):
    scene = copse.Scene(*tensors(device, *oracle.cube()))
    origins = torch.full((3, 3), 9.0, device=device, requires_grad=True)
    directions = torch.ones((3, 3), device=device, requires_grad=True)
    hits = copse.torch.cast_rays(scene, origins, directions)
    assert torch.isinf(hits.t).all() and (hits.primitive == -1).all()
    (hits.point.sum() + hits.normal.sum() + hits.uv.sum() + hits.t.clamp_max(5).sum()).backward()
    assert torch.equal(origins.grad, torch.zeros_like(origins)) and torch.equal(directions.grad, torch.zeros_like(origins))


def test_deterministic_sums(device):
    vertices, faces = tensors(device, *oracle.cube())
    vertices = vertices.requires_grad_(True)
    scene = copse.Scene(vertices.detach(), faces)
    origins, directions = tensors(device, *(part * np.float32(0.5) for part in oracle.rays(3000)))
    gradients = []
    for deterministic in (False, True, True):
        order = torch.randperm(len(origins), device=device) if gradients else torch.arange(len(origins), device=device)
        hits = copse.torch.cast_rays(scene, origins[order], directions[order], vertices=vertices, deterministic=deterministic)
        (gradient,) = torch.autograd.grad(hits.t[hits.is_hit].sum(), vertices)
        gradients.append(gradient)
    assert torch.equal(gradients[1], gradients[2])  # for rays in another order
    assert torch.allclose(gradients[0], gradients[1], rtol=1e-3, atol=1e-3 * gradients[0].abs().max().item())


def test_an_optimisation(device):
    """Vertices of a sphere of radius 2 shrink until rays meet it at radius 1."""
    vertices, faces = tensors(device, *oracle.cube())
    vertices = (2 * vertices).requires_grad_(True)
    scene = copse.Scene(vertices, faces)
    (origins,) = tensors(device, oracle.NUMBERS.uniform(-0.5, 0.5, (200, 3)).astype(np.float32))
    origins[:, 2] = 5
    directions = torch.zeros_like(origins)
    directions[:, 2] = -1
    optimizer = torch.optim.Adam([vertices], lr=0.1)
    for _ in range(40):
        optimizer.zero_grad()
        hits = copse.torch.cast_rays(scene, origins, directions)
        loss = ((hits.t - 4) ** 2).mean()
        loss.backward()
        optimizer.step()
        with pytest.raises(copse.StaleTree, match="changed in place"):
            scene.cast_rays(origins, directions)
        scene.refit(vertices)
    assert loss.item() < 0.01


def test_versions(device):
    vertices, faces = tensors(device, *oracle.cube())
    scene = copse.Scene(vertices, faces)
    origin, direction = tensors(device, np.array([[0, 0, 3]], np.float32), np.array([0, 0, -1], np.float32))
    vertices += 1
    for ask in (lambda: scene.cast_rays(origin, direction), lambda: scene.closest_points(origin), scene.pairs):
        with pytest.raises(copse.StaleTree, match="the tree was made of version 0"):
            ask()
    scene.checks_versions = False
    assert scene.cast_rays(origin, direction).t.item() == 2
    scene.checks_versions = True
    scene.refit(vertices)
    assert scene.cast_rays(origin + 1, direction).t.item() == 2


def test_versions_of_all_that_has_vertices(device):
    """Each is refused from the change on, and until it is refitted."""
    rays = tensors(device, np.array([[0, 0, 3, 0, 0, 0, -1, np.inf]], np.float32))[0]
    world = torch.zeros(1, dtype=torch.int32, device=device)
    here = np.eye(4, dtype=np.float32)[None]

    def check(make, change, ask, refit):
        vertices, faces = tensors(device, *oracle.cube())
        made = make(vertices, faces)
        ask(made)
        change(vertices)
        with pytest.raises(copse.StaleTree, match="of version 1, but the tree was made of version 0"):
            ask(made)
        refit(made, vertices)
        ask(made)

    def double(vertices):
        vertices *= 2

    def batch_of(vertices, faces):
        return copse.Batch([copse.Geometry(vertices, faces)])

    def refit_batch(structure, _):
        structure.batch.refit()
        structure.refit(here)

    check(copse.Scene, double, lambda made: made.render(8, 8), lambda made, v: made.refit(v))
    check(
        lambda v, f: copse.MotionScene([v, v.clone()], f),
        double,
        lambda made: made.cast_rays(rays, times=0.5),
        lambda made, v: made.refit([v, v]),
    )
    check(
        lambda v, f: copse.Instances(batch_of(v, f), here), double, lambda made: made.cast_rays(rays), refit_batch
    )
    check(
        lambda v, f: copse.Worlds(batch_of(v, f), here, [0, 1]), double, lambda made: made.cast_rays(rays, world), refit_batch
    )
    if device == "cpu":
        check(
            lambda v, f: copse.ReplicatedScene(v, f, devices=copse.Devices(2, device="cpu")),
            double,
            lambda made: made.cast_rays(rays),
            lambda made, v: made.refit(v),
        )
    vertices, faces = tensors(device, *oracle.cube())
    moving = copse.MotionScene([vertices, vertices.clone()], faces)
    del vertices  # what is gone does not change, and is not kept
    assert moving.cast_rays(rays, times=0.0).t.item() == 2


def test_wrong_arguments(device):
    scene = copse.Scene(*tensors(device, *oracle.cube()))
    with pytest.raises(copse.ArrayError, match="points is a ndarray of numpy; a tensor is needed"):
        copse.torch.closest_points(scene, np.zeros((1, 3)))
    with pytest.raises(copse.ArrayError, match=r"points has the shape \(1, 2\) of torch.float32"):
        copse.torch.closest_points(scene, torch.zeros((1, 2)))
    converted = copse.Scene(tensors(device, oracle.cube()[0].astype(np.float64))[0], scene.faces.long(), convert=True)
    assert converted.cast_rays(torch.zeros((1, 3), device=device), torch.ones(3, device=device)).t.item() == 1

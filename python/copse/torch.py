"""Rays and nearest points with gradients, for PyTorch.

>>> scene = copse.Scene(vertices, faces)                      # tensors; the tree itself takes no gradient
>>> hits = copse.torch.cast_rays(scene, origins, directions)
>>> hits.t[hits.is_hit].sum().backward()                      # into vertices, origins and directions
>>> optimizer.step(); scene.refit(vertices)

Nothing of the traversal is recorded. Copse finds the triangle of each ray or point; its answer is then computed again from
the corners of this triangle, by operations that PyTorch differentiates. So it has no gradient for what appears or disappears:
silhouettes and shadows do not move vertices.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor as _Tensor

from ._arrays import kind_of
from ._errors import ArrayError, InvalidArgument
from ._scene import Scene


class RayHits(NamedTuple):
    """The closest hits of rays. Where a ray misses, t is infinite and all else but primitive is 0."""

    t: _Tensor  #: (n,), with gradients
    uv: _Tensor  #: (n, 2), with gradients: the point is (1 - u - v) a + u b + v c
    point: _Tensor  #: (n, 3), with gradients
    normal: _Tensor  #: (n, 3), with gradients: of length 1, on the front of the triangle
    primitive: _Tensor  #: (n,) int32, -1 on a miss

    @property
    def is_hit(self) -> _Tensor:
        """(n,) bool. True where a ray hit a triangle."""
        return self.primitive >= 0


class NearestPoints(NamedTuple):
    """The nearest points of a surface. Where nothing was found, distance is infinite and all else but primitive is 0."""

    point: _Tensor  #: (n, 3), with gradients
    distance: _Tensor  #: (n,), with gradients; 0 where the point is on the surface
    uv: _Tensor  #: (n, 2), with gradients
    primitive: _Tensor  #: (n,) int32, -1 if nothing was found


def cast_rays(
    scene: Scene,
    origins: _Tensor,
    directions: _Tensor,
    *,
    vertices: Optional[_Tensor] = None,
    deterministic: bool = False,
) -> RayHits:
    """Returns the closest hit of every ray, with gradients for vertices, origins and directions.

    origins, directions: (n, 3) float32 or float64. Rays are traced in float32; the answer has the type of the arguments
    vertices:      those that the scene was built over or refitted to, which take the gradients. None: scene.vertices
    deterministic: the gradients of vertices are sums in an order that is never the same on a GPU. True: sums in fixed point,
                   which are equal in all runs and on all devices for equal gradients of the corners
    """
    _check("origins", origins)
    _check("directions", directions)
    with torch.no_grad():
        hits = scene.cast_rays(_to_float32(origins), _to_float32(directions))
        primitive = hits.primitive.clone()
        found = primitive >= 0
        exact_t, exact_uv = hits.t.clone(), torch.stack([hits.u, hits.v], dim=-1)
    a, b, c = _corners(scene, vertices, primitive, origins.dtype, deterministic)
    face = torch.linalg.cross(b - a, c - a)
    safe = _safe_divisor((face * directions).sum(-1), found)
    t = (face * (a - origins)).sum(-1) / safe
    point = origins + t[:, None] * directions
    square = _safe_divisor((face * face).sum(-1), found)
    u = (torch.linalg.cross(c - a, a - point) * face).sum(-1) / square
    v = (torch.linalg.cross(a - b, a - point) * face).sum(-1) / square
    uv = torch.stack([u, v], dim=-1)
    if origins.dtype == torch.float32:
        t, uv = _with_value(t, exact_t), _with_value(uv, exact_uv)
    normal = face / square.sqrt()[:, None]
    misses = ~found[:, None]
    return RayHits(
        torch.where(found, t, torch.full_like(t, float("inf"))),
        uv.masked_fill(misses, 0),
        point.masked_fill(misses, 0),
        normal.masked_fill(misses, 0),
        primitive,
    )


def closest_points(
    scene: Scene,
    points: _Tensor,
    *,
    vertices: Optional[_Tensor] = None,
    max_distance: float = float("inf"),
    deterministic: bool = False,
) -> NearestPoints:
    """Returns the point of the surface that is nearest to each point, with gradients for points and vertices.

    The gradient of the distance at distance 0 is 0. Arguments are those of cast_rays and of Scene.closest_points.
    """
    _check("points", points)
    with torch.no_grad():
        nearest = scene.closest_points(_to_float32(points), max_distance=max_distance)
        primitive = nearest.primitive.clone()
        exact_point, exact_distance = nearest.point.clone(), nearest.distance.clone()
    found = primitive >= 0
    a, b, c = _corners(scene, vertices, primitive, points.dtype, deterministic)
    uv = _nearest_weights(points, a, b, c)
    point = a + uv[:, :1] * (b - a) + uv[:, 1:] * (c - a)
    distance = _length(points - point)
    if points.dtype == torch.float32:
        point, distance = _with_value(point, exact_point), _with_value(distance, exact_distance)
    misses = ~found[:, None]
    return NearestPoints(
        point.masked_fill(misses, 0),
        torch.where(found, distance, torch.full_like(distance, float("inf"))),
        uv.masked_fill(misses, 0),
        primitive,
    )


def signed_distance(
    scene: Scene, points: _Tensor, *, vertices: Optional[_Tensor] = None, deterministic: bool = False
) -> _Tensor:
    """Returns (n,): the distance to the closed surface, negative inside, with gradients for points and vertices.

    The gradient has length 1 everywhere. Where the distance is 0, it is the normal of the triangle.
    """
    _check("points", points)
    with torch.no_grad():
        nearest = scene.closest_points(_to_float32(points))
        primitive = nearest.primitive.clone()
        inside = scene.contains(_to_float32(points))
        exact = torch.where(inside, -nearest.distance, nearest.distance)
    a, b, c = _corners(scene, vertices, primitive, points.dtype, deterministic)
    with torch.no_grad():
        uv = _nearest_weights(points, a, b, c)
        offset = points - (a + uv[:, :1] * (b - a) + uv[:, 1:] * (c - a))
        length = offset.norm(dim=-1, keepdim=True)
        face = torch.linalg.cross(b - a, c - a)
        normal = face / _safe_divisor(face.norm(dim=-1, keepdim=True), primitive[:, None] >= 0)
        outwards = torch.where(inside[:, None], -offset, offset) / length.clamp_min(torch.finfo(points.dtype).tiny)
        gradient = torch.where(length > 0, outwards, normal)
    # The weights of the nearest point may be held: they do not change the distance to the first order.
    distance = (gradient * (points - (a + uv[:, :1] * (b - a) + uv[:, 1:] * (c - a)))).sum(-1)
    return _with_value(distance, exact) if points.dtype == torch.float32 else distance


def _check(name: str, value: Any) -> None:
    if not isinstance(value, _Tensor):
        raise ArrayError(f"{name} is a {type(value).__name__} of {kind_of(value)}; a tensor is needed")
    if value.dtype not in (torch.float32, torch.float64) or value.dim() != 2 or value.shape[-1] != 3:
        raise ArrayError(f"{name} has the shape {tuple(value.shape)} of {value.dtype}; (n, 3) of float32 or float64 is needed")


def _to_float32(value: _Tensor) -> _Tensor:
    return value.detach().to(torch.float32).contiguous()


def _with_value(computed: _Tensor, exact: _Tensor) -> _Tensor:
    """Returns the exact value with the gradient of the computed one."""
    return exact + (computed - computed.detach())


def _safe_divisor(value: _Tensor, found: _Tensor) -> _Tensor:
    """Returns the value, but 1 where nothing was found or where it is 0, so that no gradient becomes NaN."""
    return torch.where(found & (value != 0), value, torch.ones_like(value))


def _length(vectors: _Tensor) -> _Tensor:
    """Returns lengths, whose gradient at 0 is 0."""
    square = (vectors * vectors).sum(-1)
    is_zero = square == 0
    return torch.where(is_zero, torch.zeros_like(square), torch.where(is_zero, torch.ones_like(square), square).sqrt())


def _corners(scene: Scene, vertices: Optional[_Tensor], primitive: _Tensor, dtype: torch.dtype, deterministic: bool) -> Any:
    """Returns the corners of triangles, with gradients for the vertices. Those of triangle 0 where there is none."""
    if len(scene.geometries) != 1:
        raise InvalidArgument(f"the scene has {len(scene.geometries)} geometries; gradients are computed for 1")
    if vertices is None:
        vertices = scene.vertices
    if not isinstance(vertices, _Tensor):
        vertices = torch.as_tensor(vertices, device=primitive.device)
    if scene.triangle_count == 0:
        zero = torch.zeros((len(primitive), 3), dtype=dtype, device=primitive.device)
        return zero, zero, zero
    row = primitive.long().clamp_min(0)
    if scene.faces is None:
        index = 3 * row[:, None] + torch.arange(3, device=row.device)
    else:
        index = torch.as_tensor(scene.faces, device=row.device)[row].long()
    if deterministic:
        corners = _FixedPointGather.apply(vertices.to(dtype), index)
    else:
        corners = vertices.to(dtype).index_select(0, index.reshape(-1)).reshape(-1, 3, 3)
    return corners[:, 0], corners[:, 1], corners[:, 2]


class _FixedPointGather(torch.autograd.Function):
    """vertices[index], whose gradient is a sum of integers. So its order does not matter."""

    @staticmethod
    def forward(ctx: Any, vertices: _Tensor, index: _Tensor) -> _Tensor:  # type: ignore[override]
        ctx.save_for_backward(index)
        ctx.vertex_count = len(vertices)
        return vertices[index]

    @staticmethod
    def backward(ctx: Any, gradient: _Tensor) -> Any:  # type: ignore[override]
        (index,) = ctx.saved_tensors
        flat, at = gradient.reshape(-1, 3).to(torch.float64), index.reshape(-1)
        # The largest gradient has 40 bits after scaling by a power of two, so that 2^22 of them fit into 63 bits.
        largest = flat.abs().amax() if flat.numel() > 0 else flat.new_zeros(())
        scale = torch.exp2(40 - torch.ceil(torch.log2(torch.where(largest > 0, largest, torch.ones_like(largest)))))
        summed = torch.zeros((ctx.vertex_count, 3), dtype=torch.int64, device=flat.device)
        summed.index_add_(0, at, torch.round(flat * scale).to(torch.int64))
        return (summed.to(torch.float64) / scale).to(gradient.dtype), None


def _nearest_weights(p: _Tensor, a: _Tensor, b: _Tensor, c: _Tensor) -> _Tensor:
    """Returns (n, 2): the weights of b and c of the point of each triangle that is nearest to p.

    Source: Ericson, "Real-Time Collision Detection", 2005, 5.1.5.
    """

    def dot(x: _Tensor, y: _Tensor) -> _Tensor:
        return (x * y).sum(-1)

    ab, ac = b - a, c - a
    d1, d2 = dot(ab, p - a), dot(ac, p - a)
    d3, d4 = dot(ab, p - b), dot(ac, p - b)
    d5, d6 = dot(ab, p - c), dot(ac, p - c)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    zero, one = torch.zeros_like(d1), torch.ones_like(d1)

    def ratio(x: _Tensor, y: _Tensor) -> _Tensor:
        return x / torch.where(y != 0, y, one)

    area = va + vb + vc
    u, v = ratio(vb, area), ratio(vc, area)  # inside of the face
    along = ratio(d4 - d3, (d4 - d3) + (d5 - d6))
    regions = [  # the later ones have precedence
        ((va <= 0) & (d4 >= d3) & (d5 >= d6), one - along, along),
        ((vb <= 0) & (d2 >= 0) & (d6 <= 0), zero, ratio(d2, d2 - d6)),
        ((d6 >= 0) & (d5 <= d6), zero, one),
        ((vc <= 0) & (d1 >= 0) & (d3 <= 0), ratio(d1, d1 - d3), zero),
        ((d3 >= 0) & (d4 <= d3), one, zero),
        ((d1 <= 0) & (d2 <= 0), zero, zero),
    ]
    for holds, of_b, of_c in regions:
        u, v = torch.where(holds, of_b, u), torch.where(holds, of_c, v)
    return torch.stack([u, v], dim=-1)

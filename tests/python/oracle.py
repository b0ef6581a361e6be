"""Made-up triangles and rays, and answers by testing every triangle, in double precision."""

import numpy as np

NUMBERS = np.random.default_rng(7)
SOUP_SIZE = 200


def soup():
    """Returns (vertices, faces) of random triangles in the box from -1 to 1."""
    centres = NUMBERS.uniform(-1, 1, (SOUP_SIZE, 1, 3))
    vertices = (centres + NUMBERS.uniform(-0.3, 0.3, (SOUP_SIZE, 3, 3))).reshape(-1, 3).astype(np.float32)
    faces = np.arange(3 * SOUP_SIZE, dtype=np.int32).reshape(-1, 3)[:, ::-1]
    return vertices, np.ascontiguousarray(faces)


def cube():
    """Returns (vertices, faces) of the closed cube from -1 to 1."""
    corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], np.float32)
    faces = [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4]]
    faces += [[2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]]
    return corners, np.array(faces, np.int32)


def rays(count=300):
    """Returns (origins, directions) of rays through the box from -1 to 1."""
    origins = NUMBERS.uniform(-2, 2, (count, 3)).astype(np.float32)
    return origins, (NUMBERS.uniform(-1, 1, (count, 3)) - origins).astype(np.float32)


def all_t(vertices, faces, origins, directions):
    """Returns t of every ray with every triangle, infinite where they do not meet, and True where it sees the front."""
    a, b, c = (vertices[faces[:, k]].astype(np.float64)[None] for k in range(3))
    o, d = origins.astype(np.float64)[:, None], directions.astype(np.float64)[:, None]
    p = np.cross(d, c - a)
    determinant = ((b - a) * p).sum(-1)
    u = ((o - a) * p).sum(-1) / determinant
    q = np.cross(o - a, b - a)
    v = (d * q).sum(-1) / determinant
    t = ((c - a) * q).sum(-1) / determinant
    meets = (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
    return np.where(meets, t, np.inf), determinant > 0


def distances(vertices, faces, points):
    """Returns the distance of every point to every triangle."""
    a, b, c = (vertices[faces[:, k]].astype(np.float64)[None] for k in range(3))
    p = points.astype(np.float64)[:, None]
    normal = np.cross(b - a, c - a)
    best = np.full((len(points), len(faces)), np.inf)
    inside = np.ones(best.shape, bool)
    for s, e in ((a, b), (b, c), (c, a)):
        edge = e - s
        along = np.clip(((p - s) * edge).sum(-1) / (edge * edge).sum(-1), 0, 1)
        best = np.minimum(best, np.linalg.norm(p - s - along[..., None] * edge, axis=-1))
        inside &= (np.cross(edge, p - s) * normal).sum(-1) >= 0
    height = np.abs(((p - a) * normal).sum(-1)) / np.linalg.norm(normal, axis=-1)
    return np.where(inside, height, best)

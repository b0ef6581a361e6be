"""Colouring by the nearest samples: a few thousand coloured points colour a mesh, by their four nearest."""

import copse
import numpy as np
from gallery import arguments, camera, cow, lit, normals_of, write_png

path, height = arguments()
vertices, faces = cow()
scene = copse.Scene(vertices, faces)
numbers = np.random.default_rng(5)

# Samples on the surface in a pattern of stripes, as a scanner with colours gives them.
samples = vertices[faces[numbers.integers(0, len(faces), 3000)]].mean(axis=1)
stripes = np.sin(12 * samples[:, 1] + 4 * samples[:, 2])[:, None]
colours = np.where(stripes > 0, [0.95, 0.45, 0.2], [0.2, 0.45, 0.85])
tree = copse.KdTree(samples)

eye, directions = camera(eye=[-1.8, 0.8, -2.5], at=[0, 0, 0], height=height)
hits = scene.cast_rays(eye, directions)
is_hit = hits.primitive >= 0
points = eye + np.where(is_hit, hits.t, 0)[:, None] * directions
nearest = tree.k_nearest(points.astype(np.float32), 4)
weights = 1 / (nearest.distance + 1e-3)[..., None]
colour = (colours[nearest.point] * weights).sum(axis=1) / weights.sum(axis=1)
image = np.where(is_hit[:, None], lit(normals_of(hits, vertices, faces), directions, colour), 0.95)
write_png(path, image.reshape(height, height, 3))
print(f"{len(tree)} samples colour {is_hit.sum()} points; the farthest of the four is {nearest.distance[is_hit].max():.3f} away")

"""Ambient occlusion, baked into vertices: the part of the rays from each vertex that see the sky."""

import copse
import numpy as np
from gallery import arguments, camera, cow, write_png

path, height = arguments()
RAYS = height // 3  # from each vertex
vertices, faces = cow()
ground = np.array([[-3, 0, -3], [3, 0, -3], [3, 0, 3], [-3, 0, 3]], np.float32) + np.float32([0, vertices[:, 1].min(), 0])
scene = copse.Scene.from_geometries(
    [copse.Geometry(vertices, faces, id=0), copse.Geometry(ground, np.array([[0, 2, 1], [0, 3, 2]], np.int32), id=1)]
)

# Normals of vertices: sums of those of their triangles, which are as long as the triangles are large.
a, b, c = (vertices[faces[:, k]] for k in range(3))
normals = np.zeros_like(vertices)
for k in range(3):
    np.add.at(normals, faces[:, k], np.cross(b - a, c - a))
normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)

# A point on the unit sphere plus the normal is a direction by the law of cosines.
spread = np.random.default_rng(1).normal(size=(len(vertices), RAYS, 3))
spread /= np.linalg.norm(spread, axis=-1, keepdims=True)
directions = (spread + normals[:, None]).astype(np.float32).reshape(-1, 3)
origins = np.repeat(vertices + np.float32(1e-3) * normals, RAYS, axis=0)
is_dark = scene.occluded(origins, directions, t_max=3.0).reshape(-1, RAYS)
light = 1 - is_dark.mean(axis=1)

# The weights of a hit carry what vertices have to the pixel.
eye, view = camera(eye=[-2.0, 0.9, -2.3], at=[0, -0.05, 0.1], height=height)
hits = scene.cast_rays(eye, view, mask=0xFFFFFFFF)
is_cow = hits.geometry == 0
corners = faces[np.where(is_cow, hits.primitive, 0)]
weights = np.stack([1 - hits.u - hits.v, hits.u, hits.v], axis=-1)
image = np.where(is_cow, (light[corners] * weights).sum(axis=1), np.where(hits.geometry == 1, 0.75, 0.95))
write_png(path, np.repeat(image.reshape(height, height, 1), 3, axis=2))
print(f"{is_dark.size} rays; vertices see {light.min():.2f} to {light.max():.2f} of the sky")

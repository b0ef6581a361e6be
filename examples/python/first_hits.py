"""The first hits from Python: a mesh in, a depth image, and distances to the surface. Usage: first_hits.py MESH"""

import sys

mesh_file = sys.argv[1]

# snippet begins
import copse
import numpy as np

vertices, faces = copse.load_mesh(mesh_file)  # or (n, 3) float32 and (m, 3) int32 arrays of your own
scene = copse.Scene(vertices, faces)  # the GPU if one answers, else all CPU threads

# A picture along z: one ray per pixel, all with the same direction.
low, high = vertices.min(axis=0), vertices.max(axis=0)
x, y = np.meshgrid(np.linspace(low[0], high[0], 320), np.linspace(high[1], low[1], 240))
origins = np.stack([x, y, np.full_like(x, high[2] + 1)], axis=-1).reshape(-1, 3).astype(np.float32)
hits = scene.cast_rays(origins, np.array([0, 0, -1], np.float32))
depth = hits.t.reshape(240, 320)  # infinite where a ray misses
triangle = hits.primitive.reshape(240, 320)  # -1 where a ray misses

# Distances of points to the surface, and the triangles that touch a sphere.
points = np.random.default_rng(1).uniform(low, high, (1000, 3)).astype(np.float32)
distance = scene.signed_distance(points)  # negative inside, if the mesh is closed
offsets, touched = scene.overlaps(spheres=np.array([[0, 0, 0, 0.5]], np.float32))
# snippet ends

print(f"{scene}: {np.isfinite(depth).sum()} of {depth.size} pixels see one of {len(np.unique(triangle)) - 1} triangles;")
print(f"{(distance < 0).sum()} of 1000 points are inside, and {len(touched)} triangles touch the sphere")

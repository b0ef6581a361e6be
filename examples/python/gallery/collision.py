"""Collision: two bodies that overlap, with the triangles that cut each other in red."""

import copse
import numpy as np
from gallery import arguments, camera, cow, lit, normals_of, write_png

path, height = arguments()
vertices, faces = cow()
half = len(faces)

# Both bodies in one mesh: the second one is turned by a quarter, and moved.
other = np.ascontiguousarray(vertices[:, [2, 1, 0]]) * np.float32([1, 1, -1]) + np.float32([0.3, 0.2, -0.25])
both = np.concatenate([vertices, other])
all_faces = np.concatenate([faces, faces + np.uint32(len(vertices))])
scene = copse.Scene(both, all_faces)

pairs = scene.pairs()  # each pair once, neighbours left out
is_between = (pairs < half).sum(axis=1) == 1
cut = np.unique(pairs[is_between])

eye, directions = camera(eye=[1.8, 1.6, -2.6], at=[0.25, 0.1, 0.1], height=height)
hits = scene.cast_rays(eye, directions)
is_hit = hits.primitive >= 0
colours = np.where((hits.primitive < half)[:, None], [0.75, 0.8, 0.9], [0.9, 0.82, 0.65])
colours[np.isin(hits.primitive, cut)] = [1, 0.15, 0.1]
image = np.where(is_hit[:, None], lit(normals_of(hits, both, all_faces), directions, colours), 0.95)
write_png(path, image.reshape(height, height, 3))
print(f"{is_between.sum()} pairs of triangles cut each other, {len(cut)} triangles in all; {(~is_between).sum()} pairs are of one body")

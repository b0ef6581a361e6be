"""A depth image, beside the normals: one ray for each pixel, and a light colour where it misses."""

import copse
import numpy as np
from gallery import arguments, camera, cow, normals_of, scale_of, write_png

path, height = arguments()
vertices, faces = cow()
scene = copse.Scene(vertices, faces)

origin, directions = camera(eye=[1.6, 1.1, -2.4], at=[0, 0, 0], height=height)
hits = scene.cast_rays(origin, directions)
is_hit = hits.primitive >= 0

depth = hits.t  # in lengths of the direction, whose part along the view is 1: so this is the depth
near, far = depth[is_hit].min(), depth[is_hit].max()
left = np.where(is_hit[:, None], scale_of(-depth, -far, -near), 0.95)
right = np.where(is_hit[:, None], normals_of(hits, vertices, faces) * 0.5 + 0.5, 0.95)
write_png(path, np.concatenate([left.reshape(height, height, 3), right.reshape(height, height, 3)], axis=1))
print(f"{is_hit.sum()} of {len(directions)} rays hit, at depths from {near:.2f} to {far:.2f}")

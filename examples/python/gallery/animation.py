"""Animation by refit: a mesh is bent in every frame, and its tree follows without a new build."""

import time

import copse
import numpy as np
from gallery import arguments, camera, cow, lit, normals_of, write_png

FRAMES = 4

path, height = arguments()
rest, faces = cow()
scene = copse.Scene(rest, faces)
eye, directions = camera(eye=[2.5, 0.9, -3.0], at=[0, 0, 0], height=height)

frames, refit_time = [], 0.0
for frame in range(FRAMES):
    # Turn each vertex around the vertical axis, by an angle that grows with its height.
    angle = (1.8 * frame / (FRAMES - 1) - 0.9) * (rest[:, 1] - rest[:, 1].min())
    x, y, z = rest.T
    moved = np.stack([np.cos(angle) * x + np.sin(angle) * z, y, np.cos(angle) * z - np.sin(angle) * x], axis=-1)
    moved = moved.astype(np.float32)
    start = time.perf_counter()
    scene.refit(moved)
    refit_time += time.perf_counter() - start
    hits = scene.cast_rays(eye, directions)
    is_hit = hits.primitive >= 0
    image = np.where(is_hit[:, None], lit(normals_of(hits, moved, faces), directions, [0.9, 0.85, 0.75]), 0.95)
    frames.append(image.reshape(height, height, 3)[:, height // 8 : -height // 8])
write_png(path, np.concatenate(frames, axis=1))
print(f"{FRAMES} frames; a refit of {len(faces)} triangles took {1e3 * refit_time / FRAMES:.2f} ms")

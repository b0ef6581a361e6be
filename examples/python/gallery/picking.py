"""Picking: the object under the cursor is lit, and its neighbours within a sphere are outlined."""

import copse
import numpy as np
from gallery import arguments, asset, camera, write_png

path, height = arguments()
file = copse.load_scene(asset("grove.glb"))
instances = file.build()
stats = instances.stats()
low, high = np.array(stats.lower), np.array(stats.upper)
centre, size = (low + high) / 2, np.linalg.norm(high - low)

eye, directions = camera(eye=centre + size * np.array([0.35, 0.3, 0.55]), at=centre, height=height, width=height * 4 // 3)
hits = instances.cast_rays(eye, directions)
ids = hits.instance.reshape(height, -1)

# The pixel under the cursor tells the object: the one ray would do as well.
cursor = height // 2, height * 2 // 3
picked = ids[cursor]
offset = cursor[0] * ids.shape[1] + cursor[1]
one = instances.cast_rays(eye, directions[offset])
assert one.instance[0] == picked

outline = np.zeros(ids.shape, bool)
outline[:-1] |= ids[:-1] != ids[1:]
outline[:, :-1] |= ids[:, :-1] != ids[:, 1:]
shade = np.exp(-1.5 * np.maximum(hits.t - hits.t.min(), 0) / size).reshape(ids.shape)
image = np.where((ids >= 0)[..., None], shade[..., None] * [0.45, 0.6, 0.5], 0.95)
image[outline] *= 0.6
image[ids == picked] = np.array([1, 0.75, 0.2]) * shade[ids == picked, None]
row, column = cursor
image[row, column - 8 : column + 9] = image[row - 8 : row + 9, column] = [0.8, 0, 0]
write_png(path, image)
name = file.names[picked] if picked >= 0 else "the sky"
print(f"the cursor is on {name!r}, {one.t[0]:.2f} away, triangle {one.primitive[0]} of mesh {file.mesh_ids[picked]}")

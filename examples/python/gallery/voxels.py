"""Voxels: a mesh as cubes, drawn as a mesh of their visible faces, cut open to show that it is solid."""

import copse
import numpy as np
from gallery import arguments, camera, cow, lit, normals_of, write_png

path, height = arguments()
scene = copse.Scene(*cow())
voxels = scene.voxels(56, rule="inside")
solid = voxels.dense()  # by z, y and x
solid[:, :, : solid.shape[2] // 2][:, solid.shape[1] // 2 :, :] = False  # cut away a quarter

# A square wherever a set voxel has an empty neighbour.
padded = np.pad(solid, 1)
squares = []
for axis in range(3):  # z, y, x
    for side in (0, 1):
        is_open = solid & ~np.roll(padded, 1 - 2 * side, axis=axis)[1:-1, 1:-1, 1:-1]
        corner = np.argwhere(is_open)[:, None, :] + np.zeros((1, 4, 3), int)
        corner[..., axis] += side
        first, second = [k for k in range(3) if k != axis]
        corner[:, [1, 2], first] += 1
        corner[:, [2, 3], second] += 1
        squares.append(corner)
corners = np.concatenate(squares)[..., ::-1].reshape(-1, 3)  # x, y and z
vertices = (voxels.lower + voxels.voxel_size * corners).astype(np.float32)
quads = np.arange(len(vertices), dtype=np.int32).reshape(-1, 4)
faces = np.ascontiguousarray(quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))

blocks = copse.Scene(vertices, faces)
eye, directions = camera(eye=[-2.2, 1.7, -2.0], at=[0, 0, 0], height=height)
hits = blocks.cast_rays(eye, directions)
image = np.where((hits.primitive >= 0)[:, None], lit(normals_of(hits, vertices, faces), directions, [0.55, 0.8, 0.95]), 0.95)
write_png(path, image.reshape(height, height, 3))
print(f"{voxels.voxel_count} voxels of {voxels.resolution}, {len(quads)} visible squares")

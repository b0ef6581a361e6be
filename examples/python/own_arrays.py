"""Arrays of your own: a lidar over a height map, clearances of a path, and a picture. Usage: own_arrays.py [PICTURE.png]"""

import sys

import copse
import numpy as np

# snippet begins
# A height map as triangles, two per cell. NumPy makes float64 and int64; Copse takes float32 and int32.
y, x = np.mgrid[0:80, 0:120]  # metres
height = 3 * np.sin(x / 9) * np.cos(y / 7)
vertices = np.stack([x, y, height], axis=-1).reshape(-1, 3).astype(np.float32)
number = np.arange(x.size).reshape(x.shape)
a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]))
faces = np.concatenate([np.stack([a, b, c], axis=-1), np.stack([b, d, c], axis=-1)]).astype(np.int32)
scene = copse.Scene(vertices, faces)

# A lidar of 16 by 360 beams that reach 40 m. One origin goes with all directions.
turn, rise = np.meshgrid(np.radians(np.arange(360)), np.radians(np.linspace(-30, 5, 16)))
beams = np.stack([np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)], axis=-1)
beams = beams.reshape(-1, 3).astype(np.float32)
sensor = np.array([60, 40, 2], np.float32)
hits = scene.cast_rays(sensor, beams, t_max=40.0)
ranges = hits.t.reshape(16, 360)  # metres, since beams have length 1; 40 where nothing is nearer

# Where the beams end, and the normals there.
seen = hits.primitive >= 0
points = sensor + hits.t[seen, None] * beams[seen]
corners = vertices[faces[hits.primitive[seen]]]  # (seen, 3, 3)
normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
normals /= np.linalg.norm(normals, axis=-1, keepdims=True)

# How close a path comes to the ground, and whether the sensor sees it from there.
path = np.linspace([10, 10, 3.2], [110, 70, 3.2], 200).astype(np.float32)
clearance = scene.closest_points(path).distance
is_hidden = scene.occluded(path, sensor - path, t_max=1.0)  # t = 1 is the sensor

# A picture, with z up.
camera = copse.Camera.look_at(eye=[20, -70, 60], target=[60, 40, 0], up=[0, 0, 1], aspect=4 / 3)
picture = scene.render(640, 480, camera)  # (480, 640, 4) uint8
# snippet ends

if len(sys.argv) > 1:
    copse.save_png(sys.argv[1], picture)
print(f"{seen.sum()} of {ranges.size} beams end on the ground, the nearest after {ranges.min():.1f} m;")
print(f"the normals point up: {(normals[:, 2] > 0).all()}; the path comes to {clearance.min():.2f} m of the ground,")
print(f"and {is_hidden.sum()} of {len(path)} points of it are hidden from the sensor")

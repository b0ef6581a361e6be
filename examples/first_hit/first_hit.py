"""The first hit from Python: two triangles, a tree over them, and one ray. docs/guide/ten-minutes.md runs it."""

# snippet begins
import copse
import numpy as np

corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
faces = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
scene = copse.Scene(corners, faces)  # the GPU if one answers, else all CPU threads

origins = np.array([[0.25, 0.5, 2]], np.float32)
directions = np.array([[0, 0, -1]], np.float32)
hits = scene.cast_rays(origins, directions)
print(f"triangle {hits.primitive[0]} at t = {hits.t[0]:g}")
# snippet ends

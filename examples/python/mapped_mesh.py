"""A mesh that stays in its file: built in slices, saved, and traced in the pages of both files. Usage: mapped_mesh.py PLY"""

import os
import sys
import tempfile

import numpy as np

ply_file = sys.argv[1]
folder = tempfile.TemporaryDirectory()
structure_file = os.path.join(folder.name, "mesh.copse")

# snippet begins
import copse

mesh = copse.MappedMesh(ply_file)
scene = copse.build_in_slices(mesh, memory_bytes=16 << 20)  # on the CPU; rays and points as for every scene
scene.save(structure_file)
same_scene = copse.load(structure_file, mmap=True)  # in the pages of its file
# snippet ends

low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
origins = np.random.default_rng(1).uniform(low, high, (10000, 3)).astype(np.float32)
hits = [each.cast_rays(origins, np.array([0, 0, 1], np.float32)) for each in (scene, same_scene)]
assert hits[0].records.tobytes() == hits[1].records.tobytes()
print(f"{mesh}: {(hits[0].primitive >= 0).sum()} of {len(origins)} rays hit")
del same_scene
folder.cleanup()

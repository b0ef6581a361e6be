"""Open3D's ray casting by Copse. Usage: raycasting_scene.py MESH"""

import sys

mesh_file = sys.argv[1]

# snippet begins
import copse.open3d

vertices, faces = copse.load_mesh(mesh_file)  # or a mesh of Open3D: scene.add_triangles(mesh)
scene = copse.open3d.RaycastingScene()
scene.add_triangles(vertices, faces)
rays = scene.create_rays_pinhole(60, [0, 0, 0], [2, 1, 2], [0, -1, 0], 640, 480)
answer = scene.cast_rays(rays)
depth, triangles = answer["t_hit"], answer["primitive_ids"]  # (480, 640)
# snippet ends

print(f"{(triangles != scene.INVALID_ID).sum()} of {depth.size} rays hit, the nearest at depth {depth.min():.2f}")

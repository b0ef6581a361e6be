"""A batch for PyTorch: a coarse ball is fitted to depth images of a mesh from six sides, by gradients of rays."""

import copse
import numpy as np
import torch
from copse.torch import cast_rays
from gallery import arguments, camera, cow, write_png

SIDE, STEPS = 28, 50

path, height = arguments()
device = "cuda" if torch.cuda.is_available() and "not used" not in copse.device_report() else "cpu"
target = copse.Scene(*(torch.from_numpy(part.astype(kind)).to(device) for part, kind in zip(cow(), (np.float32, np.int32))))

# A ball of radius 1: the corners of a grid on a cube, pushed outwards.
steps = np.linspace(-1, 1, 15)
u, v = (part.ravel() for part in np.meshgrid(steps, steps))
sides = [np.roll(np.stack([np.full_like(u, s), s * u, v], axis=-1), k, axis=1) for k in range(3) for s in (-1.0, 1.0)]
ball = np.concatenate(sides)
ball /= np.linalg.norm(ball, axis=1, keepdims=True)
row = (np.arange(14)[:, None] * 15 + np.arange(14)).ravel()
quads = np.concatenate([row + 225 * side for side in range(6)])
faces = np.concatenate([np.stack([quads, quads + a, quads + b], axis=-1) for a, b in ((1, 16), (16, 15))]).astype(np.int32)
vertices = torch.from_numpy(ball.astype(np.float32)).to(device).requires_grad_(True)
scene = copse.Scene(vertices, torch.from_numpy(faces).to(device))

eyes = [[3, 0.4, 0], [-3, 0.4, 0], [0, 0.4, 3], [0, 0.4, -3], [0.1, 3, 0.1], [0.1, -3, 0.1]]
views = [camera(eye, [0, 0, 0], SIDE) for eye in eyes]
origins = torch.from_numpy(np.concatenate([np.tile(eye, (SIDE * SIDE, 1)) for eye, _ in views])).to(device)
directions = torch.from_numpy(np.concatenate([rays for _, rays in views])).to(device)
depth = target.cast_rays(origins, directions).t
optimizer = torch.optim.Adam([vertices], lr=0.02)
for step in range(STEPS):
    optimizer.zero_grad()
    hits = cast_rays(scene, origins, directions, vertices=vertices)
    both = hits.is_hit & torch.isfinite(depth)
    loss = (hits.t - depth)[both].abs().mean()
    first = loss.item() if step == 0 else first
    # Rays give no gradient at silhouettes: corners that only miss are drawn to the surface.
    nearest = target.closest_points(vertices.detach())
    (loss + 0.3 * (vertices - nearest.point).norm(dim=1).mean()).backward()
    optimizer.step()
    scene.refit(vertices)

pictures = []
for shown in (target, scene):
    eye, rays = camera([1.8, 1.0, -2.6], [0, 0, 0], height)
    hits = shown.cast_rays(torch.from_numpy(eye).to(device), torch.from_numpy(rays).to(device))
    t = hits.t.cpu().numpy().reshape(height, height)
    pictures.append(np.where(np.isfinite(t), 1.1 - 0.5 * (t - 2.2), 0.97))
write_png(path, np.repeat(np.concatenate(pictures, axis=1)[..., None], 3, axis=2))
print(f"{STEPS} steps of {len(origins)} rays on {device}: the error of depth falls from {first:.3f} to {loss.item():.3f}")

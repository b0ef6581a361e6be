"""A slice through the signed distance: the inside is warm, the outside cold, with a line at every tenth."""

import copse
import numpy as np
from gallery import arguments, cow, write_png

path, height = arguments()
scene = copse.Scene(*cow())

# One point for each pixel of the plane x = 0, which divides the cow in half.
z, y = np.meshgrid(np.linspace(-1.3, 1.3, height), np.linspace(1.3, -1.3, height))
points = np.stack([np.zeros_like(y), y, z], axis=-1).reshape(-1, 3).astype(np.float32)
distance = scene.signed_distance(points).reshape(height, height)

warm, cold = np.array([0.95, 0.55, 0.25]), np.array([0.3, 0.5, 0.8])
shade = np.exp(-1.5 * np.abs(distance))[..., None]
image = np.where(distance[..., None] < 0, warm, cold) * (0.35 + 0.65 * shade)
pixel = 2.6 / height
image[np.abs((distance + 0.05) % 0.1 - 0.05) < 0.5 * pixel] *= 0.7  # every tenth
image[np.abs(distance) < pixel] = 1  # the surface
write_png(path, image)
print(f"distances from {distance.min():.2f} to {distance.max():.2f}")

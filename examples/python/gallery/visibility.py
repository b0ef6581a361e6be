"""What three guards see: a floor plan of a grove, in the colours of the guards who see each spot."""

import copse
import numpy as np
from gallery import arguments, asset, write_png

path, height = arguments()
instances = copse.load_scene(asset("grove.glb")).build()
stats = instances.stats()
low, high = np.array(stats.lower), np.array(stats.upper)

# The ground under each pixel, by a ray from above; its point is a little above it.
x, z = np.meshgrid(np.linspace(low[0], high[0], height), np.linspace(high[2], low[2], height))
tops = np.stack([x, np.full_like(x, high[1] + 1), z], axis=-1).reshape(-1, 3).astype(np.float32)
down = np.array([0, -1, 0], np.float32)
first = instances.cast_rays(tops, down)
is_spot = first.primitive >= 0
spots = tops + np.where(is_spot, first.t, 0)[:, None] * down + np.float32([0, 0.02, 0])

size = high - low
guards = low + size * np.array([[0.25, 0.55, 0.35], [0.75, 0.55, 0.3], [0.55, 0.55, 0.7]])
image = np.full((len(spots), 3), 0.12)
for guard, colour in zip(guards, np.eye(3) * 0.75 + 0.1):
    # From the guard to the spot; t counts in lengths of the direction, so the spot is at 1.
    is_hidden = instances.occluded(guard.astype(np.float32), (spots - guard).astype(np.float32), t_max=0.999)
    image += np.where((~is_hidden & is_spot)[:, None], colour, 0)
    print(f"a guard sees {100 * (~is_hidden & is_spot).sum() / is_spot.sum():.0f} % of the ground and the trees")
image = image.reshape(height, height, 3)
for guard in guards:
    row, column = int((high[2] - guard[2]) / size[2] * height), int((guard[0] - low[0]) / size[0] * height)
    image[row - height // 60 : row + height // 60, column - height // 60 : column + height // 60] = 1
write_png(path, image)

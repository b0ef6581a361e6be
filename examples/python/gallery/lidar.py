"""A lidar that turns on a mast in a grove: the range image above, and its points seen from above below."""

import copse
import numpy as np
from gallery import arguments, asset, scale_of, write_png

RANGE, BEAMS = 30.0, 64

path, height = arguments()
instances = copse.load_scene(asset("grove.glb")).build()
stats = instances.stats()
low, high = np.array(stats.lower), np.array(stats.upper)
mast = (low + high) / 2
mast[1] = low[1] + 0.4 * (high[1] - low[1])

# Beams from -35 to 20 degrees, two thousand times in a turn, with noise of a centimetre.
width = 2 * height
turn, tilt = np.meshgrid(np.linspace(-np.pi, np.pi, 3 * width), np.radians(np.linspace(20, -35, BEAMS)))
directions = np.stack([np.cos(tilt) * np.sin(turn), np.sin(tilt), np.cos(tilt) * np.cos(turn)], axis=-1)
flat = directions.reshape(-1, 3).astype(np.float32)
hits = instances.cast_rays(mast.astype(np.float32), flat, t_max=RANGE)
is_hit = hits.primitive >= 0
distance = hits.t + np.random.default_rng(1).normal(0, 0.01, len(flat))
points = mast + distance[is_hit, None] * flat[is_hit]

ranges = np.where(is_hit[:, None], scale_of(-np.log(distance), -np.log(RANGE), 0.5), 0.05).reshape(BEAMS, 3 * width, 3)
rows = np.linspace(0, BEAMS - 1, height // 3).astype(int)
above = np.full((height // 2, width // 2, 3), 0.05)
scale = 0.7 * height / max(high[0] - low[0], high[2] - low[2])
x = (width / 4 + scale * (points[:, 0] - mast[0])).astype(int)
y = (height / 4 - scale * (points[:, 2] - mast[2])).astype(int)
inside = (x >= 0) & (x < width // 2) & (y >= 0) & (y < height // 2)
above[y[inside], x[inside]] = scale_of(points[inside, 1], low[1], low[1] + 0.6 * (high[1] - low[1]))
write_png(path, np.concatenate([ranges[rows][:, ::3], above.repeat(2, axis=0).repeat(2, axis=1)]))
print(f"{is_hit.sum()} of {len(flat)} beams come back, from {len(np.unique(hits.instance[is_hit]))} objects")

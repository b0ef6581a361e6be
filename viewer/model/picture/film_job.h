#pragma once

#include "builders/geometry/image.h"
#include "primitives/core/executor.h"
#include "trace/camera.h"
#include "viewer/model/picture/surface.h"
#include "viewer/model/picture/tiles.h"
#include "viewer/model/picture/view_settings.h"

namespace copse::viewer {

/// The half-space that a slice keeps: sign * (point[axis] - place) <= 0. If sign is 0, all of space.
struct HalfSpace {
  u32 axis = 0;
  float place = 0;
  float sign = 0;

  /// Returns the part of a ray in the half-space; a ray without direction if there is none.
  COPSE_HD Ray clip(Ray ray) const {
    if (sign == 0) return ray;
    const float origin = detail::coordinate(ray.origin, axis), slope = detail::coordinate(ray.direction, axis);
    const float away = mul_rn(sign, sub_rn(origin, place)), speed = mul_rn(sign, slope);
    if (speed > 0) {
      ray.t_max = smaller(ray.t_max, div_rn(-away, speed));
    } else if (speed < 0) {
      ray.t_min = larger(ray.t_min, div_rn(-away, speed));
    } else if (away > 0) {
      ray.t_max = -1.0f;
    }
    return ray.t_min <= ray.t_max ? ray : Ray{ray.origin, 0.0f, vec3(0), -1.0f};
  }
};

/// The sum of the colours that a pixel had in several samples.
struct ColourSum {
  u32 r, g, b;
};

/// A picture that is being made. Arrays are in the executor's memory, in the order of Tiles except the last two.
struct FilmJob {
  Tiles tiles;
  Camera camera;
  HalfSpace space;
  View view = View::shaded;
  bool wire = false;
  LeafTint leaf_tint = LeafTint::id;
  float ambient_reach = 0;  // in units of the scene
  u32 sample = 0;           // of ambient occlusion: the sample to take, or how many were taken
  u32 heat_limit = 0;

  SurfaceHit* surfaces;
  u32* values;       // visits or labels
  u32* open_counts;  // ambient rays that escaped
  u32* extremes;     // nearest t, farthest t, by their bits; largest value
  Rgba8* pixels;     // in rows
  float* distances;  // in rows; null: they stay as they are
  ColourSum* sums;   // in rows; null unless pixels are smoothed
};

}  // namespace copse::viewer

#pragma once

// The colours of pictures: numbers from 0 to 1, as the screen shows them.

#include "builders/geometry/image.h"
#include "builders/geometry/vector_rn.h"
#include "trace/random.h"

namespace copse::detail {

COPSE_HD inline u8 to_byte(float x) {
  if (!(x > 0)) return 0;
  return x < 1 ? u8(add_rn(mul_rn(x, 255.0f), 0.5f)) : 255;
}

COPSE_HD inline Rgba8 to_rgba(const vec3& colour) {
  return {to_byte(colour.x), to_byte(colour.y), to_byte(colour.z), 255};
}

/// The background: light above, darker below. `down` goes from 0 at the top to 1 at the bottom.
COPSE_HD inline vec3 background_colour(float down) {
  return mix_rn(vec3(0.95f, 0.96f, 0.98f), vec3(0.62f, 0.67f, 0.74f), down);
}

/// The brightness of a surface under a lamp at the eye. `cosine` is that between its normal and the view.
COPSE_HD inline float headlight(float cosine) {
  return add_rn(0.16f, mul_rn(0.84f, magnitude(cosine)));
}

/// White with a touch of the normal's direction.
COPSE_HD inline vec3 normal_tint(const vec3& normal) {
  const vec3 direction = add_rn(vec3(0.5f), mul_rn(normal, 0.5f));
  return mix_rn(vec3(0.97f), direction, 0.42f);
}

/// 1 within a distance of 1 from the centre, 0 from 2 on, around a circle of length 6.
COPSE_HD inline float hue_ramp(float hue, float centre) {
  const float away = magnitude(sub_rn(hue, centre));
  return larger(0.0f, smaller(1.0f, sub_rn(2.0f, smaller(away, sub_rn(6.0f, away)))));
}

/// A colour for each triangle: any hue, neither grey nor glaring.
COPSE_HD inline vec3 id_colour(u32 id) {
  const u32 hash = pcg_hash(id + 0x5bd1e995u);
  const float hue = mul_rn(float(hash & 0xffffu), 6.0f / 65536.0f);
  const float value = add_rn(0.72f, mul_rn(float((hash >> 16) & 0xffu), 0.25f / 255.0f));
  const float grey = add_rn(0.28f, mul_rn(float(hash >> 24), 0.27f / 255.0f));
  const vec3 pure(hue_ramp(hue, 0.0f), hue_ramp(hue, 2.0f), hue_ramp(hue, 4.0f));
  return mul_rn(mix_rn(vec3(grey), vec3(1.0f), pure), value);
}

/// `far` is 0 at the nearest hit of the picture and 1 at the farthest.
COPSE_HD inline vec3 distance_colour(float far) {
  return mix_rn(vec3(1.0f, 0.97f, 0.9f), vec3(0.1f, 0.12f, 0.22f), far);
}

}  // namespace copse::detail

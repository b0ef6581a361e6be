#pragma once

#include "builders/geometry/image.h"
#include "builders/geometry/vector_rn.h"

namespace copse::detail {

/// The colour scale of heat maps, x in [0, 1]: dark blue, violet, red, orange, light yellow. Lightness grows
/// evenly, so that it reads in grey as well.
COPSE_HD inline vec3 heat_scale(float x) {
  const vec3 points[] = {vec3(0.03f, 0.04f, 0.20f), vec3(0.22f, 0.08f, 0.44f), vec3(0.50f, 0.14f, 0.49f),
                         vec3(0.78f, 0.26f, 0.38f), vec3(0.95f, 0.52f, 0.22f), vec3(0.99f, 0.77f, 0.32f),
                         vec3(1.00f, 0.98f, 0.74f)};
  constexpr u32 last = sizeof points / sizeof points[0] - 1;
  const float place = mul_rn(x > 0 ? smaller(x, 1.0f) : 0.0f, float(last));
  const u32 left = smaller(u32(place), last - 1);
  return mix_rn(points[left], points[left + 1], sub_rn(place, float(left)));
}

/// Draws the colour scale of a heat map along the lower edge of the picture: a bar from 0 to `limit` visits with
/// numbers at its quarters. Returns the number of pixel rows that it covers. It leaves a picture that is too small as
/// it is, and returns 0.
///   is_cut: some rays visit more than `limit`
COPSE_API u32 draw_heat_legend(Image& image, u32 limit, bool is_cut = false);

}  // namespace copse::detail

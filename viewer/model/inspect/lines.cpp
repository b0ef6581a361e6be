#include "viewer/model/inspect/lines.h"

#include <algorithm>

#include "trace/heat_colour.h"
#include "trace/shade_colour.h"

namespace copse::viewer {

void add_line(Lines& lines, const vec3& from, const vec3& to, Rgba8 colour) {
  lines.push_back({from, colour});
  lines.push_back({to, colour});
}

void add_box(Lines& lines, const Aabb& box, Rgba8 colour) {
  if (is_valid(box)) add_cell(lines, corners_of(box), colour);
}

void add_cell(Lines& lines, const CellCorners& corners, Rgba8 colour) {
  // Two corners share an edge if their numbers differ in one bit.
  for (u32 k = 0; k < 8; ++k) {
    for (u32 bit = 1; bit < 8; bit *= 2) {
      if ((k & bit) == 0) add_line(lines, corners[k], corners[k | bit], colour);
    }
  }
}

Rgba8 depth_colour(u32 depth, u32 deepest) {
  const float x = deepest == 0 ? 0 : std::min(float(depth) / float(deepest), 1.0f);
  // The dark end of the scale is left out. It is hard to see over a picture.
  return detail::to_rgba(detail::heat_scale(0.95f - 0.6f * x));
}

}  // namespace copse::viewer

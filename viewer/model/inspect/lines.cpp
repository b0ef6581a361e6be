#include "viewer/model/inspect/lines.h"

#include <algorithm>
#include <array>

#include "primitives/core/bits.h"
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

void add_cells(Lines& lines, std::span<const CellCorners> cells, Rgba8 colour) {
  using Edge = std::array<u32, 6>;  // the bits of both ends, the smaller end first
  const auto bits = [](const vec3& p) { return std::array<u32, 3>{bits_of(p.x), bits_of(p.y), bits_of(p.z)}; };
  std::vector<Edge> edges;
  edges.reserve(cells.size() * 12);
  for (const CellCorners& corners : cells) {
    for (u32 k = 0; k < 8; ++k) {
      for (u32 bit = 1; bit < 8; bit *= 2) {
        if ((k & bit) != 0) continue;
        const auto [low, high] = std::minmax({bits(corners[k]), bits(corners[k | bit])});
        edges.push_back({low[0], low[1], low[2], high[0], high[1], high[2]});
      }
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  const auto point = [](const u32* b) {
    return vec3(float_from_bits(b[0]), float_from_bits(b[1]), float_from_bits(b[2]));
  };
  for (const Edge& edge : edges) add_line(lines, point(edge.data()), point(edge.data() + 3), colour);
}

u8 opacity_of(u64 count) {
  constexpr double opaque_count = 2000, faintest = 20;
  return u8(std::clamp(255 * opaque_count / double(std::max<u64>(count, 1)), faintest, 255.0));
}

Rgba8 depth_colour(u32 depth, u32 deepest) {
  const float x = deepest == 0 ? 0 : std::min(float(depth) / float(deepest), 1.0f);
  // The dark end of the scale is left out. It is hard to see over a picture.
  return detail::to_rgba(detail::heat_scale(0.95f - 0.6f * x));
}

}  // namespace copse::viewer

#pragma once

// Triangles at a time between two keys.
//
// A coordinate that is p at the first key and q at the second is fma(part, q - p, p). So vertices that do not move
// keep their bits at all times, and both backends agree. The result differs from the exact one by at most three
// roundings of 2^-24 of the larger magnitude of p and q: one of the difference, which may be twice as large, and one
// of the sum. If the difference exceeds the largest float, the result is NaN or infinite, and the triangle is missed
// between these keys.

#include "builders/geometry/packed_triangle.h"
#include "motion/walk/key_time.h"
#include "trace/masked_triangles.h"

namespace copse::detail {

COPSE_HD inline vec3 between_keys(const vec3& p, const vec3& q, float part) {
  return vec3(fma_rn(part, sub_rn(q.x, p.x), p.x), fma_rn(part, sub_rn(q.y, p.y), p.y),
              fma_rn(part, sub_rn(q.z, p.z), p.z));
}

COPSE_HD inline Triangle between_keys(const Triangle& before, const Triangle& after, float part) {
  return {between_keys(before.a, after.a, part), between_keys(before.b, after.b, part),
          between_keys(before.c, after.c, part)};
}

/// The triangles of leaf tests: those of two keys, by their places.
struct MovingTriangles {
  static constexpr bool takes_places = true;

  PlacedTriangles before, after;
  float part;

  COPSE_HD Triangle triangle(u32 place) const {
    return between_keys(before.triangle(place), after.triangle(place), part);
  }
  COPSE_HD u32 primitive(u32 place) const { return before.primitive(place); }
  COPSE_HD u32 local_id(u32 place) const { return before.local_id(place); }
  COPSE_HD u32 geometry(u32 place) const { return before.geometry(place); }
  COPSE_HD static constexpr bool sees(u32) { return true; }
};

using SeenMovingTriangles = SeenTriangles<MovingTriangles, PackedMasks>;

}  // namespace copse::detail

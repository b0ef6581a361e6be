#pragma once

// Boxes that are made where primitives are read in their own order, for a pass that later reads them along the
// curve. Where neighbours in a mesh are neighbours in space, that pass finds what it needs in caches, and boxes of
// their own would only be more bytes. Where they are not, one line of memory a primitive takes the place of four.
// Measured by copse bench random-10M --stages.

#include <type_traits>

#include "builders/geometry/triangle_table.h"
#include "primitives/core/bits.h"

namespace copse::detail {

/// A box in two loads of 16 bytes.
struct alignas(32) PrecomputedBox {
  vec3 lo;
  u32 unused;
  vec3 hi;
  u32 unused_too;
};

/// The boxes of primitives by their number.
struct PrecomputedBoxes {
  const PrecomputedBox* boxes;
  COPSE_HD Aabb operator()(u32 primitive) const {
    const PrecomputedBox box = boxes[primitive];
    return {box.lo, box.hi};
  }
};

/// Room for boxes, which are made or not as samples of the primitives decide.
struct PrecomputedBounds {
  static constexpr u32 sample_count = 256;

  PrecomputedBox* boxes = nullptr;  // [primitive]; null where they are never made
  u32* far_count = nullptr;         // of the samples, those that are far from the next primitive

  COPSE_HD bool are_made() const { return boxes != nullptr && 2 * *far_count > sample_count; }
  COPSE_HD PrecomputedBoxes made() const { return {boxes}; }
};

/// 1 for a sample whose next primitive is farther away than a part of the scene's extent, along any axis.
template <class Boxes>
struct IsFarFromNext {
  static constexpr float part = 1.0f / 16;

  Boxes boxes;
  const Aabb* bounds;
  u64 n;  // at least PrecomputedBounds::sample_count

  COPSE_HD u32 operator()(u64 sample) const {
    const u32 primitive = u32(sample * ((n - 1) / PrecomputedBounds::sample_count));
    const Aabb box = boxes(primitive), next_box = boxes(primitive + 1);
    if (is_empty(box) || is_empty(next_box)) return 0;
    const vec3 at = centroid(box), next = centroid(next_box);
    return is_far(at.x, next.x, bounds->lo.x, bounds->hi.x) || is_far(at.y, next.y, bounds->lo.y, bounds->hi.y) ||
                   is_far(at.z, next.z, bounds->lo.z, bounds->hi.z)
               ? 1
               : 0;
  }

 private:
  COPSE_HD static bool is_far(float a, float b, float lo, float hi) {
    const float extent = sub_rn(mul_rn(hi, 0.5f), mul_rn(lo, 0.5f));
    const float distance = sub_rn(mul_rn(larger(a, b), 0.5f), mul_rn(smaller(a, b), 0.5f));
    return distance > mul_rn(extent, part);
  }
};

/// Whether room for boxes may pay: for triangles of one mesh that caches cannot hold.
template <class Boxes>
bool may_precompute_bounds(u64 n) {
  constexpr u64 fewest = u64{1} << 22, most = u64{1} << 28;
  return std::is_same_v<Boxes, TriangleBoxes> && n >= fewest && n <= most;
}

}  // namespace copse::detail

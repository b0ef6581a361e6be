#include "builders/geometry/morton.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"
#include "queries/nearest/query_batch.h"

namespace copse::detail {

/// Bits of a place along the curve, per axis.
constexpr u32 order_axis_bits = 8;

/// The place of a point along a Morton curve through a box.
struct PlaceAlongCurve {
  const Aabb* box;
  const vec3* points;

  COPSE_HD u32 operator()(u64 i) const {
    const vec3 p = points[i];
    if (!is_finite(p) || is_empty(*box)) return 0;
    return spread_bits_10(morton_cell(p.x, box->lo.x, box->hi.x, order_axis_bits)) << 2 |
           spread_bits_10(morton_cell(p.y, box->lo.y, box->hi.y, order_axis_bits)) << 1 |
           spread_bits_10(morton_cell(p.z, box->lo.z, box->hi.z, order_axis_bits));
  }
};

template <class Executor>
QueryOrder order_within_box(const Executor& ex, ScratchArena::Frame& frame, const Aabb* box,
                            BufferSpan<const vec3> points) {
  return order_by_place(ex, frame, points.size(), PlaceAlongCurve{box, points.data()}, 3 * order_axis_bits);
}

/// The length of each of `n` lists, and a 0 after the last one, so that an exclusive scan ends with the total.
struct CountsAndEnd {
  const u32* counts;
  u64 n;
  COPSE_HD u64 operator()(u64 i) const { return i < n ? counts[i] : 0; }
};

template <class Executor>
void place_lists(const Executor& ex, const char* label, const u32* counts, u64 n, u64* offsets) {
  u64* const no_total = nullptr;
  exclusive_scan(ex, label, n + 1, CountsAndEnd{counts, n}, u64{0}, Plus{}, offsets, no_total);
}

template QueryOrder order_within_box(const BodyExecutor&, ScratchArena::Frame&, const Aabb*,
                                     BufferSpan<const vec3>);
template void place_lists(const BodyExecutor&, const char*, const u32*, u64, u64*);

}  // namespace copse::detail

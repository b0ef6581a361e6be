#pragma once

// The area of all inner nodes of a tree, by which trees over the same leaves compare. For bodies that include
// primitives/reduce.h.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/reinsert/area_scale.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// Areas as whole numbers, so that sums are the same in any order. Areas are below 2^4, and the sum over all nodes is
/// below 2^64.
struct AreaUnit {
  float unit;

  /// Returns the unit for a tree with room for `node_count` nodes.
  COPSE_HD static AreaUnit of(u64 node_count) {
    return {float_from_bits((127 + 28 + leading_zeros(u32(node_count))) << 23)};
  }
  COPSE_HD u64 operator()(const AreaScale& scale, const Aabb& box) const {
    const float area = scale.area(box);
    return area < 16 ? u64(area * unit) : 0;  // infinite if all leaves below are empty
  }
};

/// The area of an inner node.
struct InnerArea {
  BvhArrays bvh;
  AreaUnit unit;

  InnerArea(const BvhArrays& tree, u64 node_count) : bvh(tree), unit(AreaUnit::of(node_count)) {}
  COPSE_HD u64 operator()(u64 i) const {
    if (i >= bvh.counts->node_count || bvh.nodes[i].is_leaf()) return 0;
    return unit(AreaScale::of(bvh.nodes[0].box()), bvh.nodes[i].box());
  }
};

/// *sum = the areas of all inner nodes, in the units of InnerArea. Its scratch is that of reduce of u64.
template <class Executor>
void sum_inner_areas(const Executor& ex, const char* label, u64 node_count, const BvhArrays& bvh, u64* sum) {
  reduce(ex, label, node_count, InnerArea(bvh, node_count), u64{0}, Plus{}, sum);
}

}  // namespace copse::detail

#pragma once

// Shared by both backends of the top-down SAH builder: the items that move to their leaves, the ranges of items
// that are nodes, the bins of a node, and the cost of a split. Each operation either has a fixed order or does not
// depend on the order, so the result is the same for any number of threads.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/sah.h"
#include "builders/geometry/aabb.h"

namespace copse::detail {

inline constexpr u32 max_sah_bins = SahOptions::max_bin_count;

/// Nodes of at most this many items are swept: every split along every axis is tried, exactly.
inline constexpr u32 max_swept_items = 32;

/// At this depth and below, nodes that are too large for a sweep are split in the middle. Otherwise, where the
/// sizes of primitives form a geometric progression, each split takes off only a few items, and the tree gets
/// about n levels deep.
inline constexpr u32 sah_depth_limit = 96;

/// A primitive that moves to its leaf; two 16-byte loads.
struct alignas(16) SahItem {
  vec3 lo;
  u32 primitive;
  vec3 hi;
  u32 unused;

  COPSE_HD static SahItem of(const Aabb& box, u32 primitive) { return {box.lo, primitive, box.hi, 0}; }
  COPSE_HD Aabb box() const { return {lo, hi}; }
  /// Returns the point by which the item is sorted and binned.
  COPSE_HD vec3 centre() const { return clean_point(centroid(box())); }
};
static_assert(sizeof(SahItem) == 32);

/// A node during the build: its items, and its place in the tree, which follows from the split of its parent.
struct SahRange {
  u32 first;
  u32 count;
  u32 is_right;  // whether it is a right child; 1 for the root too
  u32 depth;

  COPSE_HD static SahRange whole(u32 count) { return {0, count, 1, 0}; }
  COPSE_HD u32 end() const { return first + count; }
  /// The split before slot m makes nodes 2m - 1 and 2m. So the root, to the right of slot 0, is node 0.
  COPSE_HD u32 node() const { return is_right ? 2 * first : 2 * end() - 1; }
  COPSE_HD SahRange left(u32 left_count) const { return {first, left_count, 0, depth + 1}; }
  COPSE_HD SahRange right(u32 left_count) const { return {first + left_count, count - left_count, 1, depth + 1}; }
};

/// The tree that the build writes.
struct SahTree {
  BvhNode* nodes;
  u32* parents;
  u32* primitive_ids;

  COPSE_HD void place_inner(const SahRange& range, const Aabb& box, u32 left_count) const {
    const u32 pair = range.first + left_count - 1, node = range.node();
    nodes[node] = BvhNode::inner(box, 2 * pair + 1);
    parents[pair] = node;
  }
  COPSE_HD void place_leaf(const SahRange& range, const Aabb& box) const {
    nodes[range.node()] = BvhNode::leaf(box, range.first, range.count);
  }
  /// Writes the leaf of a range of one item.
  COPSE_HD void place_single(const SahRange& range, const SahItem& item) const {
    primitive_ids[range.first] = item.primitive;
    place_leaf(range, item.box());
  }
};

/// The bins of a node: on each axis, equal parts of the extent of its items' centres. Coordinates are halved
/// before they are subtracted, so that no extent overflows.
struct SahGrid {
  vec3 half_lo;
  vec3 scale;
  u32 last_bin;

  COPSE_HD static SahGrid over(const Aabb& centres, u32 bin_count) {
    const vec3 lo = half(centres.lo), hi = half(centres.hi);
    return {lo,
            vec3(bins_per_unit(lo.x, hi.x, bin_count), bins_per_unit(lo.y, hi.y, bin_count),
                 bins_per_unit(lo.z, hi.z, bin_count)),
            bin_count - 1};
  }

  COPSE_HD u32 bin(const vec3& centre, u32 axis) const {
    const float offset = coordinate(centre, axis) * 0.5f - coordinate(half_lo, axis);
    return smaller(u32(offset * coordinate(scale, axis)), last_bin);
  }

 private:
  COPSE_HD static vec3 half(const vec3& p) { return vec3(p.x * 0.5f, p.y * 0.5f, p.z * 0.5f); }

  /// Returns 0 for an axis without extent. The result is finite, since 0 times infinity is no number.
  COPSE_HD static float bins_per_unit(float lo, float hi, u32 bin_count) {
    constexpr float largest = 3.4028234e38f;
    return hi > lo ? min_number(float(bin_count) / (hi - lo), largest) : 0.0f;
  }
};

/// Returns the estimated cost of the items on one side of a split, per area of the side: count^(13/16). The
/// published heuristic takes every side for a leaf, of cost `count`. A subtree costs far less, more like the
/// square root. The estimate decides how readily a few large items are split off many small ones. Compared to an
/// exponent of 1, 13/16 lowers the SAH cost by 0.5 to 5 %, most in interiors; 3/4 is 0.3 % better on single
/// objects and 1 % worse on interiors (bench: copse bench --builder sah).
COPSE_HD inline double side_weight(u32 count) {
  const float root = sqrt_rn(float(count)), fourth = sqrt_rn(root);
  return double(root * fourth * sqrt_rn(sqrt_rn(fourth)));
}

/// Returns the cost of one side. Splits are compared by the sum over both sides; the area of the node is the same
/// for all of them.
COPSE_HD inline double side_cost(const Aabb& box, double weight) {
  return half_area(box) * weight;
}

/// Returns whether a node costs no more as a leaf than with its best split, whose sides cost `min_cost`.
COPSE_HD inline bool is_cheaper_as_leaf(const SahCosts& costs, const Aabb& box, u32 count, double min_cost) {
  const double area = half_area(box);
  const double split = costs.traversal * area + costs.intersection * min_cost;
  return costs.intersection * (area * double(count)) <= split;
}

/// The split of a node of more than max_swept_items: the items in bins up to `last_left` on `axis` go left;
/// without an axis, the first half of the items.
struct SahSplit {
  static constexpr u32 no_axis = 3;

  u32 axis;
  u32 last_left;
  u32 left_count;

  COPSE_HD static SahSplit in_the_middle(u32 count) { return {no_axis, 0, count / 2}; }

  ///   i: the number of the item in its node
  COPSE_HD bool goes_left(const SahGrid& grid, const SahItem& item, u32 i) const {
    return axis == no_axis ? i < left_count : grid.bin(item.centre(), axis) <= last_left;
  }
};

/// The input of a build, and the tree that it writes.
struct SahInput {
  SahItem* items;
  SahItem* spare;          // as many
  const u32* valid_count;  // the number of items
  const Aabb* centres;     // of all items
  u32 bin_count;
  u32 max_leaf_size;
  SahCosts costs;
  SahTree tree;
};

}  // namespace copse::detail

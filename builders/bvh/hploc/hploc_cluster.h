#pragma once

// What both backends of H-PLOC share: clusters, which two of them are closest, and where they end in the tree.
// Everything here is a function of boxes and places, so that equal leaves give equal trees.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/morton/leaf_ranges.h"
#include "builders/geometry/aabb.h"

namespace copse::detail {

/// Clusters that stand side by side while some of them merge: those of two sibling ranges of leaves.
inline constexpr u32 max_clusters = 32;

/// Clusters that a range hands to its parent.
inline constexpr u32 max_kept_clusters = 16;

/// The farthest neighbour that a cluster looks at, in places.
inline constexpr u32 max_radius = HplocOptions::max_radius;

/// A subtree that has no parent yet. A merge of two gives up the higher of their slots; it names the pair of nodes
/// where they stand from then on. So every slot but the first names one pair, without a counter.
struct alignas(16) Cluster {
  vec3 lo;
  u32 children;  // the slot that its last merge gave up; 0 for a leaf
  vec3 hi;
  u32 slot;  // its first leaf

  COPSE_HD static Cluster leaf(const Aabb& box, u32 slot) { return {box.lo, 0, box.hi, slot}; }
  COPSE_HD Aabb box() const { return {lo, hi}; }
};

static_assert(sizeof(Cluster) == 32);

/// The cluster of two that stand in the order of their slots.
COPSE_HD inline Cluster merge(const Cluster& a, const Cluster& b) {
  const Aabb box = merge(a.box(), b.box());
  return {box.lo, b.slot, box.hi, a.slot};
}

/// How far apart two neighbours are: the half area of the box around both, then the lower place, then the
/// distance in places. Both neighbours see the same key and all keys differ, so that the two with the lowest one
/// choose each other: every round merges something, whatever the areas are.
///   31      24 23               8 7     3 2        0
///   exponent   leading mantissa   place   offset - 1
/// An area that overflows counts as infinite.
using NeighbourKey = u32;
inline constexpr NeighbourKey no_neighbour = 0xffffffffu;

/// What a place farther adds to an area, as a part of it. Where clusters are much of a size, the order along the
/// curve is the better guide: without it a wide search makes worse trees of hair (SAH cost 262.9, with it 260.1)
/// and of random triangles (377.4 and 369.8), while interiors need one.
inline constexpr float part_a_place = 1.0f / 256;

COPSE_HD inline NeighbourKey neighbour_key(const Aabb& a, const Aabb& b, u32 place, u32 offset) {
  const Aabb box = merge(a, b);
  const float x = sub_rn(box.hi.x, box.lo.x), y = sub_rn(box.hi.y, box.lo.y), z = sub_rn(box.hi.z, box.lo.z);
  const float half_area = add_rn(mul_rn(x, add_rn(y, z)), mul_rn(y, z));
  const float distance = mul_rn(half_area, 1 + part_a_place * float(offset - 1));
  // Infinity times zero is no number, and its bits differ between machines.
  const u32 bits = bits_of(min_number(infinity, distance));
  return (bits << 1 & 0xffffff00u) | place << 3 | (offset - 1);
}

/// The place that a key joins `place` with; `place` itself without one.
COPSE_HD inline u32 neighbour_of(NeighbourKey key, u32 place) {
  if (key == no_neighbour) return place;
  const u32 lower = key >> 3 & 31, offset = (key & 7) + 1;
  return lower == place ? lower + offset : lower;
}

/// Puts clusters into the tree.
template <class Leaves>
struct PlaceCluster {
  Leaves leaves;
  BvhArrays bvh;

  COPSE_HD void operator()(const Cluster& cluster, u32 node) const {
    // One store for both kinds, since lanes of a warp have both.
    BvhNode placed = BvhNode::inner(cluster.box(), 2 * cluster.children - 1);
    if (cluster.children == 0) {
      placed.first = leaves.first(cluster.slot);
      placed.count = leaves.first(cluster.slot + 1) - placed.first;
    }
    bvh.nodes[node] = placed;
    if (cluster.children != 0) bvh.parents[cluster.children - 1] = node;
  }
};

/// In ranges of more leaves than this, clusters look as far as they can, whatever the radius asked for: few merges
/// of a build are among them, and they decide most about its quality. Interiors gain most: SAH cost 42.9 to 39.9
/// at radius 4 (bench: copse bench apartment --builder hploc).
inline constexpr u32 narrow_range = 256;

/// The hierarchy that H-PLOC climbs: the LBVH over the leaves, of which no node is ever made. It also says how far
/// the clusters of a range merge.
template <class Leaves>
struct ClusterHierarchy : LeafHierarchy<Leaves> {
  /// A range hands all its clusters to its parent as they are, unless they are too many or it has no parent.
  COPSE_HD bool must_merge(const LeafRange& range) const {
    return range.size() > max_kept_clusters || this->is_whole(range);
  }
  COPSE_HD u32 search_radius(const LeafRange& range, u32 radius) const {
    return range.size() <= narrow_range ? radius : max_radius;
  }
  COPSE_HD u32 kept_clusters(const LeafRange& range) const {
    return this->is_whole(range) ? 1 : max_kept_clusters;
  }
};

}  // namespace copse::detail

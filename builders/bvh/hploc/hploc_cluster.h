#pragma once

// Clusters of H-PLOC on both backends: which two are closest, where their nodes stand in the tree, and how far the
// clusters of a range of leaves merge. All of it depends on boxes and places alone, so that equal leaves give
// equal trees.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/morton/leaf_hierarchy.h"
#include "builders/geometry/aabb.h"

namespace copse::detail {

/// Maximum clusters in a row while they merge: those of two sibling ranges of leaves.
inline constexpr u32 max_clusters = 32;

/// Maximum clusters that a range hands to its parent.
inline constexpr u32 max_kept_clusters = 16;

/// The farthest neighbour that a cluster compares, in places.
inline constexpr u32 max_radius = HplocOptions::max_radius;

/// A subtree that has no parent yet. A merge of two clusters gives up the higher of their slots, which becomes the
/// number of their pair of nodes. So every slot but the first names one pair, without a counter.
struct alignas(16) Cluster {
  vec3 lo;
  u32 children;  // the slot that its last merge gave up; 0 for a leaf
  vec3 hi;
  u32 slot;  // its first leaf

  COPSE_HD static Cluster leaf(const Aabb& box, u32 slot) { return {box.lo, 0, box.hi, slot}; }
  COPSE_HD Aabb box() const { return {lo, hi}; }
};

static_assert(sizeof(Cluster) == 32);

/// Returns the place of the root of the tree whose leaves are all in `whole`: twice the first slot of the tree,
/// which is 0 unless the tree is in a forest. No merge uses this place, since no merge gives up the first slot.
COPSE_HD inline u32 root_over(const Cluster& whole) {
  return 2 * whole.slot;
}

/// Returns the cluster of two clusters, which are in the order of their slots.
COPSE_HD inline Cluster merge(const Cluster& a, const Cluster& b) {
  const Aabb box = merge(a.box(), b.box());
  return {box.lo, b.slot, box.hi, a.slot};
}

/// How far apart two neighbours are: the half area of the box around both, then the lower place, then the distance
/// in places. Both neighbours see the same key, and all keys differ. So the two clusters with the lowest key
/// choose each other, and every round merges something, for any areas.
///   31      24 23               8 7     3 2        0
///   exponent   leading mantissa   place   offset - 1
/// An area that overflows counts as infinite.
using NeighbourKey = u32;
inline constexpr NeighbourKey no_neighbour = 0xffffffffu;

/// The share of its area that each place of distance adds to a key. Where clusters have about the same size,
/// neighbours along the Morton curve merge better. Without this share, a wide search makes worse trees of hair
/// (SAH cost 262.9, with it 260.1) and of random triangles (377.4 and 369.8). Interiors need a wide search.
inline constexpr float part_per_place = 1.0f / 256;

COPSE_HD inline NeighbourKey neighbour_key(const Aabb& a, const Aabb& b, u32 place, u32 offset) {
  const Aabb box = merge(a, b);
  const float x = sub_rn(box.hi.x, box.lo.x), y = sub_rn(box.hi.y, box.lo.y), z = sub_rn(box.hi.z, box.lo.z);
  const float half_area = add_rn(mul_rn(x, add_rn(y, z)), mul_rn(y, z));
  const float distance = mul_rn(half_area, 1 + part_per_place * float(offset - 1));
  // Infinity times zero is no number, and its bits differ between machines.
  const u32 bits = bits_of(min_number(infinity, distance));
  return (bits << 1 & 0xffffff00u) | place << 3 | (offset - 1);
}

/// Returns the place that a key joins with `place`, or `place` itself if there is no key.
COPSE_HD inline u32 neighbour_of(NeighbourKey key, u32 place) {
  if (key == no_neighbour) return place;
  const u32 lower = key >> 3 & 31, offset = (key & 7) + 1;
  return lower == place ? lower + offset : lower;
}

/// Stores clusters as nodes of the tree.
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

/// In ranges of more leaves than this, clusters search up to max_radius, whatever the radius of the build. Few
/// merges are in such ranges, but they matter most for the quality of the tree. Interiors gain most: SAH cost 42.9
/// to 39.9 at radius 4 (bench: copse bench apartment --builder hploc).
inline constexpr u32 narrow_range = 256;

/// The hierarchy that H-PLOC climbs: the LBVH over the leaves, of which no node is stored. It also says how far
/// the clusters of a range merge.
template <class Leaves>
struct ClusterHierarchy : LeafHierarchy<Leaves> {
  /// false: the ranges without a parent here have one in a larger tree, so their clusters stay as they are.
  static constexpr bool has_roots = !std::is_same_v<Leaves, SliceLeaves>;

  /// A range of at most max_kept_clusters leaves hands them to its parent as single clusters, unless it has no
  /// parent.
  COPSE_HD bool must_merge(const LeafRange& range) const {
    return range.size() > max_kept_clusters || (has_roots && this->is_whole(range));
  }
  COPSE_HD u32 search_radius(const LeafRange& range, u32 radius) const {
    return range.size() <= narrow_range ? radius : max_radius;
  }
  COPSE_HD u32 kept_clusters(const LeafRange& range) const {
    return has_roots && this->is_whole(range) ? 1 : max_kept_clusters;
  }
};

}  // namespace copse::detail

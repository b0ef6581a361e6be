// Linear BVH: primitives in Morton order, the tree of their keys' common prefixes over them.
//
// Source: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012, for
// the tree; Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC 2014, for topology and boxes in
// one pass from the leaves. Where we differ: nodes stand by the place of their split, so that nothing is
// allocated and every build gives the same bytes; and subtrees that become one leaf are found before the
// tree is built, so that no node is made in vain.

#include "builders/bvh/lbvh_body.h"
#include "builders/bvh/lbvh_leaves.h"
#include "builders/geometry/morton.h"
#include "builders/geometry/primitive_boxes.h"
#include "primitives/core/atomic.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// The box around the centroids of valid primitives, and how many they are.
struct CentroidBounds {
  Aabb box;
  u32 valid_count;
};

template <class Boxes>
struct CentroidOf {
  Boxes boxes;
  COPSE_HD CentroidBounds operator()(u64 i) const {
    const Aabb box = boxes(u32(i));
    if (is_empty(box)) return {box, 0};
    const vec3 c = clean_point(centroid(box));
    return {{c, c}, 1};
  }
};

struct MergeCentroidBounds {
  COPSE_HD CentroidBounds operator()(const CentroidBounds& a, const CentroidBounds& b) const {
    return {merge(a.box, b.box), a.valid_count + b.valid_count};
  }
};

template <class Key, class Boxes>
struct MortonKeys {
  Boxes boxes;
  const CentroidBounds* bounds;
  Key* keys;
  COPSE_HD void operator()(u64 i) const {
    const Aabb box = boxes(u32(i));
    keys[i] = is_empty(box) ? MortonKey<Key>::invalid : morton_key<Key>(clean_point(centroid(box)), bounds->box);
  }
};

/// gaps[i] = how close the primitives in slots i and i + 1 are.
template <class Key>
struct GapPrefixes {
  const Key* keys;
  const CentroidBounds* bounds;
  u8* gaps;
  COPSE_HD void operator()(u64 i) const {
    if (i + 1 < bounds->valid_count) gaps[i] = u8(common_prefix(keys[i], keys[i + 1], u32(i)));
  }
};

/// Writes the counts and, for a tree without primitives, its empty root.
struct WriteCounts {
  const CentroidBounds* bounds;
  const u32* leaf_count;  // null: a leaf for each primitive
  u32 source_count;
  BvhArrays bvh;
  COPSE_HD void operator()(u64) const {
    const u32 valid = bounds->valid_count;
    const u32 leaves = leaf_count != nullptr ? *leaf_count : valid;
    *bvh.counts = {leaves == 0 ? 0 : 2 * leaves - 1, leaves, valid, source_count - valid};
    if (leaves == 0) bvh.nodes[0] = BvhNode::inner(Aabb::empty(), 0);
  }
};

/// From leaf i towards the root. A node's parent splits at whichever end of its range has the closer
/// neighbour; of two children the one that arrives second goes on with the parent.
template <class Boxes, class Leaves>
struct BuildUpwards {
  Boxes boxes;
  Leaves leaves;
  const u8* gaps;
  u32* arrivals;  // [split]: the far end of the child that came first
  BvhArrays bvh;

  COPSE_HD BvhNode make_leaf(u32 leaf) const {
    const u32 first = leaves.first(leaf), count = leaves.first(leaf + 1) - first;
    Aabb box = boxes(bvh.primitive_ids[first]);
    for (u32 k = 1; k < count; ++k) box = merge(box, boxes(bvh.primitive_ids[first + k]));
    return BvhNode::leaf(box, first, count);
  }

  /// How close leaf `leaf` and the next one are.
  COPSE_HD u8 gap_after(u32 leaf) const { return gaps[leaves.first(leaf + 1) - 1]; }

  COPSE_HD void operator()(u64 i) const {
    const u32 leaf_count = bvh.counts->leaf_count;
    if (i >= leaf_count) return;
    BvhNode node = make_leaf(u32(i));
    u32 left = u32(i), right = u32(i);  // the leaves under the node
    u32 children = invalid_id;          // the node's split, for an inner node
    while (left > 0 || right + 1 < leaf_count) {
      const bool is_right_child = left > 0 && (right + 1 == leaf_count || gap_after(left - 1) > gap_after(right));
      const u32 split = is_right_child ? left - 1 : right;
      place(node, 2 * split + 1 + u32(is_right_child), children);
      const u32 other_end = exchange_acq_rel(&arrivals[split], is_right_child ? right : left);
      if (other_end == invalid_id) return;
      if (is_right_child) {
        left = other_end;
      } else {
        right = other_end;
      }
      const BvhNode sibling_node = bvh.nodes[2 * split + 2 - u32(is_right_child)];
      node = BvhNode::inner(merge(node.box(), sibling_node.box()), 2 * split + 1);
      children = split;
    }
    place(node, 0, children);
  }

  COPSE_HD void place(const BvhNode& node, u32 slot, u32 children) const {
    bvh.nodes[slot] = node;
    if (children != invalid_id) bvh.parents[children] = slot;
  }
};

/// Fits the tree over the sorted leaves.
template <class Executor, class Boxes, class Leaves>
void build_upwards(const Executor& ex, const Boxes& boxes, const Leaves& leaves, const u8* gaps, u64 n,
                   const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  u32* arrivals = frame.allocate<u32>(n);
  fill_bytes(ex, "lbvh: clear arrivals", arrivals, n, 0xff);
  for_each(ex, "lbvh: topology and boxes", n, BuildUpwards<Boxes, Leaves>{boxes, leaves, gaps, arrivals, bvh});
}

template <class Key>
constexpr BitRange sorted_bits{0, MortonKey<Key>::bits + 1};

template <class Key, class Executor, class Boxes>
void lbvh(const Executor& ex, const Boxes& boxes, u64 n, u32 max_leaf_size, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  auto* bounds = frame.allocate<CentroidBounds>(1);
  u8* gaps = frame.allocate<u8>(n);

  // Bound the centroids.
  reduce(ex, "lbvh: centroid bounds", n, CentroidOf<Boxes>{boxes}, CentroidBounds{Aabb::empty(), 0},
         MergeCentroidBounds{}, bounds);

  // Sort the primitives along the Morton curve; invalid ones go to the end.
  {
    ScratchArena::Frame sort_frame(ex.scratch);
    Key* keys = sort_frame.allocate<Key>(n);
    Key* sorted_keys = sort_frame.allocate<Key>(n);
    for_each(ex, "lbvh: Morton keys", n, MortonKeys<Key, Boxes>{boxes, bounds, keys});
    radix_sort_pairs(ex, "lbvh: sort", n, Elements<Key>{keys}, Index{}, sorted_keys, bvh.primitive_ids,
                     sorted_bits<Key>);
    for_each(ex, "lbvh: gaps", n, GapPrefixes<Key>{sorted_keys, bounds, gaps});
  }

  // Build the tree over primitives, or over groups of them.
  if (max_leaf_size == 1) {
    for_each(ex, "lbvh: counts", 1, WriteCounts{bounds, nullptr, u32(n), bvh});
    build_upwards(ex, boxes, SingleLeaves{}, gaps, n, bvh);
  } else {
    const LeafGroups groups = group_leaves(ex, frame, gaps, &bounds->valid_count, n, max_leaf_size);
    for_each(ex, "lbvh: counts", 1, WriteCounts{bounds, groups.count, u32(n), bvh});
    build_upwards(ex, boxes, GroupedLeaves{groups.first}, gaps, n, bvh);
  }
}

template <class Executor, class Boxes>
void lbvh(const Executor& ex, const Boxes& boxes, u64 n, const LbvhOptions& options, const BvhArrays& bvh) {
  if (options.morton_bits == 30) {
    lbvh<u32>(ex, boxes, n, options.max_leaf_size, bvh);
  } else {
    lbvh<u64>(ex, boxes, n, options.max_leaf_size, bvh);
  }
}

template <class Executor>
void lbvh_over_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n,
                         const LbvhOptions& options, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  lbvh(ex, TriangleBoxes{make_triangle_table(ex, frame, views)}, n, options, bvh);
}

template <class Executor>
void lbvh_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const LbvhOptions& options,
                     const BvhArrays& bvh) {
  lbvh(ex, CustomBoxes{boxes}, n, options, bvh);
}

template <class Key, class Executor>
u64 lbvh_scratch_bytes(const Executor& ex, u64 n, u32 max_leaf_size) {
  const u64 reduce_bytes = reduce_scratch_bytes<CentroidBounds>(ex, n);
  const u64 sort_bytes =
      2 * ScratchArena::bytes_for<Key>(n) + radix_sort_pairs_scratch_bytes<Key, u32>(ex, n, sorted_bits<Key>);
  const u64 tree_bytes =
      ScratchArena::bytes_for<u32>(n) + (max_leaf_size > 1 ? leaf_groups_scratch_bytes(ex, n) : 0);
  return ScratchArena::bytes_for<CentroidBounds>(1) + ScratchArena::bytes_for<u8>(n) +
         larger(reduce_bytes, larger(sort_bytes, tree_bytes));
}

template <class Executor>
u64 lbvh_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const LbvhOptions& options) {
  return triangle_table_scratch_bytes(view_count) + (options.morton_bits == 30
                                                         ? lbvh_scratch_bytes<u32>(ex, n, options.max_leaf_size)
                                                         : lbvh_scratch_bytes<u64>(ex, n, options.max_leaf_size));
}

template void lbvh_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const LbvhOptions&,
                                  const BvhArrays&);
template void lbvh_over_boxes(const BodyExecutor&, const Aabb*, u64, const LbvhOptions&, const BvhArrays&);
template u64 lbvh_scratch_bytes(const BodyExecutor&, u64, u64, const LbvhOptions&);

}  // namespace copse::detail

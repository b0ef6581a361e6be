// Linear BVH: primitives in Morton order, the tree of their keys' common prefixes over them.
//
// Source: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012, for
// the tree; Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC 2014, for topology and boxes in
// one pass from the leaves. Where we differ: nodes stand by the place of their split, so that nothing is
// allocated and every build gives the same bytes; and subtrees that become one leaf are found before the
// tree is built, so that no node is made in vain.

#include "builders/bvh/lbvh_body.h"
#include "builders/bvh/lbvh_leaves.h"
#include "builders/bvh/morton_order.h"
#include "builders/geometry/primitive_boxes.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

/// From leaf i towards the root. A node's parent splits at whichever end of its range has the closer
/// neighbour; of two children the one that arrives second goes on with the parent.
template <class Boxes, class Leaves>
struct BuildUpwards {
  Boxes boxes;
  Leaves leaves;
  const u8* gaps;
  u32* meetings;  // [split]: the far end of the child that came first
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
      const u32 other_end = meet(&meetings[split], is_right_child ? right : left);
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
  with_zeroed_words(ex, "lbvh: clear meetings", n, [&](u32* meetings) {
    for_each(ex, "lbvh: topology and boxes", n, BuildUpwards<Boxes, Leaves>{boxes, leaves, gaps, meetings, bvh});
  });
}

template <class Executor, class Boxes>
void lbvh(const Executor& ex, const Boxes& boxes, u64 n, const LbvhOptions& options, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  const MortonOrder order = sort_along_curve(ex, frame, boxes, n, options.morton_bits, bvh.primitive_ids);
  with_leaves(ex, order, n, options.max_leaf_size, bvh,
              [&](const auto& leaves) { build_upwards(ex, boxes, leaves, order.gaps, n, bvh); });
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

template <class Executor>
u64 lbvh_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const LbvhOptions& options) {
  const MortonOrderScratch order = morton_order_scratch(ex, n, options.morton_bits);
  const u64 tree_bytes =
      zeroed_words_scratch_bytes(ex, n) + (options.max_leaf_size > 1 ? leaf_groups_scratch_bytes(ex, n) : 0);
  return triangle_table_scratch_bytes(view_count) + order.kept_bytes + larger(order.bytes, tree_bytes);
}

template void lbvh_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const LbvhOptions&,
                                  const BvhArrays&);
template void lbvh_over_boxes(const BodyExecutor&, const Aabb*, u64, const LbvhOptions&, const BvhArrays&);
template u64 lbvh_scratch_bytes(const BodyExecutor&, u64, u64, const LbvhOptions&);

}  // namespace copse::detail

// Wide trees from binary ones: choose from the leaves up what becomes of each node (wide_slots.h), count the
// children of those that become wide ones, give nodes and primitives their places by a prefix sum, write them.
//
// So no node is handed out by a counter, and siblings are neighbours: the children of the wide nodes stand in the
// order of the splits at which these divide their primitives.

#include "builders/bvh/wide_encode.h"
#include "builders/bvh/wide_walk.h"
#include "builders/bvh/widen_body.h"
#include "primitives/bottom_up.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// What a wide node takes of the arrays: inner children, and primitives of its leaves. As one u16 where each node
/// has its own, as one u64 for their sums.
struct WideParts {
  u32 nodes;
  u32 primitives;

  COPSE_HD u16 packed() const { return u16(nodes | primitives << 4); }
  COPSE_HD static WideParts unpack(u16 parts) { return {parts & 15u, u32(parts) >> 4}; }
  COPSE_HD u64 sum() const { return u64(primitives) << 32 | nodes; }
  COPSE_HD static WideParts of_sum(u64 sum) { return {u32(sum), u32(sum >> 32)}; }
};

struct SumPrimitives {
  const BvhNode* nodes;
  u32* sum;
  COPSE_HD bool operator()(u32 node) const {
    *sum += nodes[node].count;
    return true;
  }
};

/// parts[pair] = what the wide node whose children the pair's are takes; 0 where it became none.
template <u32 width>
struct CountParts {
  CollapsedTree<width> tree;
  const BvhCounts* counts;
  u16* parts;

  COPSE_HD void operator()(u64 i) const {
    const u32 pair = u32(i);
    const bool is_wide = counts->node_count / 2 > pair && tree.is_wide(pair);
    parts[pair] = is_wide ? count(pair).packed() : u16(0);
  }

  COPSE_HD WideParts count(u32 pair) const {
    WideParts sum{0, 0};
    for (u32 slot = 0; slot < width;) {
      const auto child = tree.child_at(pair, slot);
      if (child.is_leaf) {
        walk_down(BinaryTree{tree.nodes, tree.parents}, child.node, SumPrimitives{tree.nodes, &sum.primitives});
      } else {
        ++sum.nodes;
      }
      slot = child.end;
    }
    return sum;
  }
};

struct PartsToSum {
  const u16* parts;
  COPSE_HD u64 operator()(u64 i) const { return WideParts::unpack(parts[i]).sum(); }
};

/// pairs[node] = the pair that the wide node has as children.
template <u32 width>
struct PlaceNodes {
  CollapsedTree<width> tree;
  const u16* parts;
  const u64* places;  // [pair]: its first inner child and leaf primitive
  u32* pairs;

  COPSE_HD void operator()(u64 i) const {
    const u32 pair = u32(i);
    if (parts[pair] == 0) return;
    if (tree.parents[pair] == 0) pairs[0] = pair;
    u32 place = WideParts::of_sum(places[pair]).nodes;
    for (u32 slot = 0; slot < width;) {
      const auto child = tree.child_at(pair, slot);
      if (!child.is_leaf) pairs[place++] = sibling_pair(tree.nodes[child.node].first);
      slot = child.end;
    }
  }
};

struct CopyLeafPrimitives {
  const BvhNode* nodes;
  const u32* from;
  u32* to;
  u32* place;
  COPSE_HD bool operator()(u32 node) const {
    for (u32 k = 0; k < nodes[node].count; ++k) to[(*place)++] = from[nodes[node].first + k];
    return true;
  }
};

/// Writes a wide node, its leaves' primitives and its children's parent links; the first one also the counts.
template <class Node>
struct WriteWideNode {
  static constexpr u32 width = Node::width;

  CollapsedTree<width> tree;
  const u32* primitive_ids;
  const BvhCounts* counts;
  const u64* places;
  const u64* total;
  const u32* pairs;
  WideArrays<Node> wide;

  COPSE_HD void operator()(u64 i) const {
    const u32 node = u32(i);
    if (node == 0) write_counts();
    if (counts->leaf_count < 2) {
      if (node == 0) wide.nodes[0] = encode<Node>(lone_leaf());
      return;
    }
    if (node < WideParts::of_sum(*total).nodes) wide.nodes[node] = encode<Node>(children_of(node));
  }

  COPSE_HD void write_counts() const {
    const u32 node_count = counts->leaf_count == 0 ? 0 : WideParts::of_sum(*total).nodes;
    *wide.counts = {node_count, counts->primitive_count, counts->invalid_count};
    wide.parents[0] = invalid_id;
  }

  COPSE_HD WideChildren<width> children_of(u32 node) const {
    const u32 pair = pairs[node];
    const WideParts place = WideParts::of_sum(places[pair]);
    WideChildren<width> children;
    children.first_child = place.nodes;
    children.first_primitive = place.primitives;
    u32 next_node = place.nodes, next_primitive = place.primitives, slot = 0;
#pragma unroll
    for (u32 k = 0; k < width; ++k) {
      children.child[k] = WideChild::nothing();
      children.box[k] = Aabb::empty();
      if (slot == width) continue;
      const auto child = tree.child_at(pair, slot);
      slot = child.end;
      children.box[k] = tree.nodes[child.node].box();
      if (child.is_leaf) {
        children.child[k].first = next_primitive;
        copy_primitives(child.node, next_primitive);
        children.child[k].count = next_primitive - children.child[k].first;
      } else {
        wide.parents[next_node] = node;
        children.child[k] = {next_node++, 0};
      }
    }
    return children;
  }

  /// The root of a tree of one leaf, or of none.
  COPSE_HD WideChildren<width> lone_leaf() const {
    WideChildren<width> children;
#pragma unroll
    for (u32 k = 0; k < width; ++k) {
      children.child[k] = WideChild::nothing();
      children.box[k] = Aabb::empty();
    }
    children.first_child = 0;
    children.first_primitive = 0;
    if (counts->leaf_count == 0) return children;
    u32 count = 0;
    copy_primitives(0, count);
    children.child[0] = {0, count};
    children.box[0] = tree.nodes[0].box();
    return children;
  }

  COPSE_HD void copy_primitives(u32 node, u32& place) const {
    walk_down(BinaryTree{tree.nodes, tree.parents}, node,
              CopyLeafPrimitives{tree.nodes, primitive_ids, wide.primitive_ids, &place});
  }
};

/// The ids that no leaf has stay behind the others.
struct CopyLeftOut {
  const u32* from;
  const BvhCounts* counts;
  u32* to;
  COPSE_HD void operator()(u64 i) const {
    if (i >= counts->primitive_count) to[i] = from[i];
  }
};

template <class Executor, u32 width>
void choose_all(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs, SlotChoice* choices) {
  ScratchArena::Frame frame(ex.scratch);
  auto* slot_costs = frame.allocate<SlotCosts<width>>(pair_capacity(n));
  bottom_up(ex, "widen: choose", node_capacity(n), pair_capacity(n), SiblingPairs{bvh.parents.data()},
            IsBinaryLeaf{bvh.nodes.data(), bvh.counts.data()},
            ChooseSlots<width>{bvh.nodes.data(), costs, slot_costs, choices});
}

template <class Executor, class Node>
void widen_tree(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                const WideArrays<Node>& wide) {
  constexpr u32 width = Node::width;
  const u64 pair_count = pair_capacity(n);
  ScratchArena::Frame frame(ex.scratch);

  // Choose what becomes of the nodes.
  auto* choices = frame.allocate<SlotChoice>(pair_count);
  choose_all<Executor, width>(ex, bvh, n, costs, choices);
  const CollapsedTree<width> tree{bvh.nodes.data(), bvh.parents.data(), choices};

  // Place the children of each wide node; the root has the first place.
  u16* parts = frame.allocate<u16>(pair_count);
  u64* places = frame.allocate<u64>(pair_count);
  u64* total = frame.allocate<u64>(1);
  u32* pairs = frame.allocate<u32>(wide_node_capacity(n));
  for_each(ex, "widen: count", pair_count, CountParts<width>{tree, bvh.counts.data(), parts});
  exclusive_scan(ex, "widen: places", pair_count, PartsToSum{parts}, WideParts{1, 0}.sum(), Plus{}, places, total);
  for_each(ex, "widen: place nodes", pair_count, PlaceNodes<width>{tree, parts, places, pairs});

  // Write them.
  for_each(ex, "widen: write nodes", wide_node_capacity(n),
           WriteWideNode<Node>{tree, bvh.primitive_ids.data(), bvh.counts.data(), places, total, pairs, wide});
  for_each(ex, "widen: left out", n, CopyLeftOut{bvh.primitive_ids.data(), bvh.counts.data(), wide.primitive_ids});
}

template <class Node, class Executor>
u64 widen_scratch_bytes(const Executor& ex, u64 n) {
  const u64 pair_count = pair_capacity(n);
  const u64 choosing =
      ScratchArena::bytes_for<SlotCosts<Node::width>>(pair_count) + bottom_up_scratch_bytes(ex, pair_count);
  const u64 placing = ScratchArena::bytes_for<u16>(pair_count) + ScratchArena::bytes_for<u64>(pair_count) +
                      ScratchArena::bytes_for<u64>(1) + ScratchArena::bytes_for<u32>(wide_node_capacity(n)) +
                      scan_scratch_bytes<u64>(ex, pair_count);
  return ScratchArena::bytes_for<SlotChoice>(pair_count) + larger(choosing, placing);
}

template <class Executor>
void copy_words(const Executor& ex, const u32* from, u64 count, u32* to) {
  for_each(ex, "compact copy", count, CopyElements<u32>{from, to});
}

#define COPSE_WIDEN(Node)                                                                  \
  template void widen_tree(const BodyExecutor&, const BvhView&, u64, const CollapseCosts&, \
                           const WideArrays<Node>&);                                       \
  template u64 widen_scratch_bytes<Node>(const BodyExecutor&, u64);
COPSE_WIDEN(Bvh4Node)
COPSE_WIDEN(CompressedBvh4Node)
COPSE_WIDEN(CompressedBvh8Node)
#undef COPSE_WIDEN

template void copy_words(const BodyExecutor&, const u32*, u64, u32*);

}  // namespace copse::detail

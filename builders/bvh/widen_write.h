#pragma once

// Writes wide nodes at their places, a slot at a time.

#include "builders/bvh/wide_arrays.h"
#include "builders/bvh/wide_record.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

/// The leaves of the binary tree by their slots of primitives.
struct LeafSlots {
  PairArrays pairs;
  const u32* primitive_ids;

  /// Copies the primitives of one leaf. Returns the place behind them.
  COPSE_HD u32 copy_one(u32 pair, u32 side, u32* to, u32 place) const {
    const u32 first = pairs.link(pair).first_slot(side), count = pairs.counts_of(pair).of(side);
    for (u32 k = 0; k < count; ++k) to[place++] = primitive_ids[first + k];
    return place;
  }
};

struct CopyLeafSlots {
  LeafSlots leaves;
  u32* to;
  u32* place;
  COPSE_HD bool operator()(u32 node) const {
    const u32 pair = sibling_pair(node), side = LinkedTree::side(node);
    if (leaves.pairs.link(pair).is_leaf(side)) *place = leaves.copy_one(pair, side, to, *place);
    return true;
  }
};

/// Copies the `count` primitives below a node to a place of the wide tree, from the left to the right.
///   id, node: its place in the binary tree, and what stands there
COPSE_HD inline void copy_primitives(const LeafSlots& leaves, u32 id, const BvhNode& node, u32 count, u32* to,
                                     u32 place) {
  constexpr u32 most_without_walk = 3;  // of these, no leaf is deeper than two below the node
  if (node.is_leaf()) {
    for (u32 k = 0; k < node.count; ++k) to[place + k] = leaves.primitive_ids[node.first + k];
  } else if (count <= most_without_walk) {
    const u32 pair = sibling_pair(node.first);
    const PairLinks below = leaves.pairs.link(pair);
    for (u32 side = 0; side < 2; ++side) {
      if (below.is_leaf(side)) {
        place = leaves.copy_one(pair, side, to, place);
      } else {
        place = leaves.copy_one(below.pair(side), 1, to, leaves.copy_one(below.pair(side), 0, to, place));
      }
    }
  } else {
    walk_down(LinkedTree{leaves.pairs.links, leaves.pairs.parents}, id, CopyLeafSlots{leaves, to, &place});
  }
}

/// Writes a slot of a wide node, with its leaf's primitives or its child's parent link; the first slot also what
/// all share.
template <class Node>
struct WriteSlot {
  static constexpr u32 width = Node::width;
  using Kinds = SlotKinds<width>;

  const BvhNode* nodes;
  LeafSlots leaves;
  WideArrays<Node> wide;

  /// first_parts: where the record's parts begin
  /// out:         where the node is made that stands at `place`
  COPSE_HD void operator()(const WideRecord<width>& record, u64 first_parts, u32 place, u32 slot,
                           Node& out) const {
    const Kinds kinds = record.kinds;
    const WidePlace parts = place_of_parts(first_parts);
    const WidePlace own = place_of_parts(first_parts + kinds.parts_before(slot));
    const NodeGrid grid(load_whole(nodes + record.node).box());
    const u32 kind = record.kinds.of[slot];

    WideChild child = WideChild::nothing();
    Aabb box = Aabb::empty();
    if (kind != Kinds::nothing) {
      const u32 below = record.children[slot];
      const BvhNode node = load_whole(nodes + below);
      box = node.box();
      child = {own.node, 0};
      if (kind == Kinds::inner) {
        wide.parents[own.node] = place;
      } else {
        child = {own.primitive, kind};
        copy_primitives(leaves, below, node, kind, wide.primitive_ids, own.primitive);
      }
    }
    encode_child(out, kinds.slot_in_node(slot), parts, child);
    encode_box(out, kinds.slot_in_node(slot), grid, box);
    if (slot > 0) return;
    encode_parts(out, parts, kinds.inner_mask());
    encode_grid(out, grid);
  }
};

/// Writes the counts, the root of a tree of one leaf or none, as every other leaf has a wide node above it, and
/// the ids that no leaf has, which stay behind the others.
template <class Node>
struct WriteCounts {
  const BvhNode* nodes;
  const u32* primitive_ids;
  const BvhCounts* counts;
  const u64* parts;
  u64 source_count;
  u64 threads;
  WideArrays<Node> wide;

  COPSE_HD void operator()(u64 i) const {
    if (i == 0) write_counts();
    for (i += counts->primitive_count; i < source_count; i += threads) wide.primitive_ids[i] = primitive_ids[i];
  }

 private:
  COPSE_HD void write_counts() const {
    const u32 leaf_count = counts->leaf_count;
    wide.counts->node_count = leaf_count < 2 ? leaf_count : place_of_parts(*parts).node;
    wide.counts->primitive_count = counts->primitive_count;
    wide.counts->invalid_count = counts->invalid_count;
    wide.parents[0] = invalid_id;
    if (leaf_count < 2) write_lone_root(leaf_count);
  }
  COPSE_HD void write_lone_root(u32 leaf_count) const {
    Aabb boxes[Node::width];
    for (Aabb& box : boxes) box = Aabb::empty();
    Node& root = wide.nodes[0];
    for (u32 slot = 0; slot < Node::width; ++slot) encode_child(root, slot, {0, 0}, WideChild::nothing());
    if (leaf_count == 1) {
      const BvhNode leaf = nodes[0];
      boxes[0] = leaf.box();
      encode_child(root, 0, {0, 0}, {0, leaf.count});
      for (u32 k = 0; k < leaf.count; ++k) wide.primitive_ids[k] = primitive_ids[leaf.first + k];
    }
    encode_parts(root, {0, 0}, 0);
    encode_boxes(root, boxes);
  }
};

}  // namespace copse::detail

#pragma once

// Writes wide nodes to their places, one slot at a time.

#include "builders/bvh/wide/wide_record.h"
#include "builders/bvh/wide/wide_tree.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

/// The leaves of the binary tree, by their slots of primitives.
template <u32 width>
struct LeafSlots {
  PairArrays<width> pairs;
  const u32* primitive_ids;

  /// Copies the primitives of one leaf. Returns the place after them.
  COPSE_HD u32 copy_one(u32 pair, u32 side, u32* to, u32 place) const {
    const u32 first = pairs.link(pair).first_slot(side), count = pairs.choice(pair).count(side);
    for (u32 k = 0; k < count; ++k) to[place++] = primitive_ids[first + k];
    return place;
  }
};

template <u32 width>
struct CopyLeafSlots {
  LeafSlots<width> leaves;
  u32* to;
  u32* place;
  COPSE_HD bool operator()(u32 node) const {
    const u32 pair = sibling_pair(node), side = LinkedTree::side(node);
    if (leaves.pairs.link(pair).is_leaf(side)) *place = leaves.copy_one(pair, side, to, *place);
    return true;
  }
};

/// The slots of up to three primitives; the rest is undefined.
struct FewSlots {
  static constexpr u32 max_count = 3;
  u32 first, second, third;

  /// Returns the slots of a leaf.
  COPSE_HD static FewSlots from(u32 slot) { return {slot, slot + 1, slot + 2}; }

  /// Returns the slots of the 2 or 3 primitives below a pair, from left to right. One node of such a pair is a
  /// leaf of one primitive; the other one is a leaf of one or two, or the parent of two such leaves.
  template <u32 width>
  COPSE_HD static FewSlots of_pair(const PairArrays<width>& pairs, u32 pair, u32 count) {
    const PairLinks links = pairs.link(pair);
    const u32 left = links.first_slot(0), right = links.first_slot(1);
    if (count == 2) return {left, right, 0};
    if (!links.is_leaf(0)) {
      const PairLinks below = pairs.link(links.pair(0));
      return {below.first_slot(0), below.first_slot(1), right};
    }
    if (!links.is_leaf(1)) {
      const PairLinks below = pairs.link(links.pair(1));
      return {left, below.first_slot(0), below.first_slot(1)};
    }
    return pairs.choice(pair).count(0) == 2 ? FewSlots{left, left + 1, right} : FewSlots{left, right, right + 1};
  }

  /// Copies the content of the slots; all loads come before the stores.
  COPSE_HD void copy(const u32* from, u32 count, u32* to) const {
    const u32 a = from[first], b = count > 1 ? from[second] : 0, c = count > 2 ? from[third] : 0;
    to[0] = a;
    if (count > 1) to[1] = b;
    if (count > 2) to[2] = c;
  }
};

/// Copies the `count` primitives below a node to a place of the wide tree, from left to right.
///   id, node: the node of the binary tree: its number and its content
template <u32 width>
COPSE_HD void copy_primitives(const LeafSlots<width>& leaves, u32 id, const BvhNode& node, u32 count, u32* to,
                              u32 place) {
  if (count <= FewSlots::max_count) {
    const FewSlots slots = node.is_leaf() ? FewSlots::from(node.first)
                                          : FewSlots::of_pair(leaves.pairs, sibling_pair(node.first), count);
    slots.copy(leaves.primitive_ids, count, to + place);
  } else if (node.is_leaf()) {
    for (u32 k = 0; k < node.count; ++k) to[place + k] = leaves.primitive_ids[node.first + k];
  } else {
    walk_down(LinkedTree{leaves.pairs.links, leaves.pairs.parents}, id, CopyLeafSlots<width>{leaves, to, &place});
  }
}

/// Writes a slot of a wide node, and the primitives of its leaf or the parent link of its child. The first slot
/// also writes the fields that all slots share.
template <class Node>
struct WriteSlot {
  static constexpr u32 width = Node::width;
  using Kinds = SlotKinds<width>;

  const BvhNode* nodes;
  LeafSlots<width> leaves;
  WideArrays<Node> wide;

  ///   first_parts: where the children of the record begin
  ///   node:        node record.child(slot) of the binary tree, if there is one
  ///   out:         memory for the node that belongs at `place`
  COPSE_HD void operator()(const WideRecord<width>& record, u64 first_parts, u32 place, u32 slot,
                           const BvhNode& node, Node& out) const {
    const Kinds kinds = record.head.kinds;
    const WidePlace parts = place_of_parts(first_parts);
    const WidePlace own = place_of_parts(first_parts + kinds.parts_before(slot));
    const NodeGrid grid(load_whole(nodes + record.head.node).box());
    const u32 kind = kinds.at(slot);

    const bool is_there = kind != Kinds::nothing, is_inner = kind == Kinds::inner;
    const WideChild child = is_inner   ? WideChild{own.node, 0}
                            : is_there ? WideChild{own.primitive, kind}
                                       : WideChild::nothing();
    encode_child(out, kinds.slot_in_node(slot), parts, child);
    encode_box(out, kinds.slot_in_node(slot), grid, is_there ? node.box() : Aabb::empty());
    if (slot == 0) {
      encode_parts(out, parts, kinds.inner_mask());
      encode_grid(out, grid);
    }
    if (is_inner) wide.parents[own.node] = place;
    if (child.is_leaf()) {
      copy_primitives(leaves, record.child(slot), node, kind, wide.primitive_ids, own.primitive);
    }
  }
};

/// Writes the counts; the root of a tree of one leaf or none, since all other leaves have a wide node above them;
/// and the ids that are in no leaf, after the others.
template <class Node>
struct WriteCounts {
  const BvhNode* nodes;
  const u32* primitive_ids;
  const BvhCounts* counts;
  const u64* parts;
  u64 source_count;
  WideArrays<Node> wide;

  ///   i: one of `threads`, which share the work
  COPSE_HD void operator()(u64 i, u64 threads) const {
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

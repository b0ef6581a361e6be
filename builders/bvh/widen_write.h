#pragma once

// Gives listed wide nodes their places, and writes them there.

#include "builders/bvh/wide_arrays.h"
#include "builders/bvh/widen_list.h"

namespace copse::detail {

/// places[pair] = where the wide node stands that has the pair as children.
template <u32 width>
struct PlaceNode {
  const BvhNode* nodes;
  const u32* parents;
  WideList<width> list;
  const u64* first_parts;  // a wide node's first inner child and leaf primitive
  u32* places;

  COPSE_HD void operator()(u64 i) const {
    const u64 node = i / width;
    const u32 slot = u32(i % width);
    if (slot == 0 && parents[list.pairs[node]] == 0) places[list.pairs[node]] = 0;
    const SlotKinds<width> kinds = list.kinds[node];
    if (kinds.of[slot] != SlotKinds<width>::inner) return;
    places[sibling_pair(nodes[list.children[i]].first)] =
        place_of_parts(first_parts[node] + kinds.parts_before(slot)).node;
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

/// Copies the primitives below a node of the binary tree to a place of the wide one. Returns how many.
COPSE_HD inline u32 copy_leaf(const BinaryTree& tree, u32 node, const u32* from, u32* to, u32 place) {
  const u32 first = place;
  walk_down(tree, node, CopyLeafPrimitives{tree.nodes, from, to, &place});
  return place - first;
}

/// Writes a slot of a wide node: its leaf's primitives, or its child's parent link; the first slot what all share.
template <class Node>
struct WriteSlot {
  static constexpr u32 width = Node::width;

  BinaryTree tree;
  const u32* primitive_ids;
  WideList<width> list;
  const u64* first_parts;
  const u32* places;
  WideArrays<Node> wide;

  COPSE_HD void operator()(u64 i) const {
    const u64 listed = i / width;
    const u32 slot = u32(i % width), pair = list.pairs[listed], node = places[pair];
    const SlotKinds<width> kinds = list.kinds[listed];
    const WidePlace parts = place_of_parts(first_parts[listed]);
    const WidePlace own = place_of_parts(first_parts[listed] + kinds.parts_before(slot));
    const NodeGrid grid(tree.nodes[tree.parents[pair]].box());

    WideChild child = WideChild::nothing();
    Aabb box = Aabb::empty();
    if (kinds.of[slot] != SlotKinds<width>::nothing) {
      const u32 below = list.children[i];
      box = tree.nodes[below].box();
      child = {own.node, 0};
      if (kinds.of[slot] == SlotKinds<width>::inner) {
        wide.parents[own.node] = node;
      } else {
        child = {own.primitive, copy_leaf(tree, below, primitive_ids, wide.primitive_ids, own.primitive)};
      }
    }
    Node& out = wide.nodes[node];
    encode_child(out, kinds.slot_in_node(slot), parts, child);
    encode_box(out, kinds.slot_in_node(slot), grid, box);
    if (slot > 0) return;
    encode_parts(out, parts, kinds.inner_mask());
    encode_grid(out, grid);
  }
};

/// Writes the counts, and the root of a tree of one leaf or none: every other leaf has a wide node above it.
template <class Node>
struct WriteCountsAndLoneLeaf {
  BinaryTree tree;
  const u32* primitive_ids;
  const BvhCounts* counts;
  const u64* wide_count;
  WideArrays<Node> wide;

  COPSE_HD void operator()(u64) const {
    const u32 leaf_count = counts->leaf_count;
    wide.counts->node_count = leaf_count < 2 ? leaf_count : u32(*wide_count);
    wide.counts->primitive_count = counts->primitive_count;
    wide.counts->invalid_count = counts->invalid_count;
    wide.parents[0] = invalid_id;
    if (leaf_count > 1) return;
    Aabb boxes[Node::width];
    for (Aabb& box : boxes) box = Aabb::empty();
    Node& root = wide.nodes[0];
    for (u32 slot = 0; slot < Node::width; ++slot) encode_child(root, slot, {0, 0}, WideChild::nothing());
    if (leaf_count == 1) {
      boxes[0] = tree.nodes[0].box();
      encode_child(root, 0, {0, 0}, {0, copy_leaf(tree, 0, primitive_ids, wide.primitive_ids, 0)});
    }
    encode_parts(root, {0, 0}, 0);
    encode_boxes(root, boxes);
  }
};

/// The ids that no leaf has stay behind the others.
struct CopyLeftOut {
  const u32* from;
  const BvhCounts* counts;
  u64 source_count;
  u64 threads;
  u32* to;
  COPSE_HD void operator()(u64 i) const {
    for (i += counts->primitive_count; i < source_count; i += threads) to[i] = from[i];
  }
};

}  // namespace copse::detail

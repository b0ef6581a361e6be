#pragma once

// For each binary node that becomes a wide node: the kind of the child in each slot, and the places of its inner
// children and primitives.

#include <cstring>

#include "builders/bvh/wide/collapsed_tree.h"
#include "builders/bvh/wide/wide_encode.h"

namespace copse::detail {

/// The kinds of the children in the slots of a wide node: `nothing`, `inner`, or the number of primitives of a
/// leaf.
template <u32 width>
struct alignas(width) SlotKinds {
  static constexpr u8 nothing = 0, inner = 255;

  u8 of[width];

  /// Returns of[slot]. An index that is known only at run time would put the array into local memory.
  COPSE_HD u32 at(u32 slot) const {
    u32 words[width / 4];
    memcpy(words, of, sizeof(of));
    return (slot < 4 ? words[0] : words[width / 4 - 1]) >> 8 * (slot % 4) & 0xffu;
  }

  /// Returns the room that the children take, as one number for sums: nodes in the low half, primitives in the
  /// high half.
  COPSE_HD u64 parts() const { return parts_before(width); }
  COPSE_HD u64 parts_before(u32 end) const {
    u32 nodes = 0, primitives = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      const u32 kind = slot < end ? of[slot] : nothing;
      nodes += kind == inner ? 1 : 0;
      primitives += kind == inner ? 0 : kind;
    }
    return u64(primitives) << 32 | nodes;
  }
  COPSE_HD u32 children_before(u32 end) const {
    u32 count = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) count += slot < end && of[slot] != nothing ? 1 : 0;
    return count;
  }
  /// Returns the final slot of a child: in the node, children stand together in the first slots.
  COPSE_HD u32 slot_in_node(u32 slot) const {
    const u32 before = children_before(slot);
    return of[slot] != nothing ? before : children_before(width) + slot - before;
  }
  COPSE_HD u32 inner_mask() const {
    u32 mask = 0, child = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      mask |= of[slot] == inner ? 1u << child : 0;
      child += of[slot] != nothing ? 1 : 0;
    }
    return mask;
  }
};

COPSE_HD inline WidePlace place_of_parts(u64 parts) {
  return {u32(parts), u32(parts >> 32)};
}

/// The part of a record besides the children of the wide node.
template <u32 width>
struct alignas(16) WideHead {
  u64 first_parts;  // the places of its first inner child and leaf primitive
  SlotKinds<width> kinds;
  u32 node;  // of the binary tree
};

template <u32 width>
struct alignas(16) WideRecord {
  u32 children[width];  // nodes of the binary tree; undefined in empty slots
  WideHead<width> head;

  /// Returns children[slot]; see SlotKinds::at.
  COPSE_HD u32 child(u32 slot) const {
    u32 found = children[0];
#pragma unroll
    for (u32 k = 1; k < width; ++k) found = slot == k ? children[k] : found;
    return found;
  }
};
static_assert(sizeof(WideRecord<4>) == 32 && sizeof(WideRecord<8>) == 64);

/// Returns the pair of the children of an inner node of the binary tree.
template <class Pairs>
COPSE_HD u32 pair_below(const Pairs& pairs, u32 node) {
  return pairs.link(sibling_pair(node)).pair((node & 1) ^ 1);
}

/// Returns the kind of a slot for which child_at() found `child`.
template <u32 width, class Child>
COPSE_HD u8 kind_of(const Child& child, u32 slot) {
  if (child.begin != slot) return SlotKinds<width>::nothing;
  return child.primitive_count > 0 ? u8(child.primitive_count) : SlotKinds<width>::inner;
}

}  // namespace copse::detail

#pragma once

#include "builders/geometry/aabb.h"
#include "primitives/core/span.h"

namespace copse {

/// A node of a binary tree, read in two 16-byte loads.
///   inner: count is 0, the children stand at first and first + 1
///   leaf:  its primitives are primitive_ids[first] to primitive_ids[first + count - 1]
struct alignas(32) BvhNode {
  vec3 lo;
  u32 first;
  vec3 hi;
  u32 count;

  COPSE_HD bool is_leaf() const { return count > 0; }
  COPSE_HD Aabb box() const { return {lo, hi}; }
  COPSE_HD static BvhNode inner(const Aabb& box, u32 children) { return {box.lo, children, box.hi, 0}; }
  COPSE_HD static BvhNode leaf(const Aabb& box, u32 first, u32 count) { return {box.lo, first, box.hi, count}; }
};

static_assert(sizeof(BvhNode) == 32);

/// Where a primitive stands that may be in several leaves, as builders with splits make them (builders/bvh/splits.h).
/// Queries that count or list primitives take each one only at the first of its places that they reach.
struct RepeatedPlace {
  u32 previous;  // the place before this one of the same primitive; invalid_id for its first place
  u32 leaf;      // the leaf of this place; in a wide tree the node that has the leaf as a child
};

/// The counts of a tree, as its last build found them. They live on the device.
struct BvhCounts {
  u32 node_count;  // 0 for a tree without primitives, else 2 * leaf_count - 1
  u32 leaf_count;
  u32 primitive_count;  // in the tree; with splits, the places in its leaves
  u32 invalid_count;    // left out: NaN, infinite or inverted
};

/// A binary tree in the context's memory.
///
/// Order of nodes: the root is node 0. The two children of an inner node are neighbours, and the first of them has
/// an odd number. So p = (node - 1) / 2 is the number of a pair of siblings, and parents[p] is the parent of both.
/// In an LBVH the leaves have an order from left to right. Split s lies between leaf s and leaf s + 1, and pair s
/// holds the children of the inner node that splits there. Builders that merge clusters give pair s to the merge
/// that gives up slot s + 1.
///
/// Capacity: nodes has at least one element; parents and primitive_ids may be empty. Without primitives the root
/// is an empty box that no ray hits.
struct BvhView {
  BufferSpan<const BvhNode> nodes;
  BufferSpan<const u32> parents;           // one for each pair of siblings
  BufferSpan<const u32> primitive_ids;     // first those in the tree, in leaf order
  BufferSpan<const BvhCounts> counts;      // one element
  const RepeatedPlace* repeats = nullptr;  // [place in primitive_ids]; null if each primitive is in one leaf
};

COPSE_HD inline u32 sibling_pair(u32 node) {
  return (node - 1) >> 1;
}
COPSE_HD inline u32 sibling(u32 node) {
  return ((node - 1) ^ 1) + 1;
}

}  // namespace copse

#pragma once

// Nodes of wide trees: their layout in memory, and how a child is read from it.
//
// A node keeps the boxes of its children beside each other, and not its own box. So a visit reads one node where a
// binary tree reads several. All layouts have the same members:
//
//   width              maximum children of a node
//   child(slot)        the child in a slot
//   child_box(slot)    its box: exact in Bvh4Node, rounded outwards in the compressed layouts

#include "builders/bvh/node.h"
#include "builders/geometry/aabb.h"
#include "primitives/core/span.h"

namespace copse {

/// The child in a slot of a wide node.
///   nothing: count is 0 and first is invalid_id
///   inner:   count is 0, first is a node
///   leaf:    its primitives are primitive_ids[first] to primitive_ids[first + count - 1]
struct WideChild {
  u32 first;
  u32 count;

  COPSE_HD bool is_nothing() const { return first == invalid_id; }
  COPSE_HD bool is_leaf() const { return count > 0; }
  COPSE_HD bool is_inner() const { return count == 0 && first != invalid_id; }
  COPSE_HD static WideChild nothing() { return {invalid_id, 0}; }
};

/// Four children with boxes in full precision, coordinate by coordinate. An empty slot has the empty box.
struct alignas(16) Bvh4Node {
  static constexpr u32 width = 4;

  float lo_x[4], lo_y[4], lo_z[4];
  float hi_x[4], hi_y[4], hi_z[4];
  u32 first[4];
  u32 count[4];

  COPSE_HD WideChild child(u32 slot) const { return {first[slot], count[slot]}; }
  COPSE_HD Aabb child_box(u32 slot) const {
    return {vec3(lo_x[slot], lo_y[slot], lo_z[slot]), vec3(hi_x[slot], hi_y[slot], hi_z[slot])};
  }
};

static_assert(sizeof(Bvh4Node) == 128);

namespace detail {

/// 2^(exponent - 127), for exponents of 1 to 254; 0 for 0.
COPSE_HD inline float power_of_two(u8 exponent) {
  return float_from_bits(u32(exponent) << 23);
}

/// A coordinate on the grid of a compressed node. The product is exact; the sum rounds, so compression must check
/// its result by this function.
COPSE_HD inline float grid_point(float origin, u8 exponent, u8 steps) {
  return add_rn(origin, mul_rn(float(steps), power_of_two(exponent)));
}

}  // namespace detail

/// Four children in 64 bytes. Boxes count steps of a power of two from a common origin, 8 bits per plane.
struct alignas(16) CompressedBvh4Node {
  static constexpr u32 width = 4;
  /// Fast traversals store it in 6 bits, of which two values are taken (ChildTags).
  static constexpr u32 max_in_leaf = 61;

  vec3 origin;
  u8 exponents[3];  // of the steps along x, y and z, biased by 127
  u8 unused;
  u32 first[4];
  u8 count[4];
  u8 lo_x[4], lo_y[4], lo_z[4];
  u8 hi_x[4], hi_y[4], hi_z[4];
  u32 unused_too;

  COPSE_HD WideChild child(u32 slot) const { return {first[slot], count[slot]}; }
  COPSE_HD Aabb child_box(u32 slot) const {
    return {vec3(detail::grid_point(origin.x, exponents[0], lo_x[slot]),
                 detail::grid_point(origin.y, exponents[1], lo_y[slot]),
                 detail::grid_point(origin.z, exponents[2], lo_z[slot])),
            vec3(detail::grid_point(origin.x, exponents[0], hi_x[slot]),
                 detail::grid_point(origin.y, exponents[1], hi_y[slot]),
                 detail::grid_point(origin.z, exponents[2], hi_z[slot]))};
  }
};

static_assert(sizeof(CompressedBvh4Node) == 64);

/// Eight children in 80 bytes, compressed as in CompressedBvh4Node. The inner children of a node are neighbours,
/// in the order of their slots, and so are the primitives of its leaves. A leaf has at most 3.
///
///   meta[slot]   000 00000   nothing
///                001 11sss   inner, sss the slot
///                ccc ooooo   leaf: as many ones in ccc, from the lowest, as it has primitives; the first of them
///                            stands ooooo behind first_primitive
///
/// Source: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs",
/// HPG 2017.
struct alignas(16) CompressedBvh8Node {
  static constexpr u32 width = 8;
  static constexpr u32 max_leaf_primitives = 3;

  vec3 origin;
  u8 exponents[3];
  u8 inner_mask;  // bit slot: an inner child stands there
  u32 first_child;
  u32 first_primitive;
  u8 meta[8];
  u8 lo_x[8], lo_y[8], lo_z[8];
  u8 hi_x[8], hi_y[8], hi_z[8];

  COPSE_HD WideChild child(u32 slot) const {
    if (meta[slot] == 0) return WideChild::nothing();
    if (inner_mask >> slot & 1) return {first_child + population_count(inner_mask & ((1u << slot) - 1)), 0};
    return {first_primitive + (meta[slot] & 31u), population_count(u32(meta[slot]) >> 5)};
  }
  COPSE_HD Aabb child_box(u32 slot) const {
    return {vec3(detail::grid_point(origin.x, exponents[0], lo_x[slot]),
                 detail::grid_point(origin.y, exponents[1], lo_y[slot]),
                 detail::grid_point(origin.z, exponents[2], lo_z[slot])),
            vec3(detail::grid_point(origin.x, exponents[0], hi_x[slot]),
                 detail::grid_point(origin.y, exponents[1], hi_y[slot]),
                 detail::grid_point(origin.z, exponents[2], hi_z[slot]))};
  }
};

static_assert(sizeof(CompressedBvh8Node) == 80);

namespace detail {

/// Returns whether the fields of a slot agree with each other; for nodes of unknown origin.
template <class Node>
COPSE_HD bool is_consistent(const Node& node, u32 slot) {
  return node.count[slot] == 0 || node.first[slot] != invalid_id;
}
COPSE_HD inline bool is_consistent(const CompressedBvh4Node& node, u32 slot) {
  const u32 count = node.count[slot];
  return count == 0 || (count <= CompressedBvh4Node::max_in_leaf && node.first[slot] != invalid_id);
}
COPSE_HD inline bool is_consistent(const CompressedBvh8Node& node, u32 slot) {
  const u32 meta = node.meta[slot];
  if ((node.inner_mask >> slot & 1) != 0) return meta == (1u << 5 | 24u | slot);
  const u32 ones = meta >> 5;
  return meta == 0 || ones == 1 || ones == 3 || ones == 7;
}

}  // namespace detail

/// The counts of a wide tree, in device memory.
struct WideBvhCounts {
  u32 node_count;       // 0 for a tree without primitives
  u32 primitive_count;  // in the tree
  u32 invalid_count;    // left out of the binary tree
};

/// A wide tree in the memory of the context. The root is node 0; a tree of one leaf is a root with one child, a
/// tree without primitives a root with none. The parent of a node may stand before or after it; parents[0] is
/// invalid_id.
template <class Node>
struct WideBvhView {
  BufferSpan<const Node> nodes;            // at least one
  BufferSpan<const u32> parents;           // [node]
  BufferSpan<const u32> primitive_ids;     // those in the tree first, those of a leaf together
  BufferSpan<const WideBvhCounts> counts;  // one element
  const RepeatedPlace* repeats = nullptr;  // [place in primitive_ids]; null if each primitive is in one leaf
};

using Bvh4View = WideBvhView<Bvh4Node>;
using CompressedBvh4View = WideBvhView<CompressedBvh4Node>;
using CompressedBvh8View = WideBvhView<CompressedBvh8Node>;

}  // namespace copse

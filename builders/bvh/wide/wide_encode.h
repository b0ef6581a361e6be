#pragma once

// Writes wide nodes from their children and the exact boxes of these: a whole node, or one slot per thread.
//
// In the compressed layouts, the grid begins at the lowest corner of all children. Its step along each axis is the
// least power of two that reaches the highest corner in 255 steps. Planes are rounded outwards, and checked as
// grid_point() returns them, with its rounded sums. So, for any coordinates, a box that is read from a node holds
// the exact one. Where children lie farther apart than the largest float, a high plane may be infinite.
//
// Source: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", HPG
// 2017, section 3. Where we differ: the step comes from the bits of the extent. So no extent is too flat, too
// small or too large for the range of exponents, and no logarithm has to be equal on all machines.

#include "builders/bvh/wide_node.h"

namespace copse::detail {

template <u32 width>
COPSE_HD Aabb merge_all(const Aabb (&boxes)[width]) {
  Aabb all = boxes[0];
#pragma unroll
  for (u32 slot = 1; slot < width; ++slot) all = merge(all, boxes[slot]);
  return all;
}

/// One axis of a compressed node.
struct QuantisedAxis {
  float origin;
  u8 exponent;

  ///   lo, hi: numbers, lo <= hi
  COPSE_HD QuantisedAxis(float lo, float hi) : origin(lo) {
    constexpr u32 bits_of_255 = 7, max_exponent = 254;
    const u32 extent = bits_of(hi - lo) >> 23;  // its exponent, biased; 255 beyond all floats
    u32 e = extent > bits_of_255 ? extent - bits_of_255 : 1;
    while (e < max_exponent && grid_point(lo, u8(e), 255) < hi) ++e;
    exponent = u8(e);
  }

  COPSE_HD float at(u32 steps) const { return grid_point(origin, exponent, u8(steps)); }

  /// Returns about how many steps a plane is from the origin.
  COPSE_HD float steps_to(float plane) const {
    const float steps = (plane - origin) * power_of_two(u8(254 - exponent));
    return min_number(max_number(steps, 0.0f), 255.0f);
  }
  COPSE_HD u8 below(float lo) const {
    u32 steps = u32(steps_to(lo));
    while (steps > 0 && at(steps) > lo) --steps;
    return u8(steps);
  }
  COPSE_HD u8 above(float hi) const {
    const float exact = steps_to(hi);
    u32 steps = u32(exact);
    if (float(steps) < exact) ++steps;
    while (steps < 255 && at(steps) < hi) ++steps;
    return u8(steps);
  }
};

/// The grid of a compressed node whose children lie in a box.
struct NodeGrid {
  QuantisedAxis x, y, z;

  COPSE_HD explicit NodeGrid(const Aabb& box)
      : x(is_empty(box) ? 0.0f : box.lo.x, is_empty(box) ? 0.0f : box.hi.x),
        y(is_empty(box) ? 0.0f : box.lo.y, is_empty(box) ? 0.0f : box.hi.y),
        z(is_empty(box) ? 0.0f : box.lo.z, is_empty(box) ? 0.0f : box.hi.z) {}
};

/// Writes the grid of a node.
COPSE_HD inline void encode_grid(Bvh4Node&, const NodeGrid&) {}
template <class Node>
COPSE_HD void encode_grid(Node& node, const NodeGrid& grid) {
  node.origin = vec3(grid.x.origin, grid.y.origin, grid.z.origin);
  node.exponents[0] = grid.x.exponent;
  node.exponents[1] = grid.y.exponent;
  node.exponents[2] = grid.z.exponent;
}

/// Writes the box of a child, which may be empty.
COPSE_HD inline void encode_box(Bvh4Node& node, u32 slot, const NodeGrid&, const Aabb& box) {
  node.lo_x[slot] = box.lo.x;
  node.lo_y[slot] = box.lo.y;
  node.lo_z[slot] = box.lo.z;
  node.hi_x[slot] = box.hi.x;
  node.hi_y[slot] = box.hi.y;
  node.hi_z[slot] = box.hi.z;
}
template <class Node>
COPSE_HD void encode_box(Node& node, u32 slot, const NodeGrid& grid, const Aabb& box) {
  constexpr u8 empty_lo = 255, empty_hi = 0;
  const bool is_nothing = is_empty(box);
  node.lo_x[slot] = is_nothing ? empty_lo : grid.x.below(box.lo.x);
  node.lo_y[slot] = is_nothing ? empty_lo : grid.y.below(box.lo.y);
  node.lo_z[slot] = is_nothing ? empty_lo : grid.z.below(box.lo.z);
  node.hi_x[slot] = is_nothing ? empty_hi : grid.x.above(box.hi.x);
  node.hi_y[slot] = is_nothing ? empty_hi : grid.y.above(box.hi.y);
  node.hi_z[slot] = is_nothing ? empty_hi : grid.z.above(box.hi.z);
}

/// Writes the grid and the boxes of a node's children, nothing else.
template <class Node>
COPSE_HD void encode_boxes(Node& node, const Aabb (&boxes)[Node::width]) {
  const NodeGrid grid(merge_all(boxes));
  encode_grid(node, grid);
#pragma unroll
  for (u32 slot = 0; slot < Node::width; ++slot) encode_box(node, slot, grid, boxes[slot]);
}

/// The places where the inner children of a wide node begin, and the primitives of its leaves.
struct WidePlace {
  u32 node;
  u32 primitive;
};

/// Writes the fields that all children share, without the grid.
///   inner_mask: bit k is set if slot k has an inner child
COPSE_HD inline void encode_parts(Bvh4Node&, const WidePlace&, u32) {}
COPSE_HD inline void encode_parts(CompressedBvh4Node& node, const WidePlace&, u32) {
  node.unused = 0;
  node.unused_too = 0;
}
COPSE_HD inline void encode_parts(CompressedBvh8Node& node, const WidePlace& parts, u32 inner_mask) {
  node.inner_mask = u8(inner_mask);
  node.first_child = parts.node;
  node.first_primitive = parts.primitive;
}

/// Writes the links of a child.
COPSE_HD inline void encode_child(Bvh4Node& node, u32 slot, const WidePlace&, const WideChild& child) {
  node.first[slot] = child.first;
  node.count[slot] = child.count;
}
COPSE_HD inline void encode_child(CompressedBvh4Node& node, u32 slot, const WidePlace&, const WideChild& child) {
  node.first[slot] = child.first;
  node.count[slot] = u8(child.count);
}
COPSE_HD inline void encode_child(CompressedBvh8Node& node, u32 slot, const WidePlace& parts,
                                  const WideChild& child) {
  const u32 inner = 1u << 5 | 24u | slot;
  const u32 leaf = ((1u << child.count) - 1) << 5 | (child.first - parts.primitive);
  node.meta[slot] = u8(child.is_inner() ? inner : child.is_leaf() ? leaf : 0);
}

}  // namespace copse::detail

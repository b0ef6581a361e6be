#pragma once

// Writes wide nodes, from what their children are and from exact boxes around these.
//
// In the compressed layouts the grid begins at the lowest corner of all children, and its step along each axis is
// the least power of two that reaches the highest one in 255 steps. Planes are rounded outwards, and looked at as
// grid_point() gives them back, sums rounded and all: a box read from a node holds the exact one, whatever its
// coordinates. Where children lie farther apart than the largest float, a high plane may be infinite.
//
// Source: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs",
// HPG 2017, section 3. Where we differ: the step comes from the bits of the extent, so that nothing is flat, small
// or large enough to leave the range of exponents, and no logarithm has to be equal on all machines.

#include "builders/bvh/wide_node.h"

namespace copse::detail {

/// The children of a wide node, in the order of their slots. Those that are nothing have an empty box.
template <u32 width>
struct WideChildren {
  WideChild child[width];
  Aabb box[width];
  u32 first_child;      // the inner ones are neighbours
  u32 first_primitive;  // and so are the primitives of the leaves
};

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

  /// From lo to hi, numbers with lo <= hi.
  COPSE_HD QuantisedAxis(float lo, float hi) : origin(lo) {
    constexpr u32 bits_of_255 = 7, most = 254;
    const u32 extent = bits_of(sub_rn(hi, lo)) >> 23;  // its exponent, biased; 255 past all floats
    u32 e = extent > bits_of_255 ? extent - bits_of_255 : 1;
    while (e < most && grid_point(lo, u8(e), 255) < hi) ++e;
    exponent = u8(e);
  }

  COPSE_HD float at(u32 steps) const { return grid_point(origin, exponent, u8(steps)); }

  /// The steps up to a plane, more or less.
  COPSE_HD float steps_to(float plane) const {
    return min_number(mul_rn(sub_rn(plane, origin), power_of_two(u8(254 - exponent))), 255.0f);
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

/// Planes of a box that holds nothing: lo behind hi.
inline constexpr u8 empty_lo = 255, empty_hi = 0;

/// Writes the planes of all children along one axis. `axis` picks a coordinate.
template <u32 width, class Axis>
COPSE_HD void quantise(const Aabb (&boxes)[width], const Aabb& all, Axis axis, float& origin, u8& exponent,
                       u8 (&lo)[width], u8 (&hi)[width]) {
  const bool is_nowhere = is_empty(all);
  const QuantisedAxis grid(is_nowhere ? 0.0f : axis(all.lo), is_nowhere ? 0.0f : axis(all.hi));
  origin = grid.origin;
  exponent = grid.exponent;
#pragma unroll
  for (u32 slot = 0; slot < width; ++slot) {
    const bool is_nothing = is_empty(boxes[slot]);
    lo[slot] = is_nothing ? empty_lo : grid.below(axis(boxes[slot].lo));
    hi[slot] = is_nothing ? empty_hi : grid.above(axis(boxes[slot].hi));
  }
}

struct CoordinateX {
  COPSE_HD float operator()(const vec3& p) const { return p.x; }
};
struct CoordinateY {
  COPSE_HD float operator()(const vec3& p) const { return p.y; }
};
struct CoordinateZ {
  COPSE_HD float operator()(const vec3& p) const { return p.z; }
};

template <class Node>
COPSE_HD void encode_planes(Node& node, const Aabb (&boxes)[Node::width]) {
  const Aabb all = merge_all(boxes);
  quantise(boxes, all, CoordinateX{}, node.origin.x, node.exponents[0], node.lo_x, node.hi_x);
  quantise(boxes, all, CoordinateY{}, node.origin.y, node.exponents[1], node.lo_y, node.hi_y);
  quantise(boxes, all, CoordinateZ{}, node.origin.z, node.exponents[2], node.lo_z, node.hi_z);
}

/// Writes the boxes of a node's children and leaves the rest.
COPSE_HD inline void encode_boxes(CompressedBvh4Node& node, const Aabb (&boxes)[4]) {
  encode_planes(node, boxes);
}
COPSE_HD inline void encode_boxes(CompressedBvh8Node& node, const Aabb (&boxes)[8]) {
  encode_planes(node, boxes);
}
COPSE_HD inline void encode_boxes(Bvh4Node& node, const Aabb (&boxes)[4]) {
#pragma unroll
  for (u32 slot = 0; slot < 4; ++slot) {
    node.lo_x[slot] = boxes[slot].lo.x;
    node.lo_y[slot] = boxes[slot].lo.y;
    node.lo_z[slot] = boxes[slot].lo.z;
    node.hi_x[slot] = boxes[slot].hi.x;
    node.hi_y[slot] = boxes[slot].hi.y;
    node.hi_z[slot] = boxes[slot].hi.z;
  }
}

/// Writes what a node's children are, and leaves their boxes.
COPSE_HD inline void encode_children(Bvh4Node& node, const WideChildren<4>& children) {
#pragma unroll
  for (u32 slot = 0; slot < 4; ++slot) {
    node.first[slot] = children.child[slot].first;
    node.count[slot] = children.child[slot].count;
  }
}
COPSE_HD inline void encode_children(CompressedBvh4Node& node, const WideChildren<4>& children) {
  node.unused = 0;
  node.unused_too = 0;
#pragma unroll
  for (u32 slot = 0; slot < 4; ++slot) {
    node.first[slot] = children.child[slot].first;
    node.count[slot] = u8(children.child[slot].count);
  }
}
COPSE_HD inline void encode_children(CompressedBvh8Node& node, const WideChildren<8>& children) {
  u32 inner_mask = 0;
#pragma unroll
  for (u32 slot = 0; slot < 8; ++slot) {
    const WideChild child = children.child[slot];
    u32 meta = 0;
    if (child.is_inner()) {
      meta = 1u << 5 | 24u | slot;
      inner_mask |= 1u << slot;
    } else if (child.is_leaf()) {
      meta = ((1u << child.count) - 1) << 5 | (child.first - children.first_primitive);
    }
    node.meta[slot] = u8(meta);
  }
  node.inner_mask = u8(inner_mask);
  node.first_child = children.first_child;
  node.first_primitive = children.first_primitive;
}

template <class Node>
COPSE_HD Node encode(const WideChildren<Node::width>& children) {
  Node node;
  encode_children(node, children);
  encode_boxes(node, children.box);
  return node;
}

}  // namespace copse::detail

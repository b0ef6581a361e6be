#pragma once

// How a kd-tree of triangles lies in memory, as its builder writes it and rays read it.
//
// An inner node cuts its cell by a plane across an axis; a leaf lists the triangles that reach into its cell. So a
// triangle may be in several leaves, and cells do not overlap. Source: Zhou, Hou, Wang, Guo, "Real-Time KD-Tree
// Construction on Graphics Hardware", SIGGRAPH Asia 2008.

#include "builders/geometry/aabb.h"
#include "primitives/core/span.h"

namespace copse {

/// A node of 8 bytes.
///
///            word                    value
///   inner    first child, axis       the plane
///   leaf     triangles, 3            the first of them in the list, as bits
///            31 .. 2      1, 0
struct SahKdNode {
  u32 word;
  float value;

  static constexpr u32 leaf_axis = 3;

  COPSE_HD static SahKdNode inner(u32 axis, float plane, u32 first_child) {
    return {first_child << 2 | axis, plane};
  }
  COPSE_HD static SahKdNode leaf(u32 first, u32 count) { return {count << 2 | leaf_axis, float_from_bits(first)}; }

  COPSE_HD bool is_leaf() const { return axis() == leaf_axis; }
  COPSE_HD u32 axis() const { return word & 3; }
  COPSE_HD float plane() const { return value; }
  COPSE_HD u32 first_child() const { return word >> 2; }  // the other child follows it
  COPSE_HD u32 first() const { return bits_of(value); }
  COPSE_HD u32 count() const { return word >> 2; }
};

static_assert(sizeof(SahKdNode) == 8);

/// A kd-tree of triangles in the context's memory.
struct SahKdView {
  BufferSpan<const SahKdNode> nodes;    // the root is node 0
  BufferSpan<const u32> primitive_ids;  // the lists of the leaves
  BufferSpan<const Aabb> bounds;        // one element: the cell of the root; empty if there is no triangle
};

}  // namespace copse

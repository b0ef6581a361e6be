#pragma once

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"

namespace copse {

/// Two trees over the same triangles, each with its triangles in the order of its leaves, in the memory of the
/// context. The masks are empty if all are ones.
struct RayTreesView {
  BvhView binary;
  BufferSpan<const PackedTriangle> binary_triangles;
  BufferSpan<const u32> binary_masks;
  CompressedBvh4View wide;
  BufferSpan<const PackedTriangle> wide_triangles;
  BufferSpan<const u32> wide_masks;
};

}  // namespace copse

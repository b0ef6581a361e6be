#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

/// Copies of the triangles of a tree in the order of its leaves. pack_triangles makes them; tracing takes view().
struct PackedTriangles {
  Buffer<PackedTriangle> triangles;
  Buffer<u32> masks;              // those of their views, as many; empty while all masks are ones
  const u32* tree_ids = nullptr;  // where the primitive ids of the tree are that they were packed for

  PackedTrianglesView view() const { return {triangles.span(), masks.span(), tree_ids}; }
  u64 size_bytes() const { return triangles.size_bytes() + masks.size_bytes(); }
};

/// Returns the triangles of a tree in the order of its leaves, 48 bytes each. A ray that comes to a leaf then
/// reads them from neighbouring memory, without indices. They are good for this tree alone, and until the
/// triangles move or the tree is rebuilt; then call repack_triangles. Calls refuse them for another tree. It does not
/// wait.
///   triangles: those that the tree was built over
/// Throws: Error out_of_memory, Error cancelled.
/// Memory: 48 bytes per primitive, 4 more if a view has a mask; scratch of 64 bytes per view if there are several.
COPSE_API PackedTriangles pack_triangles(Context& context, const BvhView& bvh, const TriangleViews& triangles);
template <class Node>
PackedTriangles pack_triangles(Context& context, const WideBvhView<Node>& bvh, const TriangleViews& triangles);

/// Packs the triangles again into the memory of `packed`, after a refit or rebuild. Once warm it does not
/// allocate, so it can be captured in a Graph. Otherwise as pack_triangles.
/// Throws: as pack_triangles; Error invalid_argument unless `packed` has one element for each primitive id.
COPSE_API void repack_triangles(Context& context, PackedTriangles& packed, const BvhView& bvh,
                                const TriangleViews& triangles);
template <class Node>
void repack_triangles(Context& context, PackedTriangles& packed, const WideBvhView<Node>& bvh,
                      const TriangleViews& triangles);

}  // namespace copse

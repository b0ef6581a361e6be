#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_node.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

/// Copies of a tree's triangles in the order of its leaves. Made by pack_triangles; view() is what tracing takes.
struct PackedTriangles {
  Buffer<PackedTriangle> triangles;
  Buffer<u32> masks;  // of their views, as many; empty as long as all are ones

  BufferSpan<const PackedTriangle> view() const { return triangles.span(); }
  u64 size_bytes() const { return triangles.size_bytes() + masks.size_bytes(); }
};

/// The triangles of a tree in the order of its leaves, 48 bytes each: a ray that comes to a leaf reads them from
/// neighbouring memory, without indices. Good for this tree alone and until the triangles move; then repack. A
/// tree of another layout whose leaves stand in the same order may use the same ones, but no tree that was
/// rebuilt. Waits for nothing.
///   triangles: those that the tree was built over
/// Throws: Error out_of_memory, Error cancelled.
/// Memory: 48 bytes a primitive, 4 more where a view has a mask; scratch of 64 bytes a view where there are
/// several.
PackedTriangles pack_triangles(Context& context, const BvhView& bvh, const TriangleViews& triangles);
template <class Node>
PackedTriangles pack_triangles(Context& context, const WideBvhView<Node>& bvh, const TriangleViews& triangles);

/// Packs again, after refit or rebuild, in the memory of `packed`. Allocates nothing once warm, so that it can be
/// captured in a Graph. Everything else as pack_triangles.
/// Throws: as pack_triangles; Error invalid_argument where `packed` has not one element for each primitive id.
void repack_triangles(Context& context, PackedTriangles& packed, const BvhView& bvh,
                      const TriangleViews& triangles);
template <class Node>
void repack_triangles(Context& context, PackedTriangles& packed, const WideBvhView<Node>& bvh,
                      const TriangleViews& triangles);

}  // namespace copse

#pragma once

#include <span>
#include <variant>
#include <vector>

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/context.h"
#include "trace/ray.h"
#include "trace/trace_options.h"
#include "trace/tree_view.h"

namespace copse {

/// The triangles of a tree: as they were given to its builder, or packed in the order of its leaves
/// (builders/bvh/pack_triangles.h), which is faster. It refers to the views, which must outlive it; made for the
/// argument lists below.
class TraceTriangles {
 public:
  using Packed = BufferSpan<const PackedTriangle>;

  TraceTriangles(const TriangleViews& views) : triangles_(views) {}
  TraceTriangles(const TriangleView& view) : triangles_(TriangleViews(view)) {}
  TraceTriangles(std::span<const TriangleView> views) : triangles_(TriangleViews(views)) {}
  TraceTriangles(const std::vector<TriangleView>& views) : triangles_(TriangleViews(views)) {}
  /// `masks`: PackedTriangles::masks.
  TraceTriangles(Packed packed, BufferSpan<const u32> masks = {}) : triangles_(packed), masks_(masks) {}

  const std::variant<TriangleViews, Packed>& variant() const { return triangles_; }
  BufferSpan<const u32> masks() const { return masks_; }

 private:
  std::variant<TriangleViews, Packed> triangles_;
  BufferSpan<const u32> masks_;
};

/// The closest hit of every ray, equal on all backends, in all layouts and kernels, bit for bit.
///   bvh:       a tree over `triangles`, of any depth
///   triangles: those that the tree was built over, or packed for it
///   rays:      any number, may be empty; on CUDA from a multiple of 16 bytes on, or they take a slower way
///   hits:      as many; must not overlap the rays
/// Triangles of a view whose mask shares no bit with the ray's are passed over: see TraceOptions::masks.
/// Throws: Error invalid_argument where there are not as many hits as rays, for packed triangles, or masks of
/// them, that are not as many as the tree has room for, for masks of rays that are not as many as they, for more
/// than one word in options.chosen; Error out_of_memory, Error cancelled. Memory: scratch of 64 bytes a view where
/// there are several views, and 256 bytes for the choice of a kernel.
void closest_hits(Context& context, const TreeView& bvh, const TraceTriangles& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, const TraceOptions& options = {});

/// occluded[i] is 1 where ray i hits anything, else 0. Everything else as closest_hits.
void any_hits(Context& context, const TreeView& bvh, const TraceTriangles& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded, const TraceOptions& options = {});

}  // namespace copse

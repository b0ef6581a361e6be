#pragma once

#include <span>
#include <variant>
#include <vector>

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/context.h"
#include "trace/ray.h"
#include "trace/short_hit.h"
#include "trace/trace_options.h"
#include "trace/tree_view.h"

namespace copse {

/// The triangles of a tree, for the argument lists below: as its builder got them, or packed in the order of its
/// leaves (builders/bvh/pack_triangles.h), which is faster. It refers to the views, which must outlive it.
class TraceTriangles {
 public:
  using Packed = BufferSpan<const PackedTriangle>;

  TraceTriangles(const TriangleViews& views) : triangles_(views) {}
  TraceTriangles(const TriangleView& view) : triangles_(TriangleViews(view)) {}
  TraceTriangles(std::span<const TriangleView> views) : triangles_(TriangleViews(views)) {}
  TraceTriangles(const std::vector<TriangleView>& views) : triangles_(TriangleViews(views)) {}
  TraceTriangles(const PackedTrianglesView& packed)
      : triangles_(packed.triangles), masks_(packed.masks), tree_ids_(packed.tree_ids) {}
  /// `masks`: PackedTriangles::masks.
  TraceTriangles(Packed packed, BufferSpan<const u32> masks = {}) : triangles_(packed), masks_(masks) {}

  const std::variant<TriangleViews, Packed>& variant() const { return triangles_; }
  BufferSpan<const u32> masks() const { return masks_; }
  /// PackedTrianglesView::tree_ids, or null.
  const u32* tree_ids() const { return tree_ids_; }

 private:
  std::variant<TriangleViews, Packed> triangles_;
  BufferSpan<const u32> masks_;
  const u32* tree_ids_ = nullptr;
};

/// Writes the closest hit of every ray. The hits are equal on all backends, in all layouts and kernels, bit for
/// bit.
///   bvh:       a tree over `triangles`, of any depth
///   triangles: those that the tree was built over, or those that were packed for it
///   rays:      any number, may be empty. On CUDA an address that is no multiple of 16 bytes makes them slower
///   hits:      one per ray; must not overlap the rays
/// A ray passes over the triangles of a view if their masks share no bit: see TraceOptions::masks.
/// Throws: Error invalid_argument if the number of hits, or of masks of rays, is not that of the rays; if the
/// triangles were packed for another tree; if the number of packed triangles, or of their masks, is not the number
/// that the tree has room for; for more than one word in options.chosen; if the context validates, for triangles that
/// are not those of the tree and for memory that the GPU cannot read. Error out_of_memory, Error cancelled.
/// Memory: scratch of 64 bytes per view if there are several views, and 256 bytes for the choice of a kernel.
COPSE_API void closest_hits(Context& context, const TreeView& bvh, const TraceTriangles& triangles,
                            BufferSpan<const Ray> rays, BufferSpan<Hit> hits, const TraceOptions& options = {});

/// The same with results of 8 bytes, each with the place of its triangle among the packed ones. They are faster where
/// memory bandwidth bounds the batch, as for rays that miss. full_hit() makes a Hit of each, with the bits of the
/// call above.
///   triangles: packed
/// Throws: also Error invalid_argument if the triangles are not packed.
COPSE_API void closest_hits(Context& context, const CompressedBvh4View& bvh, const TraceTriangles& triangles,
                            BufferSpan<const Ray> rays, BufferSpan<ShortHit> hits,
                            const TraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const TreeView& bvh, const TraceTriangles& triangles,
                        BufferSpan<const Ray> rays, BufferSpan<u8> occluded, const TraceOptions& options = {});

}  // namespace copse

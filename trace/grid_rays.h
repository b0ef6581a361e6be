#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/layout.h"
#include "primitives/core/context.h"
#include "trace/ray.h"

namespace copse {

struct GridTraceOptions {
  /// A mask per ray, as TraceOptions::masks. Empty, the default: all bits of every mask are set.
  BufferSpan<const u32> masks = {};
};

/// Writes the closest hit of every ray. The hits are equal on all backends, and equal to those through a tree over
/// the same triangles, bit for bit.
///   grid:    over `triangles`, and complete (check_complete)
///   rays:    any number, may be empty
///   hits:    one per ray; must not overlap the rays
///   options: masks, one per ray, must not overlap the hits
/// Throws: Error invalid_argument if the number of hits or of masks is not that of the rays. Error out_of_memory,
/// Error cancelled.
/// Memory: scratch of 80 bytes per view if there are several views.
COPSE_API void closest_hits(Context& context, const GridView& grid, const TriangleViews& triangles,
                            BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                            const GridTraceOptions& options = {});

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for closest_hits.
COPSE_API void any_hits(Context& context, const GridView& grid, const TriangleViews& triangles,
                        BufferSpan<const Ray> rays, BufferSpan<u8> occluded, const GridTraceOptions& options = {});

// Deprecated names, until 0.2.
[[deprecated("give {.masks = masks}")]] inline void closest_hits(Context& context, const GridView& grid,
                                                                 const TriangleViews& triangles,
                                                                 BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                                                                 BufferSpan<const u32> masks) {
  closest_hits(context, grid, triangles, rays, hits, GridTraceOptions{masks});
}
[[deprecated("give {.masks = masks}")]] inline void any_hits(Context& context, const GridView& grid,
                                                             const TriangleViews& triangles,
                                                             BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
                                                             BufferSpan<const u32> masks) {
  any_hits(context, grid, triangles, rays, occluded, GridTraceOptions{masks});
}

}  // namespace copse

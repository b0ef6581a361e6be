#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/layout.h"
#include "primitives/core/context.h"
#include "trace/ray.h"

namespace copse {

/// The closest hit of every ray, equal on all backends and to that through a tree over the same triangles, bit for
/// bit.
///   grid:  over `triangles`, and complete (check_complete)
///   rays:  any number, may be empty
///   hits:  as many; must not overlap the rays
///   masks: one for each ray, or none, which are masks of ones: as TraceOptions::masks; must not overlap the hits
/// Throws: Error invalid_argument where there are not as many hits or masks as rays, Error out_of_memory, Error
/// cancelled. Memory: scratch of 80 bytes a view where there are several views.
void closest_hits(Context& context, const GridView& grid, const TriangleViews& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<Hit> hits, BufferSpan<const u32> masks = {});

/// occluded[i] is 1 where ray i hits anything, else 0. Everything else as closest_hits.
void any_hits(Context& context, const GridView& grid, const TriangleViews& triangles, BufferSpan<const Ray> rays,
              BufferSpan<u8> occluded, BufferSpan<const u32> masks = {});

}  // namespace copse

#pragma once

#include "builders/geometry/primitive_set.h"
#include "primitives/core/context.h"

namespace copse {

/// Stores the box around all triangles that can stand in a tree: those without a coordinate that is infinite or
/// NaN. Vertices that no such triangle has do not count. The empty box where there is no such triangle. Reads
/// indices and vertices of a large mesh once each, front to back, as long as triangles have the outermost
/// vertices; equal bits on every backend.
///   triangles: one view or several, may be empty; at most 2^31 triangles in all
///   out:       one element
/// Throws: Error invalid_argument where `out` has no element, Error capacity for more triangles, Error
/// out_of_memory.
/// Memory: scratch of at most 100 KiB on CUDA, of 48 bytes for each 4096 triangles on the CPU; 80 bytes a view
/// more where there are several.
void scene_bounds(Context& context, const TriangleViews& triangles, BufferSpan<Aabb> out);

}  // namespace copse

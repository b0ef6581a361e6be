#pragma once

#include "builders/geometry/primitive_set.h"
#include "primitives/core/context.h"

namespace copse {

/// Stores the box around all triangles that can be in a tree: those without an infinite or NaN coordinate.
/// Vertices that no such triangle has do not count. Without such a triangle it stores the empty box. The bits are
/// equal on every backend. A large mesh is read once, front to back, if triangles have its outermost vertices.
///   triangles: one view or several, may be empty; at most 2^31 triangles in all
///   out:       one element
/// Throws: Error invalid_argument if `out` has no element, Error capacity for more triangles, Error
/// out_of_memory.
/// Memory: scratch of at most 100 KiB on CUDA, 48 bytes for each 4096 triangles on the CPU; 80 bytes more per
/// view if there are several.
COPSE_API void scene_bounds(Context& context, const TriangleViews& triangles, BufferSpan<Aabb> out);

}  // namespace copse

#pragma once

#include "builders/geometry/packed_triangle.h"
#include "primitives/core/context.h"
#include "trace/ray.h"
#include "trace/tree_view.h"
#include "trace/walk/walk.h"

namespace copse {

/// Counts the nodes that each ray visits, and the triangles that it is tested against, on the way to its closest hit.
/// So one sees where a tree is expensive. Backends differ by a few visits. It does not wait.
///   tree, triangles: packed for this tree
///   rays:            any number, may be empty
///   visits:          one per ray; must not overlap the rays. The leaves of binary trees are nodes, those of wide trees are not
/// Throws: Error invalid_argument for another number of visits than of rays, and for triangles that were packed for
/// another tree; Error cancelled.
COPSE_API void count_visits(Context& context, const TreeView& tree, const PackedTrianglesView& triangles,
                            BufferSpan<const Ray> rays, BufferSpan<VisitCounter> visits);

}  // namespace copse

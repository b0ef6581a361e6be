#pragma once

#include "trace/trace_rays.h"
#include "viewer/model/picture/surface.h"
#include "viewer/model/picture/view_settings.h"

namespace copse::viewer {

/// Stores in labels[primitive] the number of its leaf, or the leaf's depth in edges from the root; invalid_id for
/// primitives outside the tree. The number of a leaf is that of its node in a binary tree, and 8 node + slot in a
/// wide one, modulo 2^32. A primitive with several leaves has the label of the first one.
///   labels: one per primitive that the tree was built over
/// Throws: Error cancelled.
void label_leaves(Context& context, const TreeView& tree, LeafTint tint, BufferSpan<u32> labels);

/// Stores the same in labels[place] for each place of the tree's primitive_ids, so that every leaf has its label.
///   labels: one per place
void label_leaves_of_places(Context& context, const TreeView& tree, LeafTint tint, BufferSpan<u32> labels);

/// Stores for each surface the label of its triangle; 0 on a miss.
///   labels: one per triangle
///   values: one per surface
void look_up_labels(Context& context, BufferSpan<const SurfaceHit> surfaces, BufferSpan<const u32> labels,
                    BufferSpan<u32> values);

/// Stores for each surface the leaf of the kd-tree whose cell contains it, or its depth; 0 on a miss.
void label_cells(Context& context, const SahKdView& tree, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values);

/// Stores for each surface the number of the grid's cell that contains it; 0 on a miss.
void label_cells(Context& context, const GridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);

/// Does the same for a frustum grid, whose cells are numbered tile by tile, slab by slab. LeafTint::depth stores
/// the number of the slab. Also 0 for surfaces that the grid's camera does not see.
void label_cells(Context& context, const FrustumGridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values);

/// Stores for each point that was hit its bucket; 0 on a miss, and for points past the positions.
///   positions: the current positions of the points
void label_buckets(Context& context, const HashGridView& grid, const PositionSpan& positions,
                   BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);

/// Stores for each surface its own id, that of the voxel; 0 on a miss.
void label_ids(Context& context, BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);

}  // namespace copse::viewer

#pragma once

#include "trace/trace_rays.h"
#include "viewer/model/picture/surface.h"
#include "viewer/model/picture/view_settings.h"

namespace copse::viewer {

/// labels[primitive] becomes the number of its leaf, or the leaf's depth in edges from the root; invalid_id for
/// primitives outside the tree. A leaf's number is that of its node in a binary tree, 8 node + slot in a wide one,
/// modulo 2^32.
///   labels: one for each primitive that the tree was built over
/// Throws: Error cancelled.
void label_leaves(Context& context, const TreeView& tree, LeafTint tint, BufferSpan<u32> labels);

/// Of each surface the label of its triangle; 0 on a miss.
///   labels: one a triangle
///   values: one a surface
void look_up_labels(Context& context, BufferSpan<const SurfaceHit> surfaces, BufferSpan<const u32> labels,
                    BufferSpan<u32> values);

/// Of each surface the number of the grid's cell that it lies in; 0 on a miss.
void label_cells(Context& context, const GridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);

/// The same of a frustum grid, whose cells are numbered slab by slab of a tile; by depth the number of the slab. 0
/// too for surfaces that its camera does not see.
void label_cells(Context& context, const FrustumGridView& grid, BufferSpan<const Ray> rays,
                 BufferSpan<const SurfaceHit> surfaces, LeafTint tint, BufferSpan<u32> values);

/// Of each point that was seen the bucket that it stands in; 0 on a miss, and for points past the positions.
///   positions: of the points, as they are now
void label_buckets(Context& context, const HashGridView& grid, const PositionSpan& positions,
                   BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);

/// Of each surface its own id, the voxel's; 0 on a miss.
void label_ids(Context& context, BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> values);

}  // namespace copse::viewer

#pragma once

#include "builders/geometry/primitive_set.h"
#include "primitives/core/buffer.h"
#include "queries/region.h"
#include "trace/tree_view.h"

namespace copse {

// The triangles that touch regions, many regions at once. In kernels and on the host one by one, and with regions
// of your own: queries/overlap.h. For Region of Aabb, Sphere, Frustum; what they touch is said in queries/region.h.
//
// Results are equal on all backends. All throw Error invalid_argument where sizes do not fit, buffers overlap or
// the tree has no node, Error out_of_memory, Error cancelled.

/// counts[i] is how many triangles touch region i. Puts work on the stream and returns; may be captured in a
/// graph.
///   bvh:     a tree over `triangles`, of any layout and depth
///   regions: any number, may be empty
///   counts:  as many
/// Memory: scratch of 64 bytes a view where there are several views.
template <class Region>
void count_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                    BufferSpan<const Region> regions, BufferSpan<u32> counts);

/// Stores the triangles that touch each region: those of region i at primitives[offsets[i]] up to
/// primitives[offsets[i + 1]], in the order of the tree; ids count through all views. Puts work on the stream and
/// returns; may be captured in a graph.
///   regions:    any number, may be empty
///   offsets:    one more than regions. The last one is how many there are in all
///   primitives: any size. Nothing is written past its end: where offsets says more, that many are needed, and
///   those
///               below the end are there
/// Memory: scratch of 4 bytes a region, at most 20 bytes for each 1024 more and 1 KiB; as count_overlaps.
template <class Region>
void find_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                   BufferSpan<const Region> regions, BufferSpan<u64> offsets, BufferSpan<u32> primitives);

/// Lists of triangles, as find_overlaps lays them out.
struct OverlapLists {
  Buffer<u64> offsets;
  Buffer<u32> primitives;
};

/// The same in buffers of the right size. Waits, for the number of results.
/// Memory: 8 bytes a region, 4 bytes a result; scratch as find_overlaps.
template <class Region>
OverlapLists all_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                          BufferSpan<const Region> regions);

}  // namespace copse

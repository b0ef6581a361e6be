#pragma once

#include "builders/geometry/primitive_set.h"
#include "primitives/core/buffer.h"
#include "queries/region.h"
#include "trace/tree_view.h"

namespace copse {

// The triangles that overlap regions, for a batch of regions. Region is Aabb, Sphere or Frustum; queries/region.h
// defines when each touches a triangle. queries/overlap.h has the same for one region, in kernels and on the host, and
// for your own types of region.
//
// Results are equal on all backends. Each triangle is counted and listed once, also in a tree with splits. Frusta are
// conservative: they may report triangles near their edges, and report fewer of these in a tree with splits. All
// functions throw Error invalid_argument if sizes do not match, buffers overlap or the tree has no node; Error
// out_of_memory; Error cancelled.

/// Stores in counts[i] how many triangles touch region i. Puts work on the stream and returns; may be captured in
/// a graph.
///   bvh:     a tree over `triangles`, of any layout and depth
///   regions: any number, may be empty
///   counts:  as many as regions
/// Memory: scratch of 64 bytes per view if there are several views.
template <class Region>
void count_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                    BufferSpan<const Region> regions, BufferSpan<u32> counts);

/// Stores the triangles that touch each region. Those of region i are primitives[offsets[i]] up to
/// primitives[offsets[i + 1]], in the order of the tree. Ids count through all views. Puts work on the stream and
/// returns; may be captured in a graph.
///   regions:    any number, may be empty
///   offsets:    one more than regions. The last offset is the total number
///   primitives: any size. Nothing is written past its end. If the total is larger, the results up to the end are
///               valid, and a buffer of the total is needed for all
/// Memory: scratch of 4 bytes per region, at most 20 bytes more per 1024 regions, and 1 KiB; and as
/// count_overlaps.
template <class Region>
void find_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                   BufferSpan<const Region> regions, BufferSpan<u64> offsets, BufferSpan<u32> primitives);

/// Lists of triangles in the layout of find_overlaps.
struct OverlapLists {
  Buffer<u64> offsets;
  Buffer<u32> primitives;
};

/// Returns the same lists in buffers of the right size.
/// Waits: for the number of results.
/// Memory: 8 bytes per region, 4 bytes per result; scratch as find_overlaps.
template <class Region>
OverlapLists all_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                          BufferSpan<const Region> regions);

}  // namespace copse

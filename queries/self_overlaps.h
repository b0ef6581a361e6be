#pragma once

#include "builders/bvh/node.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/buffer.h"
#include "queries/self_overlap.h"

namespace copse {

// The pairs of primitives of one tree that overlap each other, each pair once. Triangles of different geometries are
// tested against each other too. Boxes are those of your own primitives, as in a broad phase. Pairs are in the order
// of the tree: by the place of the primitive that comes first in the tree, then by the place of the other one. The
// results are equal on all backends, and from run to run.
//
// All functions throw Error invalid_argument if the tree has no node or `total` has no element, or for boxes of triangles
// (exact_triangles is false) in a tree with splits; Error out_of_memory; Error cancelled.

/// Stores the pairs and their number. Puts work on the stream and returns; may be captured in a graph.
///   bvh:   a tree over the primitives, of any depth
///   pairs: any size. Nothing is written past its end. If `total` is larger, the pairs up to the end are valid,
///          and a buffer of `total` is needed for all
///   total: one element; must not overlap the pairs
/// Memory: scratch of 16 bytes per primitive, at most 20 bytes more per 1024 primitives, and 1 KiB; 64 bytes per
/// view if there are several.
COPSE_API void find_self_overlaps(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                                  const SelfOverlapOptions& options, BufferSpan<PrimitivePair> pairs,
                                  BufferSpan<u64> total);
COPSE_API void find_self_overlaps(Context& context, const BvhView& bvh, const BoxView& boxes,
                                  BufferSpan<PrimitivePair> pairs, BufferSpan<u64> total);

/// Returns the pairs in a buffer of the right size.
/// Waits: for the number of pairs.
/// Memory: 8 bytes per pair, and 8 bytes per primitive until it returns; scratch as find_self_overlaps.
COPSE_API Buffer<PrimitivePair> self_overlaps(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                                              const SelfOverlapOptions& options = {});
COPSE_API Buffer<PrimitivePair> self_overlaps(Context& context, const BvhView& bvh, const BoxView& boxes);

}  // namespace copse

#pragma once

#include "builders/bvh/node.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/buffer.h"
#include "queries/self_overlap.h"

namespace copse {

// The pairs of primitives of one tree that touch each other, each once. Over triangles, those of several
// geometries among each other too; over boxes, the boxes of primitives of your own, which a broad phase asks for.
// Pairs come in the order of the tree: by the place of the one that comes first in it, then by that of the other.
// Equal on all backends, and from run to run.
//
// All throw Error invalid_argument where the tree has no node or `total` no element, Error out_of_memory, Error
// cancelled.

/// Stores the pairs and how many there are. Puts work on the stream and returns; may be captured in a graph.
///   bvh:   a tree over the primitives, of any depth
///   pairs: any size. Nothing is written past its end: where `total` says more, that many are needed, and those
///   below
///          the end are there
///   total: one element; apart from the pairs
/// Memory: scratch of 16 bytes a primitive, at most 20 bytes for each 1024 more and 1 KiB; 64 bytes a view where
/// there are several.
void find_self_overlaps(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                        const SelfOverlapOptions& options, BufferSpan<PrimitivePair> pairs, BufferSpan<u64> total);
void find_self_overlaps(Context& context, const BvhView& bvh, const BoxView& boxes,
                        BufferSpan<PrimitivePair> pairs, BufferSpan<u64> total);

/// The pairs in a buffer of the right size. Waits, for the number of pairs.
/// Memory: 8 bytes a pair, 8 bytes a primitive that go again; scratch as find_self_overlaps.
Buffer<PrimitivePair> self_overlaps(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                                    const SelfOverlapOptions& options = {});
Buffer<PrimitivePair> self_overlaps(Context& context, const BvhView& bvh, const BoxView& boxes);

}  // namespace copse

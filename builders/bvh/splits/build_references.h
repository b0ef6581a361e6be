#pragma once

// Builds of trees over split triangles, for the callers of builders.

#include <span>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/splits/split_references.h"
#include "primitives/core/bits.h"
#include "primitives/core/executor.h"

namespace copse::detail {

// The bodies: splits.inl, and those of the builders, for either executor.

/// Stores the references to all triangles: at least one for each, and parts for those whose splits pay most.
template <class Executor>
void split_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n,
                     const SplitReferences& references);
template <class Executor>
u64 split_scratch_bytes(const Executor& ex, u64 n, u64 view_count);

/// Replaces the numbers of references in a tree by those of their triangles, and counts the invalid triangles.
template <class Executor>
void name_triangles(const Executor& ex, const SplitReferences& references, const BvhArrays& bvh);

template <class Executor, class Options>
void build_over_boxes(const Executor& ex, const Aabb* boxes, u64 n, const Options& options, const BvhArrays& bvh);
template <class Executor, class Options>
u64 build_scratch_bytes(const Executor& ex, u64 n, u64 view_count, const Options& options);

/// Builds a tree over `reference_count` references to `n` triangles. Its leaves hold triangles.
template <class Executor, class Options>
void build_over_references(const Executor& ex, std::span<const TriangleView> views, u64 n, u64 reference_count,
                           const Options& options, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  const SplitReferences references{reference_count, frame.allocate<Aabb>(reference_count),
                                   frame.allocate<u32>(reference_count), frame.allocate<u32>(1)};
  split_triangles(ex, views, n, references);
  build_over_boxes(ex, references.boxes, reference_count, options, bvh);
  name_triangles(ex, references, bvh);
}

template <class Executor, class Options>
u64 build_over_references_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 reference_count,
                                        const Options& options) {
  return ScratchArena::bytes_for<Aabb>(reference_count) + ScratchArena::bytes_for<u32>(reference_count) +
         ScratchArena::bytes_for<u32>(1) +
         larger(split_scratch_bytes(ex, n, view_count), build_scratch_bytes(ex, reference_count, 0, options));
}

}  // namespace copse::detail

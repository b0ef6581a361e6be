#pragma once

// The kernels that automatic tries for a type of query, where earlier batches can tell
// (trace/batch/learned_kernels.h).

#include "trace/batch/cuda/ray_batch.cuh"
#include "trace/batch/learned_kernels.h"

namespace copse::cuda::detail {

/// True if any hits also have a traversal with the nearest child first.
template <class Query>
inline constexpr bool has_nearest_first = false;
template <>
inline constexpr bool has_nearest_first<
    copse::detail::AnyHits<copse::detail::WideTree<CompressedBvh4Node>, BufferSpan<const PackedTriangle>>> = true;

template <class Tree, class Source>
copse::detail::NearestFirst<Tree, Source> nearest_first(const copse::detail::AnyHits<Tree, Source>& query) {
  return {query};
}

/// A way to trace a batch.
struct KernelWay {
  TraceKernel kernel = TraceKernel::persistent;
  bool nearest_first = false;
};

/// The ways to trace a query, without those that stand for another one.
struct KernelWays {
  KernelWay ways[copse::detail::ChoiceByTime::max_ways];
  u32 count = 0;

  constexpr void add(KernelWay way) { ways[count++] = way; }
};

/// An address per type of query.
template <class Query>
inline constexpr char query_tag = 0;

template <class Query>
copse::detail::LearnedKernels::Key key_of(const Query& query, u32 n) {
  return {query.tree.nodes, query.rays, &query_tag<Query>, u32(std::bit_width(n))};
}

}  // namespace copse::cuda::detail

#pragma once

// The kernels that automatic tries for a type of query, if it can learn from earlier batches
// (trace/batch/learned_kernels.h).

#include "trace/batch/cuda/ray_batch.cuh"
#include "trace/batch/learned_kernels.h"

namespace copse::cuda::detail {

/// The order in which a traversal visits the children of a node: that of its query, or one of two others for any hits.
enum class VisitOrder { usual, nearest_first, latest_exit_first };

/// True if a query has the two other orders.
template <class Query>
inline constexpr bool has_orders = false;
template <>
inline constexpr bool has_orders<
    copse::detail::AnyHits<copse::detail::WideTree<CompressedBvh4Node>, BufferSpan<const PackedTriangle>>> = true;

template <class Tree, class Source>
copse::detail::NearestFirst<Tree, Source> nearest_first(const copse::detail::AnyHits<Tree, Source>& query) {
  return {query};
}
template <class Tree, class Source>
copse::detail::LatestExitFirst<Tree, Source> latest_exit_first(const copse::detail::AnyHits<Tree, Source>& query) {
  return {query};
}

/// A way to trace a batch.
struct KernelWay {
  TraceKernel kernel = TraceKernel::persistent;
  VisitOrder order = VisitOrder::usual;
};

/// The different ways to trace a query. A kernel that is replaced by another one is left out.
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
  return {query.tree.nodes, memory_of(query.rays), &query_tag<Query>, u32(std::bit_width(n))};
}

}  // namespace copse::cuda::detail

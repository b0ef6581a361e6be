#pragma once

#include "builders/bvh/node.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// Sums over the nodes of a tree; areas are half areas.
struct NodeSums {
  double inner_area;
  double leaf_area;  // of each leaf, times its primitives
  double overlap;    // that siblings share
  u32 largest_leaf;
};

/// Writes the sums and the depth, each to one element of the executor's memory.
template <class Executor>
void measure_tree(const Executor& ex, const BvhView& bvh, NodeSums* sums, u32* depth);

/// Adds the number of leaves of k primitives to histogram[k].
template <class Executor>
void count_leaf_sizes(const Executor& ex, const BvhView& bvh, u64* histogram, u64 histogram_size);

}  // namespace copse::detail

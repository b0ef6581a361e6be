#pragma once

#include "builders/bvh/wide_node.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// Sums over the slots of a wide tree; areas are half areas. Inner children stand for their nodes, so that all but
/// the root are there.
struct WideSums {
  double inner_area;
  double leaf_area;  // of each leaf, times its primitives
  u32 leaf_count;
  u32 largest_leaf;
};

/// Writes the sums, the depth and the root's bounds, each to one element of the executor's memory.
template <class Executor, class Node>
void measure_wide_tree(const Executor& ex, const WideBvhView<Node>& tree, WideSums* sums, u32* depth,
                       Aabb* bounds);

/// Adds the number of leaves of k primitives to histogram[k].
template <class Executor, class Node>
void count_wide_leaf_sizes(const Executor& ex, const WideBvhView<Node>& tree, u64* histogram, u64 histogram_size);

}  // namespace copse::detail

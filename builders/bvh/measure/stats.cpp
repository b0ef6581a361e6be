#include "builders/bvh/stats.h"

#include "builders/bvh/measure/measured.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: stats.inl, for either executor.

/// Writes the sums, the depth and the root's bounds, each to one element of the executor's memory.
template <class Executor, class View>
void measure_tree(const Executor& ex, const View& tree, TreeSums* sums, u32* depth, Aabb* bounds);

/// Adds the number of leaves of k primitives to histogram[k].
template <class Executor, class View>
void count_leaf_sizes(const Executor& ex, const View& tree, u64* histogram, u64 histogram_size);

}  // namespace detail

namespace {

struct Measured {
  detail::TreeSums sums;
  u32 depth;
  Aabb bounds;
  std::vector<u64> leaf_size_histogram;
};

template <class View>
Measured measure(Context& context, const View& tree) {
  Buffer<detail::TreeSums> sums(context, 1);
  Buffer<u32> depth(context, 1);
  Buffer<Aabb> bounds(context, 1);
  dispatch(context,
           [&](const auto& ex) { detail::measure_tree(ex, tree, sums.data(), depth.data(), bounds.data()); });
  Measured measured{sums.download()[0], depth.download()[0], bounds.download()[0], {}};

  measured.leaf_size_histogram.assign(size_t(measured.sums.largest_leaf) + 1, 0);
  Buffer<u64> histogram(context, measured.leaf_size_histogram);
  dispatch(context,
           [&](const auto& ex) { detail::count_leaf_sizes(ex, tree, histogram.data(), histogram.size()); });
  measured.leaf_size_histogram = histogram.download();
  return measured;
}

/// Writes the members that BvhStats and WideBvhStats share. Returns the sums for the others.
template <class Tree, class Stats>
detail::TreeSums measure(Context& context, const Tree& tree, Stats& stats) {
  stats.size_bytes = tree.size_bytes();
  stats.counts = tree.counts.download().at(0);
  stats.leaf_size_histogram.assign(1, 0);
  if (stats.counts.node_count == 0) return {};
  Measured measured = measure(context, tree.view());
  stats.depth = measured.depth;
  stats.bounds = measured.bounds;
  stats.leaf_size_histogram = std::move(measured.leaf_size_histogram);
  return measured.sums;
}

}  // namespace

BvhStats stats(Context& context, const Bvh& bvh, const SahCosts& costs) {
  BvhStats result;
  const detail::TreeSums sums = measure(context, bvh, result);
  if (result.counts.node_count == 0) return result;
  const double root_area = half_area(result.bounds);
  if (root_area > 0) {
    result.sah_cost = (costs.traversal * sums.inner_area + costs.intersection * sums.leaf_area) / root_area;
    result.sibling_overlap = sums.overlap / root_area;
  }
  return result;
}

template <class Node>
WideBvhStats stats(Context& context, const WideBvh<Node>& tree, const SahCosts& costs) {
  WideBvhStats result;
  const detail::TreeSums sums = measure(context, tree, result);
  const u64 node_count = result.counts.node_count;
  if (node_count == 0) return result;
  result.leaf_count = sums.leaf_count;
  result.mean_children = double(node_count - 1 + sums.leaf_count) / double(node_count);
  result.used_bytes = wide_bvh_bytes<WideBvh<Node>>(node_count, result.counts.primitive_count);
  const double root_area = half_area(result.bounds);
  if (root_area > 0) {
    result.sah_cost =
        (costs.traversal * (sums.inner_area + root_area) + costs.intersection * sums.leaf_area) / root_area;
  }
  return result;
}

template COPSE_API WideBvhStats stats(Context&, const Bvh4&, const SahCosts&);
template COPSE_API WideBvhStats stats(Context&, const CompressedBvh4&, const SahCosts&);
template COPSE_API WideBvhStats stats(Context&, const CompressedBvh8&, const SahCosts&);

}  // namespace copse

#include "builders/bvh/measure/wide_stats_body.h"
#include "builders/bvh/stats.h"
#include "primitives/core/dispatch.h"

namespace copse {

template <class Node>
WideBvhStats stats(Context& context, const WideBvh<Node>& tree, const SahCosts& costs) {
  const WideBvhView<Node> view = tree.view();
  WideBvhStats result;
  result.size_bytes = tree.size_bytes();
  result.counts = tree.counts.download().at(0);
  result.leaf_size_histogram.assign(1, 0);
  if (result.counts.node_count == 0) return result;

  Buffer<detail::WideSums> sums_buffer(context, 1);
  Buffer<u32> depth_buffer(context, 1);
  Buffer<Aabb> bounds_buffer(context, 1);
  dispatch(context, [&](const auto& ex) {
    detail::measure_wide_tree(ex, view, sums_buffer.data(), depth_buffer.data(), bounds_buffer.data());
  });
  const detail::WideSums sums = sums_buffer.download()[0];
  result.depth = depth_buffer.download()[0];
  result.bounds = bounds_buffer.download()[0];
  result.leaf_count = sums.leaf_count;
  const u64 node_count = result.counts.node_count;
  result.mean_children = double(node_count - 1 + sums.leaf_count) / double(node_count);
  result.used_bytes = wide_bvh_bytes<WideBvh<Node>>(node_count, result.counts.primitive_count);

  result.leaf_size_histogram.assign(size_t(sums.largest_leaf) + 1, 0);
  Buffer<u64> histogram(context, result.leaf_size_histogram);
  dispatch(context,
           [&](const auto& ex) { detail::count_wide_leaf_sizes(ex, view, histogram.data(), histogram.size()); });
  result.leaf_size_histogram = histogram.download();

  const double root_area = half_area(result.bounds);
  if (root_area > 0) {
    result.sah_cost =
        (costs.traversal * (sums.inner_area + root_area) + costs.intersection * sums.leaf_area) / root_area;
  }
  return result;
}

template WideBvhStats stats(Context&, const Bvh4&, const SahCosts&);
template WideBvhStats stats(Context&, const CompressedBvh4&, const SahCosts&);
template WideBvhStats stats(Context&, const CompressedBvh8&, const SahCosts&);

}  // namespace copse

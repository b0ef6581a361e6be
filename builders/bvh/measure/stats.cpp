#include "builders/bvh/stats.h"

#include "builders/bvh/measure/stats_body.h"
#include "primitives/core/dispatch.h"

namespace copse {

BvhStats stats(Context& context, const Bvh& bvh, const SahCosts& costs) {
  const BvhView view = bvh.view();
  BvhStats result;
  result.size_bytes = bvh.size_bytes();
  result.counts = bvh.counts.download().at(0);
  result.leaf_size_histogram.assign(1, 0);
  if (result.counts.node_count == 0) return result;

  Buffer<detail::NodeSums> sums_buffer(context, 1);
  Buffer<u32> depth_buffer(context, 1);
  dispatch(context,
           [&](const auto& ex) { detail::measure_tree(ex, view, sums_buffer.data(), depth_buffer.data()); });
  const detail::NodeSums sums = sums_buffer.download()[0];
  result.depth = depth_buffer.download()[0];

  result.leaf_size_histogram.assign(size_t(sums.largest_leaf) + 1, 0);
  Buffer<u64> histogram(context, result.leaf_size_histogram);
  dispatch(context,
           [&](const auto& ex) { detail::count_leaf_sizes(ex, view, histogram.data(), histogram.size()); });
  result.leaf_size_histogram = histogram.download();

  result.bounds = download(context, view.nodes.first(1))[0].box();
  const double root_area = half_area(result.bounds);
  if (root_area > 0) {
    result.sah_cost = (costs.traversal * sums.inner_area + costs.intersection * sums.leaf_area) / root_area;
    result.sibling_overlap = sums.overlap / root_area;
  }
  return result;
}

}  // namespace copse

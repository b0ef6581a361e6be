#include "builders/points/kd_validate.h"

#include "builders/points/measure/point_faults.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: kd_validate.inl, for either executor.
template <class Executor>
void check_kd_counts(const Executor& ex, const KdTreeView& tree, const PositionSpan& points, KdFaults* faults);
template <class Executor>
void check_kd_nodes(const Executor& ex, const KdTreeView& tree, u64 node_count, const PositionSpan& points,
                    KdFaults* faults);

}  // namespace detail

ValidationReport validate(Context& context, const KdTree& tree, const PositionSpan& points) {
  if (!tree.is_built()) detail::refuse("validate", "the kd-tree was never built");
  if (points.size != tree.source_count) {
    detail::refuse("validate", std::to_string(points.size) + " points are given, but the kd-tree was built over " +
                                   std::to_string(tree.source_count));
  }
  Buffer<detail::KdFaults> faults(context, std::vector<detail::KdFaults>(1));
  dispatch(context, [&](const auto& ex) { detail::check_kd_counts(ex, tree.view(), points, faults.data()); });
  const ValidationReport report = detail::report_of(faults.download()[0]);
  if (!report.is_valid()) return report;
  const u64 node_count = tree.counts.download()[0].point_count;
  dispatch(context,
           [&](const auto& ex) { detail::check_kd_nodes(ex, tree.view(), node_count, points, faults.data()); });
  return detail::report_of(faults.download()[0]);
}

}  // namespace copse

#include "builders/points/kd_validate.h"

#include "builders/points/measure/point_faults.h"
#include "builders/validation_steps.h"
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
  detail::check_built_over(tree, points.size, "kd-tree", "points");
  const u64 node_count = tree.counts.download()[0].point_count;
  return detail::check_in_two_steps<detail::KdFaults>(
      context,
      [&](const auto& ex, detail::KdFaults* faults) { detail::check_kd_counts(ex, tree.view(), points, faults); },
      [&](const auto& ex, detail::KdFaults* faults) {
        detail::check_kd_nodes(ex, tree.view(), node_count, points, faults);
      });
}

}  // namespace copse

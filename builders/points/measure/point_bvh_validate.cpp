#include "builders/points/point_bvh_validate.h"

#include "builders/points/measure/point_faults.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: point_bvh_validate.inl, for either executor. The second check needs counts that fit.
template <class Executor>
void check_point_counts(const Executor& ex, const PointBvhView& bvh, const PositionSpan& points,
                        PointBvhFaults* faults);
template <class Executor>
void check_point_nodes(const Executor& ex, const PointBvhView& bvh, u64 point_count, const PositionSpan& points,
                       PointBvhFaults* faults);

}  // namespace detail

ValidationReport validate(Context& context, const PointBvh& bvh, const PositionSpan& points) {
  if (!bvh.is_built()) detail::refuse("validate", "the point BVH was never built");
  if (points.size != bvh.source_count) {
    detail::refuse("validate", std::to_string(points.size) +
                                   " points are given, but the point BVH was built over " +
                                   std::to_string(bvh.source_count));
  }
  Buffer<detail::PointBvhFaults> faults(context, std::vector<detail::PointBvhFaults>(1));
  dispatch(context, [&](const auto& ex) { detail::check_point_counts(ex, bvh.view(), points, faults.data()); });
  const ValidationReport report = detail::report_of(faults.download()[0]);
  if (!report.is_valid()) return report;
  const u64 point_count = bvh.counts.download()[0].point_count;
  dispatch(context,
           [&](const auto& ex) { detail::check_point_nodes(ex, bvh.view(), point_count, points, faults.data()); });
  return detail::report_of(faults.download()[0]);
}

}  // namespace copse

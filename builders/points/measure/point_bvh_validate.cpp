#include "builders/points/point_bvh_validate.h"

#include "builders/points/measure/point_faults.h"
#include "builders/validation_steps.h"
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
  detail::check_built_over(bvh, points.size, "point BVH", "points");
  const u64 point_count = bvh.counts.download()[0].point_count;
  return detail::check_in_two_steps<detail::PointBvhFaults>(
      context,
      [&](const auto& ex, detail::PointBvhFaults* faults) {
        detail::check_point_counts(ex, bvh.view(), points, faults);
      },
      [&](const auto& ex, detail::PointBvhFaults* faults) {
        detail::check_point_nodes(ex, bvh.view(), point_count, points, faults);
      });
}

}  // namespace copse

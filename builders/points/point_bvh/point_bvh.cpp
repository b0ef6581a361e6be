#include "builders/points/point_bvh.h"

#include "builders/built_check.h"
#include "builders/geometry/triangle_check.h"
#include "builders/points/build/point_checks.h"
#include "builders/points/point_bvh_validate.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: point_bvh.inl, for either executor.
template <class Executor>
void build_point_nodes(const Executor& ex, const PositionSpan& points, const PointBvhArrays& bvh);
template <class Executor>
u64 point_bvh_scratch_bytes(const Executor& ex, u64 n);

}  // namespace detail

namespace {

constexpr detail::PointChecks checks{"point BVH", max_bvh_points};

u64 scratch_bytes(Context& context, u64 n) {
  return dispatch(context, [&](const auto& ex) { return detail::point_bvh_scratch_bytes(ex, n); });
}

}  // namespace

PointBvh make_point_bvh(Context& context, u64 point_capacity) {
  checks.check_count(point_capacity);
  PointBvh bvh;
  bvh.nodes = Buffer<PointNode>(context, PointBvhShape(point_capacity).node_capacity());
  bvh.points = Buffer<NumberedPoint>(context, point_capacity);
  bvh.counts = Buffer<PointBvhCounts>(context, 1);
  return bvh;
}

void rebuild_point_bvh(Context& context, PointBvh& bvh, const PositionSpan& points) {
  checks.check_rebuild(bvh, points);
  detail::validate_positions(context, "build_point_bvh", "points", points);
  context.reserve_scratch(scratch_bytes(context, bvh.point_capacity()));
  ProfileScope scope(context.profile(), "point BVH");
  const detail::PointBvhArrays arrays{bvh.nodes.data(), bvh.points.data(), bvh.counts.data()};
  dispatch(context, [&](const auto& ex) { detail::build_point_nodes(ex, points, arrays); });
  bvh.source_count = points.size;
  detail::validate_built(context, "build_point_bvh", bvh, points);
}

PointBvh build_point_bvh(Context& context, const PositionSpan& points) {
  checks.check_points(points);
  PointBvh bvh = make_point_bvh(context, points.size);
  rebuild_point_bvh(context, bvh, points);
  return bvh;
}

BuildSizes point_bvh_sizes(Context& context, u64 point_count) {
  checks.check_count(point_count);
  return {PointBvhShape(point_count).node_capacity() * sizeof(PointNode) + point_count * sizeof(NumberedPoint) +
              sizeof(PointBvhCounts),
          scratch_bytes(context, point_count)};
}

}  // namespace copse

#include "builders/points/kd_tree.h"

#include "builders/built_check.h"
#include "builders/geometry/triangle_check.h"
#include "builders/points/build/point_checks.h"
#include "builders/points/kd_tree/kd_shape.h"
#include "builders/points/kd_validate.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: kd_tree.inl, for either executor.
template <class Executor>
void build_kd_nodes(const Executor& ex, const PositionSpan& points, const KdArrays& tree);
template <class Executor>
u64 kd_scratch_bytes(const Executor& ex, u64 n);

}  // namespace detail

namespace {

constexpr detail::PointChecks checks{"kd-tree", max_kd_points};

u64 scratch_bytes(Context& context, u64 n) {
  return dispatch(context, [&](const auto& ex) { return detail::kd_scratch_bytes(ex, n); });
}

}  // namespace

KdTree make_kd_tree(Context& context, u64 point_capacity) {
  checks.check_count(point_capacity);
  KdTree tree;
  tree.nodes = Buffer<KdPoint>(context, point_capacity);
  tree.counts = Buffer<KdCounts>(context, 1);
  return tree;
}

void rebuild_kd_tree(Context& context, KdTree& tree, const PositionSpan& points) {
  checks.check_rebuild(tree, points);
  detail::validate_positions(context, "build_kd_tree", "points", points);
  context.reserve_scratch(scratch_bytes(context, tree.point_capacity()));
  ProfileScope scope(context.profile(), "kd-tree");
  const detail::KdArrays arrays{tree.nodes.data(), tree.counts.data()};
  dispatch(context, [&](const auto& ex) { detail::build_kd_nodes(ex, points, arrays); });
  tree.source_count = points.size;
  detail::validate_built(context, "build_kd_tree", tree, points);
}

KdTree build_kd_tree(Context& context, const PositionSpan& points) {
  checks.check_points(points);
  KdTree tree = make_kd_tree(context, points.size);
  rebuild_kd_tree(context, tree, points);
  return tree;
}

BuildSizes kd_tree_sizes(Context& context, u64 point_count) {
  checks.check_count(point_count);
  return {point_count * sizeof(KdPoint) + sizeof(KdCounts), scratch_bytes(context, point_count)};
}

}  // namespace copse

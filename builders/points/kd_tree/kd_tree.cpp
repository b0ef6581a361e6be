#include "builders/points/kd_tree.h"

#include <string>

#include "builders/points/kd_tree/kd_shape.h"
#include "primitives/core/check.h"
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

[[noreturn]] void refuse(const std::string& what) {
  detail::refuse("kd-tree", what);
}

void check_point_count(u64 count) {
  if (count <= max_kd_points) return;
  throw Error(ErrorCode::capacity, "kd-tree: " + std::to_string(count) + " points; at most " +
                                       std::to_string(max_kd_points) + " fit in one");
}

void check_points(const PositionSpan& points) {
  check_point_count(points.size);
  const u64 stride = points.stride_bytes;
  if (stride >= sizeof(vec3) && stride % 4 == 0) return;
  refuse("points are " + std::to_string(stride) +
         " bytes apart; the distance must be at least 12 and a multiple of 4");
}

u64 scratch_bytes(Context& context, u64 n) {
  return dispatch(context, [&](const auto& ex) { return detail::kd_scratch_bytes(ex, n); });
}

}  // namespace

KdTree make_kd_tree(Context& context, u64 point_capacity) {
  check_point_count(point_capacity);
  KdTree tree;
  tree.nodes = Buffer<KdPoint>(context, point_capacity);
  tree.counts = Buffer<KdCounts>(context, 1);
  return tree;
}

void rebuild_kd_tree(Context& context, KdTree& tree, const PositionSpan& points) {
  check_points(points);
  if (tree.counts.empty() || points.size > tree.point_capacity()) {
    refuse(std::to_string(points.size) + " points are given; the tree has room for " +
           std::to_string(tree.point_capacity()));
  }
  context.reserve_scratch(scratch_bytes(context, tree.point_capacity()));
  ProfileScope scope(context.profile(), "kd-tree");
  const detail::KdArrays arrays{tree.nodes.data(), tree.counts.data()};
  dispatch(context, [&](const auto& ex) { detail::build_kd_nodes(ex, points, arrays); });
  tree.source_count = points.size;
}

KdTree build_kd_tree(Context& context, const PositionSpan& points) {
  check_points(points);
  KdTree tree = make_kd_tree(context, points.size);
  rebuild_kd_tree(context, tree, points);
  return tree;
}

BuildSizes kd_tree_sizes(Context& context, u64 point_count) {
  check_point_count(point_count);
  return {point_count * sizeof(KdPoint) + sizeof(KdCounts), scratch_bytes(context, point_count)};
}

}  // namespace copse

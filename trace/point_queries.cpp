#include "trace/point_queries.h"

#include "primitives/core/dispatch.h"
#include "trace/check.h"
#include "trace/point_queries_body.h"

namespace copse {

void nearest_points(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                    BufferSpan<const vec3> points, BufferSpan<NearestPoint> nearest, float max_distance) {
  detail::check_tree("nearest_points", bvh);
  detail::check_results("nearest_points", "points", points, nearest);
  dispatch(context, [&](const auto& ex) {
    detail::nearest_points(ex, bvh, triangles.views(), points, max_distance, nearest.data());
  });
}

void nearest_primitives(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                        BufferSpan<const vec3> points, BufferSpan<Neighbour> neighbours, float max_distance) {
  detail::check_tree("nearest_primitives", bvh);
  const u32 k =
      detail::results_each("nearest_primitives", "points", points.size(), "neighbours", neighbours.size());
  detail::check_apart("nearest_primitives", "points", points, neighbours);
  dispatch(context, [&](const auto& ex) {
    detail::nearest_primitives(ex, bvh, triangles.views(), points, max_distance, k, neighbours.data());
  });
}

void points_inside(Context& context, const BvhView& bvh, const TriangleViews& triangles,
                   BufferSpan<const vec3> points, BufferSpan<u8> inside) {
  detail::check_tree("points_inside", bvh);
  detail::check_results("points_inside", "points", points, inside);
  dispatch(context,
           [&](const auto& ex) { detail::points_inside(ex, bvh, triangles.views(), points, inside.data()); });
}

}  // namespace copse

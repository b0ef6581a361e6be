#include "queries/point_queries.h"

#include "primitives/core/validation.h"
#include "trace/batch/check.h"

namespace copse::detail {

// The body: point_queries.inl, for either executor.

template <class Executor, class View, class Triangles>
void nearest_points(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const vec3> points,
                    float max_distance, NearestPoint* nearest);

template <class Executor, class View, class Triangles>
void nearest_primitives(const Executor& ex, const View& bvh, const Triangles& triangles,
                        BufferSpan<const vec3> points, float max_distance, u32 k, Neighbour* neighbours);

template <class Executor, class View, class Triangles>
void points_inside(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const vec3> points,
                   u8* inside);

}  // namespace copse::detail

namespace copse {

void nearest_points(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                    BufferSpan<const vec3> points, BufferSpan<NearestPoint> nearest, float max_distance) {
  detail::check_tree("nearest_points", bvh);
  detail::check_results(context, "nearest_points", "points", points, nearest, &ValidationCounts::nan_points);
  detail::dispatch_tree(context, bvh, [&](const auto& ex, const auto& view) {
    detail::nearest_points(ex, view, triangles.views(), points, max_distance, nearest.data());
  });
}

void nearest_primitives(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                        BufferSpan<const vec3> points, BufferSpan<Neighbour> neighbours, float max_distance) {
  detail::check_tree("nearest_primitives", bvh);
  const u32 k =
      detail::results_each("nearest_primitives", "points", points.size(), "neighbours", neighbours.size());
  detail::check_apart("nearest_primitives", "points", points, neighbours);
  detail::validate_queries(context, "nearest_primitives", "points", points, &ValidationCounts::nan_points);
  detail::validate_span(context, "nearest_primitives", "neighbours", neighbours);
  detail::dispatch_tree(context, bvh, [&](const auto& ex, const auto& view) {
    detail::nearest_primitives(ex, view, triangles.views(), points, max_distance, k, neighbours.data());
  });
}

void points_inside(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                   BufferSpan<const vec3> points, BufferSpan<u8> inside) {
  detail::check_tree("points_inside", bvh);
  detail::check_results(context, "points_inside", "points", points, inside, &ValidationCounts::nan_points);
  detail::dispatch_tree(context, bvh, [&](const auto& ex, const auto& view) {
    detail::points_inside(ex, view, triangles.views(), points, inside.data());
  });
}

}  // namespace copse

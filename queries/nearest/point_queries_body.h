#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"
#include "queries/k_nearest.h"

namespace copse::detail {

template <class Executor, class View>
void nearest_points(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                    BufferSpan<const vec3> points, float max_distance, NearestPoint* nearest);

template <class Executor, class View>
void nearest_primitives(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                        BufferSpan<const vec3> points, float max_distance, u32 k, Neighbour* neighbours);

template <class Executor, class View>
void points_inside(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                   BufferSpan<const vec3> points, u8* inside);

}  // namespace copse::detail

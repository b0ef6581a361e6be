#pragma once

// Points around points by brute force, and queries for it.

#include <algorithm>
#include <glm/common.hpp>
#include <utility>
#include <vector>

#include "queries/near_points.h"
#include "tests/support/hard_points.h"

namespace copse::test {

/// Points by (square of the distance, id), no farther than the limit.
inline std::vector<std::pair<float, u32>> brute_force_order(const std::vector<vec3>& points, const vec3& from,
                                                            float max_distance) {
  std::vector<std::pair<float, u32>> order;
  if (!is_finite(from) || !(max_distance >= 0)) return order;
  for (u32 i = 0; i < points.size(); ++i) {
    const float square = detail::near_square(clean_point(points[i]), from);
    if (is_finite(points[i]) && square <= max_distance * max_distance) order.emplace_back(square, i);
  }
  std::sort(order.begin(), order.end());
  return order;
}

/// Points of a set, points between, around and far from them, and points that are not finite.
inline std::vector<vec3> query_points(const std::vector<vec3>& points, u32 count) {
  const float nan_value = std::numeric_limits<float>::quiet_NaN();
  const std::vector<vec3> parts = random_points(count, 99, -0.5f, 1.5f);
  std::vector<vec3> queries = parts;
  for (u32 i = 0; i < count && !points.empty(); ++i) {
    const vec3 a = points[u64{i} * points.size() / count], b = points[(u64{i} * 7919 + 1) % points.size()];
    queries.push_back(a);
    queries.push_back(a * parts[i].x + b * (1 - parts[i].x));
    queries.push_back(a + (a - b) * 30.0f);
  }
  queries.insert(queries.end(), {vec3(0), vec3(3e38f), vec3(-3e38f, 3e38f, 0), vec3(nan_value, 0, 0),
                                 vec3(0, infinity, 0), vec3(0, 0, -infinity)});
  return queries;
}

/// An eighth of an edge of the box of all finite points; 1 if there are none.
inline float typical_length(const std::vector<vec3>& points) {
  vec3 lo(infinity), hi(-infinity);
  for (const vec3& p : points) {
    if (is_finite(p)) lo = glm::min(lo, p), hi = glm::max(hi, p);
  }
  const double edge = std::max({double(hi.x) - lo.x, double(hi.y) - lo.y, double(hi.z) - lo.z});
  return edge > 0 ? float(edge / 8) : 1;
}

}  // namespace copse::test

#include "tests/queries/query_oracle.h"

namespace copse::test {

std::vector<std::pair<float, u32>> brute_force_order(const std::vector<Triangle>& triangles, const vec3& point,
                                                     float max_distance, size_t count) {
  std::vector<std::pair<float, u32>> order;
  if (!is_finite(point) || !(max_distance >= 0)) return order;
  for (u32 i = 0; i < triangles.size(); ++i) {
    if (!is_finite(triangles[i])) continue;
    const float square = nearest_on_triangle(triangles[i], point).square;
    if (square <= max_distance * max_distance) order.emplace_back(square, i);
  }
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + i64(count), order.end());
  order.resize(count);
  return order;
}

}  // namespace copse::test

#pragma once

#include <cstddef>

#include "builders/geometry/triangle.h"
#include "primitives/core/span.h"
#include "trace/ray.h"

namespace copse {

/// Numbers at a stride. Without data, all have the value `missing`.
struct FloatSpan {
  const float* data = nullptr;
  u64 stride_bytes = sizeof(float);  // from one number to the next; a multiple of 4, or 0 for one number for all

  COPSE_HD float at(u64 i, float missing) const {
    if (data == nullptr) return missing;
    return *reinterpret_cast<const float*>(reinterpret_cast<const unsigned char*>(data) + i * stride_bytes);
  }
};

/// Rays in the caller's layout, in the memory of the context: separate arrays of their parts, or records.
///
///   copse::RaySpan rays{.origins = origins.span(), .directions = directions.span()};
///   copse::RaySpan rays = copse::RaySpan::in_records(&first->ray, count, sizeof(PathState));
struct RaySpan {
  PositionSpan origins;
  PositionSpan directions;  // as many as origins; a stride of 0 gives all rays one direction
  FloatSpan t_min = {};     // 0 if there are none
  FloatSpan t_max = {};     // infinity if there are none

  /// Rays with `stride_bytes` from the first byte of one to the first byte of the next.
  static RaySpan in_records(const Ray* first, u64 count, u64 stride_bytes) {
    if (first == nullptr) return {{nullptr, count, stride_bytes}, {nullptr, count, stride_bytes}};
    return {{detail::member_at<vec3>(first, offsetof(Ray, origin)), count, stride_bytes},
            {detail::member_at<vec3>(first, offsetof(Ray, direction)), count, stride_bytes},
            {detail::member_at<float>(first, offsetof(Ray, t_min)), stride_bytes},
            {detail::member_at<float>(first, offsetof(Ray, t_max)), stride_bytes}};
  }
  static RaySpan in_records(BufferSpan<const Ray> rays) {
    return in_records(rays.data(), rays.size(), sizeof(Ray));
  }

  u64 size() const { return origins.size; }

  COPSE_HD Ray at(u64 i) const {
    return {origins.at(i), t_min.at(i, 0.0f), directions.at(i), t_max.at(i, infinity)};
  }
};

}  // namespace copse

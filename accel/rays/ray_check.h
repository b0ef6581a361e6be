#pragma once

// Checks of rays in any layout. All throw Error invalid_argument.

#include <string>

#include "accel/ray_span.h"
#include "primitives/core/check.h"
#include "primitives/core/context.h"
#include "primitives/core/validation.h"

namespace copse::detail {

inline void check_part(const char* function, const char* what, const void* data, u64 count, u64 stride_bytes) {
  if (data == nullptr && count > 0) {
    refuse(function, "the address of " + std::to_string(count) + " " + what + " is null");
  }
  if (stride_bytes % sizeof(float) != 0) {
    refuse(function,
           std::string(what) + " are " + counted(stride_bytes, "bytes") + " apart; a multiple of 4 is needed");
  }
}

/// The memory from the first to the last of `count` parts of rays.
inline BufferSpan<const u8> extent_of_parts(const void* data, u64 count, u64 stride_bytes, u64 bytes) {
  if (data == nullptr || count == 0) return {};
  return {static_cast<const u8*>(data), (count - 1) * stride_bytes + bytes};
}

/// Where the context validates, throws if a part of rays is not aligned or the device cannot read it.
inline void validate_part(const char* function, Context& context, const char* what, const void* data, u64 count,
                          u64 stride_bytes, u64 bytes) {
  validate_memory(context, function, what, data, extent_of_parts(data, count, stride_bytes, bytes).size(),
                  alignof(float));
}

/// Throws if an address or a stride of the rays is not valid, or if the context cannot read their memory.
inline void check_rays(const char* function, Context& context, const RaySpan& rays) {
  const u64 n = rays.size();
  check_same_count(function, "origins", n, "directions", rays.directions.size);
  check_part(function, "origins", rays.origins.data, n, rays.origins.stride_bytes);
  check_part(function, "directions", rays.directions.data, n, rays.directions.stride_bytes);
  check_part(function, "values of t_min", rays.t_min.data, 0, rays.t_min.stride_bytes);
  check_part(function, "values of t_max", rays.t_max.data, 0, rays.t_max.stride_bytes);
  validate_part(function, context, "origins", rays.origins.data, n, rays.origins.stride_bytes, sizeof(vec3));
  validate_part(function, context, "directions", rays.directions.data, n, rays.directions.stride_bytes,
                sizeof(vec3));
  validate_part(function, context, "values of t_min", rays.t_min.data, n, rays.t_min.stride_bytes, sizeof(float));
  validate_part(function, context, "values of t_max", rays.t_max.data, n, rays.t_max.stride_bytes, sizeof(float));
}

/// Throws if results overlap a part of the rays.
template <class Result>
void check_rays_apart(const char* function, const RaySpan& rays, BufferSpan<Result> results) {
  const u64 n = rays.size();
  check_apart(function, "origins", extent_of_parts(rays.origins.data, n, rays.origins.stride_bytes, 12), results);
  check_apart(function, "directions", extent_of_parts(rays.directions.data, n, rays.directions.stride_bytes, 12),
              results);
  check_apart(function, "values of t_min", extent_of_parts(rays.t_min.data, n, rays.t_min.stride_bytes, 4),
              results);
  check_apart(function, "values of t_max", extent_of_parts(rays.t_max.data, n, rays.t_max.stride_bytes, 4),
              results);
}

/// Makes both checks, and throws unless there is one result per ray.
template <class Result>
void check_rays(const char* function, Context& context, const RaySpan& rays, BufferSpan<Result> results) {
  check_rays(function, context, rays);
  check_address(function, "results", results);
  if (results.size() != rays.size()) {
    refuse(function, "there is room for " + counted(results.size(), "results") + ", but the number of rays is " +
                         std::to_string(rays.size()));
  }
  check_rays_apart(function, rays, results);
}

}  // namespace copse::detail

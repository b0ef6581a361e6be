#include "capi/bridge/trace.h"

#include "primitives/core/counted.h"

namespace copse::capi {

namespace {

/// One of the four parts of rays.
struct Part {
  const char* what;
  const void* data;
  u64 stride_bytes;
  u64 bytes;
};

/// The bytes from the first part to the end of the last one.
u64 extent(const Part& part, u64 count) {
  return count == 0 || part.data == nullptr ? 0 : (count - 1) * part.stride_bytes + part.bytes;
}

void check_part(const Part& part, u64 count, copse_memory memory) {
  if (part.stride_bytes % sizeof(float) != 0) {
    refuse(std::string(part.what) + " are " + copse::detail::counted(part.stride_bytes, "bytes") +
           " apart; a multiple of 4 is needed");
  }
  check_array(part.what, part.data, count, part.stride_bytes, memory, sizeof(float));
}

}  // namespace

Rays::Rays(Context& context, const copse_rays* given) {
  require(given, "copse_rays");
  const copse_rays defaults = COPSE_RAYS_INIT;
  const copse_rays rays = read_struct("copse_rays", given, defaults);
  const Part parts[4] = {{"origins", rays.origins, rays.origin_stride, sizeof(vec3)},
                         {"directions", rays.directions, rays.direction_stride, sizeof(vec3)},
                         {"values of t_min", rays.t_min, rays.t_min_stride, sizeof(float)},
                         {"values of t_max", rays.t_max, rays.t_max_stride, sizeof(float)}};
  const bool is_copied = rays.memory == COPSE_MEMORY_HOST && !reads_host(context);
  const void* data[4];
  for (int i = 0; i < 4; ++i) {
    const bool is_needed = i < 2 || parts[i].data != nullptr;
    check_part(parts[i], is_needed ? rays.count : 0, rays.memory);
    if (is_copied) copies_.add(parts[i].data, extent(parts[i], rays.count));
  }
  copies_.upload(context);
  for (int i = 0; i < 4; ++i) data[i] = is_copied ? copies_.address_of(parts[i].data) : parts[i].data;
  span_.origins = {static_cast<const vec3*>(data[0]), rays.count, rays.origin_stride};
  span_.directions = {static_cast<const vec3*>(data[1]), rays.count, rays.direction_stride};
  span_.t_min = {static_cast<const float*>(data[2]), rays.t_min_stride};
  span_.t_max = {static_cast<const float*>(data[3]), rays.t_max_stride};
}

bool Rays::are_records() const {
  if (size() == 0) return true;
  const auto address = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data); };
  const std::uintptr_t first = address(span_.origins.data);
  return address(span_.t_min.data) == first + offsetof(Ray, t_min) &&
         address(span_.directions.data) == first + offsetof(Ray, direction) &&
         address(span_.t_max.data) == first + offsetof(Ray, t_max) &&
         (size() == 1 ||
          (span_.origins.stride_bytes == sizeof(Ray) && span_.directions.stride_bytes == sizeof(Ray) &&
           span_.t_min.stride_bytes == sizeof(Ray) && span_.t_max.stride_bytes == sizeof(Ray)));
}

TraceChoices::TraceChoices(Context& context, const copse_trace_options& given, u64 ray_count)
    : masks(context, "masks", given.masks, given.masks == nullptr ? 0 : ray_count, given.masks_memory),
      mask(given.mask),
      cull(Cull(given.cull)) {
  if (given.cull < COPSE_CULL_NONE || given.cull > COPSE_CULL_FRONT) {
    refuse("cull is " + std::to_string(given.cull) + "; it can be 0 to 2");
  }
}

}  // namespace copse::capi

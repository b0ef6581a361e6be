#pragma once

// Batches of rays in any layout, which are gathered into records a part at a time.

#include <algorithm>

#include "accel/rays/ray_check.h"
#include "primitives/core/dispatch.h"

namespace copse::detail {

// The body: gather_rays.inl, for either executor.

/// Stores rays first to first + count - 1.
template <class Executor>
void gather_rays(const Executor& ex, const RaySpan& rays, u64 first, u64 count, Ray* out);

/// Stores the same on the caller's thread, on the CPU.
void gather_in_range(const RaySpan& rays, u64 first, u64 count, Ray* out);

/// Returns the address of rays that are already an array of Ray, else null.
inline const Ray* records_of(const RaySpan& rays) {
  const void* const records = rays.origins.data;
  const bool are_records = records != nullptr && rays.origins.stride_bytes == sizeof(Ray) &&
                           rays.directions.stride_bytes == sizeof(Ray) && rays.t_min.stride_bytes == sizeof(Ray) &&
                           rays.t_max.stride_bytes == sizeof(Ray) &&
                           rays.directions.data == member_at<vec3>(records, offsetof(Ray, direction)) &&
                           rays.t_min.data == member_at<float>(records, offsetof(Ray, t_min)) &&
                           rays.t_max.data == member_at<float>(records, offsetof(Ray, t_max));
  return are_records ? static_cast<const Ray*>(records) : nullptr;
}

/// The number of rays that are gathered at once: enough to fill a GPU; for each thread of a CPU 2^14, which fit in
/// its caches.
constexpr u64 rays_at_once(Backend backend, u32 cpu_threads = 1) {
  return backend == Backend::cuda ? u64{1} << 20 : u64{cpu_threads} << 14;
}

/// Gathers the rays part by part, and calls trace(rays, first, options) for each part, with the options of its rays.
template <class Options, class Trace>
void trace_gathered(const char* function, Context& context, const RaySpan& rays, const Options& options,
                    const Trace& trace) {
  if (!options.masks.empty()) {
    check_one_each(function, options.masks.size(), "masks", rays.size(), "rays");
  }
  dispatch(context, [&](const auto& ex) {
    ScratchArena::Frame frame(ex.scratch);
    const u64 at_once = std::min(rays.size(), rays_at_once(context.backend(), context.worker_count()));
    Ray* gathered = frame.template allocate<Ray>(at_once);
    for (u64 first = 0; first < rays.size(); first += at_once) {
      const u64 count = std::min(at_once, rays.size() - first);
      gather_rays(ex, rays, first, count, gathered);
      Options of_part = options;
      if (!options.masks.empty()) of_part.masks = options.masks.subspan(first, count);
      trace(BufferSpan<const Ray>(gathered, count), first, of_part);
    }
  });
}

}  // namespace copse::detail

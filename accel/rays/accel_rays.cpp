#include "accel/accel_rays.h"

#include <algorithm>
#include <string>

#include "accel/accel_render.h"
#include "accel/build/accel_check.h"
#include "builders/geometry/triangle_check.h"
#include "primitives/core/dispatch.h"
#include "trace/trace_rays.h"

namespace copse {

namespace detail {

// The bodies: gather_rays.inl and full_hits.inl, for either executor.

/// Stores rays first to first + count - 1.
template <class Executor>
void gather_rays(const Executor& ex, const RaySpan& rays, u64 first, u64 count, Ray* out);

/// Stores the full hits of `count` short hits.
template <class Executor>
void store_full_hits(const Executor& ex, BufferSpan<const PackedTriangle> triangles, u64 count, const Ray* rays,
                     const ShortHit* hits, Hit* full);

}  // namespace detail

namespace {

/// Rays that are gathered at a time: as many as a GPU needs to be busy, and few enough for the caches of a CPU.
constexpr u64 rays_at_once(Backend backend) {
  return backend == Backend::cuda ? u64{1} << 20 : u64{1} << 14;
}

TraceTriangles triangles_of(const Accel& accel) {
  return {accel.packed_triangles().view(), accel.packed_triangles().masks.span()};
}

void check_part(const char* function, const char* what, const void* data, u64 count, u64 stride_bytes) {
  if (data == nullptr && count > 0) {
    detail::refuse(function, "the address of " + std::to_string(count) + " " + what + " is null");
  }
  if (stride_bytes % sizeof(float) != 0) {
    detail::refuse(function, std::string(what) + " are " + std::to_string(stride_bytes) +
                                 " bytes apart; a multiple of 4 is needed");
  }
}

/// The memory from the first to the last of `count` parts of rays.
BufferSpan<const u8> extent(const void* data, u64 count, u64 stride_bytes, u64 bytes) {
  if (data == nullptr || count == 0) return {};
  return {static_cast<const u8*>(data), (count - 1) * stride_bytes + bytes};
}

template <class Result>
void check_rays(const char* function, Context& context, const RaySpan& rays, BufferSpan<Result> results) {
  const u64 n = rays.size();
  detail::check_same_count(function, "origins", n, "directions", rays.directions.size);
  check_part(function, "origins", rays.origins.data, n, rays.origins.stride_bytes);
  check_part(function, "directions", rays.directions.data, n, rays.directions.stride_bytes);
  check_part(function, "values of t_min", rays.t_min.data, 0, rays.t_min.stride_bytes);
  check_part(function, "values of t_max", rays.t_max.data, 0, rays.t_max.stride_bytes);
  detail::check_address(function, "results", results);
  if (results.size() != n) {
    detail::refuse(function, "there is room for " + std::to_string(results.size()) + " results, but " +
                                 std::to_string(n) + " rays were given");
  }
  detail::validate_memory(context, std::string(function) + ": origins", rays.origins.data);
  detail::validate_memory(context, std::string(function) + ": directions", rays.directions.data);
  detail::validate_memory(context, std::string(function) + ": values of t_min", rays.t_min.data);
  detail::validate_memory(context, std::string(function) + ": values of t_max", rays.t_max.data);
  detail::check_apart(function, "origins", extent(rays.origins.data, n, rays.origins.stride_bytes, 12), results);
  detail::check_apart(function, "directions", extent(rays.directions.data, n, rays.directions.stride_bytes, 12),
                      results);
  detail::check_apart(function, "values of t_min", extent(rays.t_min.data, n, rays.t_min.stride_bytes, 4),
                      results);
  detail::check_apart(function, "values of t_max", extent(rays.t_max.data, n, rays.t_max.stride_bytes, 4),
                      results);
}

/// Calls trace(rays, first, options) for each part of the rays, gathered, with the options for these rays.
template <class Trace>
void trace_gathered(const char* function, Context& context, const RaySpan& rays, const TraceOptions& options,
                    const Trace& trace) {
  if (!options.masks.empty()) {
    detail::check_one_each(function, options.masks.size(), "masks", rays.size(), "rays");
  }
  dispatch(context, [&](const auto& ex) {
    ScratchArena::Frame frame(ex.scratch);
    const u64 at_once = std::min(rays.size(), rays_at_once(context.backend()));
    Ray* gathered = frame.template allocate<Ray>(at_once);
    for (u64 first = 0; first < rays.size(); first += at_once) {
      const u64 count = std::min(at_once, rays.size() - first);
      detail::gather_rays(ex, rays, first, count, gathered);
      TraceOptions of_part = options;
      if (!options.masks.empty()) of_part.masks = options.masks.subspan(first, count);
      trace(BufferSpan<const Ray>(gathered, count), first, of_part);
    }
  });
}

template <class Result>
void closest_hits_gathered(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Result> hits,
                           const TraceOptions& options) {
  detail::check_accel("closest_hits", context, accel);
  check_rays("closest_hits", context, rays, hits);
  trace_gathered("closest_hits", context, rays, options, [&](auto part, u64 first, const TraceOptions& of_part) {
    closest_hits(context, accel, part, hits.subspan(first, part.size()), of_part);
  });
}

}  // namespace

void closest_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const TraceOptions& options) {
  detail::check_accel("closest_hits", context, accel);
  closest_hits(context, accel.view().tree, triangles_of(accel), rays, hits, options);
}

void closest_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                  const TraceOptions& options) {
  closest_hits_gathered(context, accel, rays, hits, options);
}

void closest_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<ShortHit> hits,
                  const TraceOptions& options) {
  detail::check_accel("closest_hits", context, accel);
  closest_hits(context, accel.view().tree, triangles_of(accel), rays, hits, options);
}

void closest_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<ShortHit> hits,
                  const TraceOptions& options) {
  closest_hits_gathered(context, accel, rays, hits, options);
}

void full_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<const ShortHit> hits,
               BufferSpan<Hit> full) {
  detail::check_accel("full_hits", context, accel);
  detail::check_results("full_hits", "rays", rays, full);
  detail::check_same_count("full_hits", "rays", rays.size(), "hits", hits.size());
  detail::check_address("full_hits", "hits", hits);
  detail::check_apart("full_hits", "hits", hits, full);
  dispatch(context, [&](const auto& ex) {
    detail::store_full_hits(ex, accel.packed_triangles().view(), rays.size(), rays.data(), hits.data(),
                            full.data());
  });
}

void any_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const TraceOptions& options) {
  detail::check_accel("any_hits", context, accel);
  any_hits(context, accel.view().tree, triangles_of(accel), rays, occluded, options);
}

void any_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<u8> occluded,
              const TraceOptions& options) {
  detail::check_accel("any_hits", context, accel);
  check_rays("any_hits", context, rays, occluded);
  trace_gathered("any_hits", context, rays, options, [&](auto part, u64 first, const TraceOptions& of_part) {
    any_hits(context, accel, part, occluded.subspan(first, part.size()), of_part);
  });
}

Image render(Context& context, const Accel& accel, const Camera& camera, const RenderOptions& options) {
  detail::check_accel("render", context, accel);
  const AccelView view = accel.view();
  return render(context, view.tree, view.triangles, camera, options);
}

}  // namespace copse

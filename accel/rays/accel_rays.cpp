// Batches of rays through an Accel. An array of Ray goes to the calls for trees. Rays of other layouts are gathered
// part by part, on the CPU by each thread for its range.

#include "accel/accel_rays.h"

#include <algorithm>
#include <string>

#include "accel/accel_render.h"
#include "accel/build/accel_check.h"
#include "accel/rays/gathered_rays.h"
#include "primitives/core/counted.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"
#include "trace/batch/check.h"
#include "trace/trace_rays.h"

namespace copse {

namespace detail {

// The body: full_hits.inl, for either executor.

/// Stores the full hits of `count` short hits.
template <class Executor>
void store_full_hits(const Executor& ex, BufferSpan<const PackedTriangle> triangles, u64 count, const Ray* rays,
                     const ShortHit* hits, Hit* full);

// For the CPU: rays_in_ranges.cpp.

/// Stores a result per ray: Hit or ShortHit for the closest hit, u8 for any.
template <class Result>
void trace_in_ranges(const cpu::Executor& ex, const AccelView& accel, const RaySpan& rays, Result* results,
                     const TraceOptions& options);

}  // namespace detail

namespace {

TraceTriangles triangles_of(const Accel& accel) {
  return {accel.packed_triangles().view(), accel.packed_triangles().masks.span()};
}

/// On CUDA, and where the context validates, gathers the rays into records and calls trace(rays, first, options) for
/// each part. Otherwise the CPU traces the rays in their own layout.
template <class Result, class Trace>
void trace_any_layout(const char* function, Context& context, const Accel& accel, const RaySpan& rays,
                      BufferSpan<Result> results, const TraceOptions& options, const Trace& trace) {
  detail::check_accel(function, context, accel);
  detail::check_rays(function, context, rays, results);
  // The checks of triangles and leaves take records.
  if (context.backend() == Backend::cuda || context.validates()) {
    return detail::trace_gathered(function, context, rays, options, trace);
  }
  detail::check_trace_options(function, options, rays.size());
  detail::check_apart(function, "masks", options.masks, results);
  const detail::CallOfOneThread call(context);
  detail::trace_in_ranges(context.cpu_executor(), accel.view(), rays, results.data(), options);
}

template <class Result>
void closest_hits_any_layout(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Result> hits,
                             const TraceOptions& options) {
  trace_any_layout("closest_hits", context, accel, rays, hits, options,
                   [&](auto part, u64 first, const TraceOptions& of_part) {
                     closest_hits(context, accel, part, hits.subspan(first, part.size()), of_part);
                   });
}

/// Where the context validates, throws for short hits with places past the last triangle.
void validate_places(Context& context, const Accel& accel, BufferSpan<const ShortHit> hits) {
  if (!context.validates()) return;
  detail::validate_span(context, "full_hits", "hits", hits);
  const u64 place_count = accel.packed_triangles().triangles.size();
  constexpr u64 max_part = u64{1} << 20;  // hits on the host at once
  for (u64 begin = 0; begin < hits.size(); begin += max_part) {
    const std::vector<ShortHit> part =
        download(context, hits.subspan(begin, std::min(max_part, hits.size() - begin)));
    for (u64 i = 0; i < part.size(); ++i) {
      if (!is_hit(part[i]) || part[i].triangle < place_count) continue;
      detail::refuse("full_hits", "hit " + std::to_string(begin + i) + " is of the triangle at place " +
                                      std::to_string(part[i].triangle) + ", but there are " +
                                      std::to_string(place_count) + " places; was the structure rebuilt?");
    }
  }
}

}  // namespace

void closest_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const TraceOptions& options) {
  detail::check_accel("closest_hits", context, accel);
  closest_hits(context, accel.view().tree, triangles_of(accel), rays, hits, options);
}

void closest_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                  const TraceOptions& options) {
  closest_hits_any_layout(context, accel, rays, hits, options);
}

void closest_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<ShortHit> hits,
                  const TraceOptions& options) {
  detail::check_accel("closest_hits", context, accel);
  closest_hits(context, accel.view().tree, triangles_of(accel), rays, hits, options);
}

void closest_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<ShortHit> hits,
                  const TraceOptions& options) {
  closest_hits_any_layout(context, accel, rays, hits, options);
}

Buffer<Ray> ray_records(Context& context, const RaySpan& rays) {
  detail::check_rays("ray_records", context, rays);
  Buffer<Ray> records(context, rays.size());
  dispatch(context, [&](const auto& ex) { detail::gather_rays(ex, rays, 0, rays.size(), records.data()); });
  return records;
}

void full_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<const ShortHit> hits,
               BufferSpan<Hit> full) {
  detail::check_accel("full_hits", context, accel);
  detail::check_results(context, "full_hits", "rays", rays, full, &ValidationCounts::nan_rays);
  detail::check_same_count("full_hits", "rays", rays.size(), "hits", hits.size());
  detail::check_address("full_hits", "hits", hits);
  detail::check_apart("full_hits", "hits", hits, full);
  validate_places(context, accel, hits);
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
  trace_any_layout("any_hits", context, accel, rays, occluded, options,
                   [&](auto part, u64 first, const TraceOptions& of_part) {
                     any_hits(context, accel, part, occluded.subspan(first, part.size()), of_part);
                   });
}

Image render(Context& context, const Accel& accel, const Camera& camera, const RenderOptions& options) {
  detail::check_accel("render", context, accel);
  const AccelView view = accel.view();
  return render(context, view.tree, view.triangles, camera, options);
}

}  // namespace copse

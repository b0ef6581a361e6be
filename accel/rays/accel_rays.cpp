#include "accel/accel_rays.h"

#include <algorithm>
#include <string>

#include "accel/accel_render.h"
#include "accel/build/accel_check.h"
#include "accel/rays/gathered_rays.h"
#include "primitives/core/dispatch.h"
#include "trace/trace_rays.h"

namespace copse {

namespace detail {

// The body: full_hits.inl, for either executor.

/// Stores the full hits of `count` short hits.
template <class Executor>
void store_full_hits(const Executor& ex, BufferSpan<const PackedTriangle> triangles, u64 count, const Ray* rays,
                     const ShortHit* hits, Hit* full);

}  // namespace detail

namespace {

TraceTriangles triangles_of(const Accel& accel) {
  return {accel.packed_triangles().view(), accel.packed_triangles().masks.span()};
}

template <class Result>
void closest_hits_gathered(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Result> hits,
                           const TraceOptions& options) {
  detail::check_accel("closest_hits", context, accel);
  detail::check_rays("closest_hits", context, rays, hits);
  detail::trace_gathered("closest_hits", context, rays, options,
                         [&](auto part, u64 first, const TraceOptions& of_part) {
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
  detail::check_rays("any_hits", context, rays, occluded);
  detail::trace_gathered("any_hits", context, rays, options,
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

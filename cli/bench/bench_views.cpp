#include "cli/bench/bench_views.h"

#include <algorithm>

#include "accel/accel_rays.h"
#include "bench/support/scene_rays.h"

namespace copse::cli {

namespace {

/// The rays of a view, in memory of their own as long as any view is measured. A batch that takes the place of
/// another one would begin with the kernel that this one has learned.
struct ViewRays {
  Buffer<Ray> primary, diffuse, shadow;
};

ViewRays make_rays(Context& context, const Accel& accel, const Mesh& mesh, const BenchView& view, u32 size) {
  const Aabb box = bounds(mesh);
  const std::vector<Ray> primary = bench::make_primary_rays(view.eye, size);
  ViewRays rays{.primary = Buffer<Ray>(context, primary), .diffuse = {}, .shadow = {}};
  Buffer<Hit> buffer(context, primary.size());
  closest_hits(context, accel, rays.primary.span(), buffer.span());
  const std::vector<Hit> hits = buffer.download();
  rays.diffuse = Buffer<Ray>(context, bench::make_diffuse_rays(mesh, box, primary, hits));
  const vec3 light = bench::shadow_light(box, view.eye, view.interior);
  rays.shadow = Buffer<Ray>(context, bench::make_shadow_rays(mesh, box, primary, hits, light));
  return rays;
}

struct ViewBench {
  Context& context;
  const Accel& accel;
  u32 repeats;
  TraceKernel kernel;

  template <class Result>
  RayTimes closest(const Buffer<Ray>& rays) const {
    const auto trace = [&](BufferSpan<const Ray> ray_span, BufferSpan<Result> hits) {
      closest_hits(context, accel, ray_span, hits, {.kernel = kernel});
    };
    return measure_batch<Result>(context, rays.span(), repeats, warm_ups_of(context.backend(), kernel), trace,
                                 [](const Result& hit) { return is_hit(hit); });
  }

  RayTimes any(const Buffer<Ray>& rays) const {
    const auto trace = [&](BufferSpan<const Ray> ray_span, BufferSpan<u8> occluded) {
      any_hits(context, accel, ray_span, occluded, {.kernel = kernel});
    };
    return measure_batch<u8>(context, rays.span(), repeats, warm_ups_of(context.backend(), kernel), trace,
                             [](u8 occluded) { return occluded != 0; });
  }

  ViewKernelTimes measure(const ViewRays& rays) const {
    return {.kernel = kernel,
            .primary = closest<Hit>(rays.primary),
            .diffuse = closest<Hit>(rays.diffuse),
            .primary_short = closest<ShortHit>(rays.primary),
            .diffuse_short = closest<ShortHit>(rays.diffuse),
            .ambient = any(rays.diffuse),
            .shadow = any(rays.shadow)};
  }
};

}  // namespace

std::vector<ViewTimes> measure_views(Context& context, const Accel& accel, const Mesh& mesh,
                                     const std::vector<BenchView>& views, u32 rays_size, u32 repeats,
                                     bool all_kernels) {
  std::vector<TraceKernel> kernels{TraceKernel::automatic};
  if (all_kernels && context.backend() == Backend::cuda) {
    kernels = {TraceKernel::automatic, TraceKernel::thread_per_ray, TraceKernel::persistent, TraceKernel::packets};
  }
  std::vector<ViewRays> rays;
  for (const BenchView& view : views) rays.push_back(make_rays(context, accel, mesh, view, rays_size));
  std::vector<ViewTimes> times;
  for (size_t i = 0; i < views.size(); ++i) {
    times.push_back({views[i].eye, {}});
    for (const TraceKernel kernel : kernels) {
      times.back().kernels.push_back(ViewBench{context, accel, repeats, kernel}.measure(rays[i]));
    }
  }
  return times;
}

}  // namespace copse::cli

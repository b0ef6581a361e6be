#include "cli/bench/bench_accel.h"

#include "accel/accel_rays.h"

namespace copse::cli {

namespace {

/// The rays of a frame on the device.
struct UploadedRays {
  Buffer<Ray> primary, diffuse, shadow;

  UploadedRays(Context& context, const FrameRays& rays)
      : primary(context, rays.primary), diffuse(context, rays.diffuse), shadow(context, rays.shadow) {}
};

RayTimes measure_closest(Context& context, const Accel& accel, BufferSpan<const Ray> rays, u32 repeats) {
  return measure_batch<Hit>(
      context, rays, repeats, warm_ups_of(context.backend()),
      [&](BufferSpan<const Ray> span, BufferSpan<Hit> hits) { closest_hits(context, accel, span, hits); },
      [](const Hit& hit) { return is_hit(hit); });
}

RayTimes measure_any(Context& context, const Accel& accel, BufferSpan<const Ray> rays, u32 repeats) {
  return measure_batch<u8>(
      context, rays, repeats, warm_ups_of(context.backend()),
      [&](BufferSpan<const Ray> span, BufferSpan<u8> results) { any_hits(context, accel, span, results); },
      [](u8 is_occluded) { return is_occluded != 0; });
}

/// Times `work`, and on CUDA its graph too.
Timing time_work(Context& context, u32 repeats, const std::function<void()>& work, std::optional<Timing>& graph) {
  const Timing timing = time_calls(context, repeats, work);
  if (context.backend() == Backend::cuda) {
    Graph captured = context.capture(work);
    graph = time_calls(context, repeats, [&] { captured.launch(); });
  }
  return timing;
}

AccelTimes measure_accel(Context& context, const TriangleView& triangles, const AccelOptions& options,
                         const UploadedRays& rays, u32 repeats) {
  AccelTimes result;
  result.quality = options.quality;
  Accel accel = build(context, triangles, options);
  result.sizes = build_sizes(context, triangles.triangle_count(), accel.options());
  result.sah_cost = stats(context, accel.tree()).sah_cost;
  result.times.build = time_work(
      context, repeats, [&] { rebuild(context, accel, triangles); }, result.times.build_graph);
  result.primary = measure_closest(context, accel, rays.primary.span(), repeats);
  result.diffuse = measure_closest(context, accel, rays.diffuse.span(), repeats);
  result.shadow = measure_any(context, accel, rays.shadow.span(), repeats);
  Buffer<Hit> hits(context, rays.primary.size()), diffuse_hits(context, rays.diffuse.size());
  Buffer<u8> occluded(context, rays.shadow.size());
  const auto frame = [&] {
    rebuild(context, accel, triangles);
    closest_hits(context, accel, rays.primary.span(), hits.span());
    closest_hits(context, accel, rays.diffuse.span(), diffuse_hits.span());
    any_hits(context, accel, rays.shadow.span(), occluded.span());
  };
  result.frame = time_work(context, repeats, frame, result.frame_graph);
  // A refit after the rays, because it gives up what splits gain.
  result.times.refit = time_work(
      context, repeats, [&] { refit(context, accel, triangles); }, result.times.refit_graph);
  compact(context, accel);
  result.compact_bytes = accel.size_bytes();
  return result;
}

}  // namespace

std::vector<AccelTimes> measure_accels(Context& context, const TriangleView& triangles, float splits,
                                       const FrameRays& rays, u32 repeats) {
  const UploadedRays uploaded(context, rays);
  std::vector<AccelTimes> results;
  for (const Quality quality : {Quality::fast, Quality::balanced, Quality::best}) {
    results.push_back(
        measure_accel(context, triangles, {.quality = quality, .splits = splits}, uploaded, repeats));
  }
  return results;
}

}  // namespace copse::cli

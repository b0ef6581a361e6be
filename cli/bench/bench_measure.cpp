#include "cli/bench/bench_measure.h"

#include <algorithm>
#include <cmath>

#include "builders/bvh/refit.h"
#include "cli/options/builders.h"
#include "primitives/core/stopwatch.h"

namespace copse::cli {

namespace {

double median(std::vector<double> samples) {
  return quartiles_of(std::move(samples)).median;
}

}  // namespace

Timing quartiles_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](size_t numerator) { return samples[samples.size() * numerator / 4]; };
  return {.median = at(2), .low = at(1), .high = at(3)};
}

Timing time_calls(Context& context, u32 repeats, const std::function<void()>& work, u32 warm_ups) {
  constexpr double sample_milliseconds = 4;
  constexpr u32 max_launches = 32;
  Stopwatch stopwatch(context);
  double once = 0;
  for (u32 i = 0; i < warm_ups; ++i) {
    stopwatch.start();
    work();
    once = stopwatch.milliseconds();
  }
  const double wanted = std::ceil(sample_milliseconds / std::max(once, 1e-3));
  const u32 launches = u32(std::min(wanted, double(max_launches)));

  std::vector<double> samples;
  for (u32 i = 0; i < repeats; ++i) {
    stopwatch.start();
    for (u32 k = 0; k < launches; ++k) work();
    samples.push_back(stopwatch.milliseconds() / launches);
  }
  context.wait();
  return quartiles_of(std::move(samples));
}

BuildTimes measure_builds(Context& context, Bvh& bvh, const TriangleView& triangles, const BuildSettings& settings,
                          u32 repeats) {
  const auto build_work = [&] { rebuild_tree(context, bvh, triangles, settings); };
  const auto refit_work = [&] { refit(context, bvh, triangles); };
  BuildTimes times;
  times.build = time_calls(context, repeats, build_work);
  times.refit = time_calls(context, repeats, refit_work);
  if (context.backend() == Backend::cuda) {
    Graph build_graph = context.capture(build_work);
    times.build_graph = time_calls(context, repeats, [&] { build_graph.launch(); });
    Graph refit_graph = context.capture(refit_work);
    times.refit_graph = time_calls(context, repeats, [&] { refit_graph.launch(); });
  }
  return times;
}

WideTimes measure_layout(Context& context, Bvh& bvh, const TriangleView& triangles, const BuildSettings& settings,
                         Layout layout, u32 repeats) {
  AnyWideBvh wide = collapse_to(context, bvh, layout);
  const auto collapse_work = [&] { collapse(context, wide, bvh); };
  const auto build_work = [&] {
    rebuild_tree(context, bvh, triangles, settings);
    collapse(context, wide, bvh);
  };
  WideTimes times{.layout = layout,
                  .collapse = {},
                  .refit = {},
                  .collapse_graph = {},
                  .build_graph = {},
                  .statistics = stats(context, wide)};
  times.collapse = time_calls(context, repeats, collapse_work);
  times.refit = time_calls(context, repeats, [&] { refit(context, wide, triangles); });
  if (context.backend() == Backend::cuda) {
    build_work();
    Graph collapse_graph = context.capture(collapse_work);
    times.collapse_graph = time_calls(context, repeats, [&] { collapse_graph.launch(); });
    Graph build_graph = context.capture(build_work);
    times.build_graph = time_calls(context, repeats, [&] { build_graph.launch(); });
  }
  return times;
}

std::vector<Stage> measure_stages(Context& context, Bvh& bvh, const TriangleView& triangles,
                                  const BuildSettings& settings, u32 repeats) {
  Profile& profile = context.profile();
  std::vector<Stage> stages;
  std::vector<std::vector<double>> samples;
  for (u32 i = 0; i < repeats; ++i) {
    profile.clear();
    profile.record(true);
    rebuild_tree(context, bvh, triangles, settings);
    profile.record(false);
    stages = profile.stages();
    samples.resize(stages.size());
    for (size_t s = 0; s < stages.size(); ++s) samples[s].push_back(stages[s].milliseconds);
  }
  profile.clear();
  for (size_t s = 0; s < stages.size(); ++s) stages[s].milliseconds = median(samples[s]);
  return stages;
}

TracedRays measure_rays(Context& context, const std::vector<Ray>& rays, u32 repeats,
                        const std::function<void(BufferSpan<const Ray>, BufferSpan<Hit>)>& trace) {
  TracedRays result;
  result.times.ray_count = rays.size();
  if (rays.empty()) return result;
  const Buffer<Ray> ray_buffer(context, rays);
  Buffer<Hit> hit_buffer(context, rays.size());
  result.times.time = time_calls(context, repeats, [&] { trace(ray_buffer.span(), hit_buffer.span()); });
  result.hits = hit_buffer.download();
  result.times.hit_count = u64(std::count_if(result.hits.begin(), result.hits.end(), is_hit));
  return result;
}

TracedRays measure_rays(Context& context, const TreeView& bvh, const TraceTriangles& triangles,
                        const std::vector<Ray>& rays, u32 repeats, const TraceOptions& options) {
  return measure_rays(context, rays, repeats, [&](BufferSpan<const Ray> ray_span, BufferSpan<Hit> hits) {
    closest_hits(context, bvh, triangles, ray_span, hits, options);
  });
}

}  // namespace copse::cli

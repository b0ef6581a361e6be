#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "builders/bvh/stats.h"
#include "cli/options/layouts.h"
#include "cli/options/scene.h"
#include "primitives/core/profile.h"
#include "trace/ray.h"
#include "trace/trace_rays.h"

namespace copse::cli {

inline constexpr u32 usual_warm_ups = 3;

/// Returns the warm-ups of a batch of rays by `kernel`. On CUDA the automatic choice is learned meanwhile
/// (docs/decisions/0019-the-clock-chooses-kernels.md).
inline u32 warm_ups_of(Backend backend, TraceKernel kernel = TraceKernel::automatic) {
  constexpr u32 calls_to_learn = 80;
  return backend == Backend::cuda && kernel == TraceKernel::automatic ? calls_to_learn : usual_warm_ups;
}

/// The milliseconds of one call: the median of all samples, and the quartiles, which are the spread.
struct Timing {
  double median = 0;
  double low = 0, high = 0;  // a quarter of the samples is below low, and one above high
};

/// Returns the quartiles of one sample or more.
Timing quartiles_of(std::vector<double> samples);

/// Returns the milliseconds of one call of `work`, over `repeats` samples after a warm-up. Work shorter
/// than a few milliseconds is repeated within a sample, so that the cost and resolution of the clock do not
/// matter.
///   warm_ups: calls before the samples
Timing time_calls(Context& context, u32 repeats, const std::function<void()>& work, u32 warm_ups = usual_warm_ups);

struct BuildTimes {
  Timing build;
  Timing refit;
  // Replays of a captured CUDA graph; none on the CPU.
  std::optional<Timing> build_graph;
  std::optional<Timing> refit_graph;
};

/// Times the rebuild and the refit of a tree in place.
BuildTimes measure_builds(Context& context, Bvh& bvh, const TriangleView& triangles, const BuildSettings& settings,
                          u32 repeats);

/// The times of one wide tree, collapsed from a binary one.
struct WideTimes {
  Layout layout = Layout::bvh2;
  Timing collapse;
  Timing refit;
  std::optional<Timing> collapse_graph;
  std::optional<Timing> build_graph;  // of rebuild and collapse together
  WideBvhStats statistics;
};

/// Times collapse and refit in place.
WideTimes measure_layout(Context& context, Bvh& bvh, const TriangleView& triangles, const BuildSettings& settings,
                         Layout layout, u32 repeats);

/// Returns the stages of a rebuild, each with its median time.
std::vector<Stage> measure_stages(Context& context, Bvh& bvh, const TriangleView& triangles,
                                  const BuildSettings& settings, u32 repeats);

struct RayTimes {
  u64 ray_count = 0;
  u64 hit_count = 0;
  Timing time;

  double giga_rays_per_second() const { return double(ray_count) / time.median * 1e-6; }
};

/// Times trace(rays, results), and counts the results that is_hit_of(result) says are hits. Without rays, the time
/// is 0.
template <class Result, class Trace, class IsHit>
RayTimes measure_batch(Context& context, BufferSpan<const Ray> rays, u32 repeats, u32 warm_ups, const Trace& trace,
                       const IsHit& is_hit_of) {
  RayTimes times;
  times.ray_count = rays.size();
  if (rays.empty()) return times;
  Buffer<Result> results(context, rays.size());
  times.time = time_calls(
      context, repeats, [&] { trace(rays, results.span()); }, warm_ups);
  const std::vector<Result> found = results.download();
  times.hit_count = u64(std::count_if(found.begin(), found.end(), is_hit_of));
  return times;
}

struct TracedRays {
  RayTimes times;
  std::vector<Hit> hits;
};

/// Times `trace(rays, hits)`. Without rays, the time is 0.
TracedRays measure_rays(Context& context, const std::vector<Ray>& rays, u32 repeats,
                        const std::function<void(BufferSpan<const Ray>, BufferSpan<Hit>)>& trace);

/// Times closest_hits for these rays. Without rays, the time is 0.
TracedRays measure_rays(Context& context, const TreeView& bvh, const TraceTriangles& triangles,
                        const std::vector<Ray>& rays, u32 repeats, const TraceOptions& options = {});

}  // namespace copse::cli

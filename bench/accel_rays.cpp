// Measures rays on the CPU as a caller of Accel has them, beside Embree's single rays in the same process.
//
//   copse-bench-accel-rays MESH|hairball [SUBDIVISIONS] [--inside] [--fast] [--benchmark_...]
//
// The rays start at one view: 1024 x 1024 primary rays, and for each that hits a diffuse ray and a shadow ray. With
// --inside the view is in the middle of the scene. The structure is an Accel of quality best; --fast takes quality
// fast. The rows are KIND/QUERY/WAY:
//
//   KIND    primary, diffuse or shadow
//   QUERY   closest, beside rtcIntersect1, or any, beside rtcOccluded1
//   WAY     batch: closest_hits and any_hits; single: closest_hit and any_hit in a loop of the caller's own
//
// Times are processor times. Ours and Embree's are taken in turn, and `ratio` is the median over the pairs, so that
// other programs on the machine matter little.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <cmath>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "accel/accel_view.h"
#include "bench/embree_rays.h"
#include "bench/support/median.h"
#include "bench/support/mesh_program.h"
#include "bench/support/scene_rays.h"
#include "copse.h"

namespace copse::bench {
namespace {

constexpr size_t grain = 2048;  // as in batches

/// Everything that rays are traced through, in a context's memory.
struct Scene {
  Context context{{.backend = Backend::cpu}};
  Accel accel;
  EmbreeRays embree;
  std::vector<Ray> primary, diffuse, shadow;

  Scene(const Mesh& mesh, bool is_inside, Quality quality)
      : embree(mesh), primary(make_primary_rays(default_eye(bounds(mesh), is_inside), 1024)) {
    const Buffer<vec3> positions(context, mesh.positions);
    const Buffer<uvec3> indices(context, mesh.triangles);
    const TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
    accel = build(context, triangles, {.quality = quality});
    std::vector<Hit> hits;
    embree.closest_hits(primary, hits);
    diffuse = make_diffuse_rays(mesh, bounds(mesh), primary, hits);
    const vec3 light = shadow_light(bounds(mesh), default_eye(bounds(mesh), is_inside), is_inside);
    shadow = make_shadow_rays(mesh, bounds(mesh), primary, hits, light);
  }
};

/// The closest hits of rays, and Embree's.
struct Closest {
  using Result = Hit;

  static void batch(Scene& scene, const std::vector<Ray>& rays, std::vector<Hit>& hits) {
    closest_hits(scene.context, scene.accel, BufferSpan<const Ray>(rays.data(), rays.size()),
                 BufferSpan<Hit>(hits.data(), hits.size()));
  }
  static Hit single(const AccelView& accel, const Ray& ray) { return closest_hit(accel, ray); }
  static void embree(const Scene& scene, const std::vector<Ray>& rays, std::vector<Hit>& hits) {
    scene.embree.closest_hits(rays, hits);
  }
  /// True if Embree found another triangle at a distance that rounding does not explain, or if only one of the two
  /// found a triangle. Embree tests triangles in another way, with far fewer guarantees at their edges.
  static bool differ(const Hit& ours, const Hit& other) {
    if (ours.primitive == other.primitive) return false;
    return !(is_hit(ours) && is_hit(other) && std::abs(ours.t - other.t) <= 1e-4f * ours.t);
  }
};

/// Whether rays hit anything, and Embree's answers.
struct Any {
  using Result = u8;

  static void batch(Scene& scene, const std::vector<Ray>& rays, std::vector<u8>& occluded) {
    any_hits(scene.context, scene.accel, BufferSpan<const Ray>(rays.data(), rays.size()),
             BufferSpan<u8>(occluded.data(), occluded.size()));
  }
  static u8 single(const AccelView& accel, const Ray& ray) { return any_hit(accel, ray) ? 1 : 0; }
  static void embree(const Scene& scene, const std::vector<Ray>& rays, std::vector<u8>& occluded) {
    scene.embree.any_hits(rays, occluded);
  }
  static bool differ(u8 ours, u8 other) { return ours != other; }
};

template <class Query>
void trace_singly(Scene& scene, const std::vector<Ray>& rays, std::vector<typename Query::Result>& results) {
  const AccelView view = scene.accel.view();
  tbb::parallel_for(tbb::blocked_range<size_t>(0, rays.size(), grain), [&](const auto& range) {
    for (size_t i = range.begin(); i < range.end(); ++i) results[i] = Query::single(view, rays[i]);
  });
}

template <class Work>
double processor_seconds_of(const Work& work) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

using Rays = std::vector<Ray> Scene::*;

template <class Query>
void row(benchmark::State& state, Scene* scene, Rays asked, bool is_batch) {
  const std::vector<Ray>& rays = scene->*asked;
  std::vector<typename Query::Result> ours(rays.size()), others;
  std::vector<double> our_seconds, ratios;
  const auto trace = [&] {
    is_batch ? Query::batch(*scene, rays, ours) : trace_singly<Query>(*scene, rays, ours);
  };
  trace();
  for (auto _ : state) {
    our_seconds.push_back(processor_seconds_of(trace));
    const double embree_seconds = processor_seconds_of([&] { Query::embree(*scene, rays, others); });
    ratios.push_back(embree_seconds / our_seconds.back());
    state.SetIterationTime(our_seconds.back());
  }
  size_t different = 0;
  for (size_t i = 0; i < rays.size(); ++i) different += Query::differ(ours[i], others[i]) ? 1 : 0;
  const double rate = 1e-6 * double(rays.size()) * std::thread::hardware_concurrency() / median(our_seconds);
  state.counters["rays"] = double(rays.size());
  state.counters["mrays_per_s"] = rate;
  state.counters["embree_mrays_per_s"] = rate / median(ratios);
  state.counters["ratio"] = median(ratios);
  state.counters["different"] = double(different);
  if (different > rays.size() / 500) state.SkipWithError("Embree finds other hits");
}

void add_benchmarks(Scene& scene) {
  using Row = void (*)(benchmark::State&, Scene*, Rays, bool);
  const std::pair<const char*, Rays> kinds[] = {
      {"primary", &Scene::primary}, {"diffuse", &Scene::diffuse}, {"shadow", &Scene::shadow}};
  const std::pair<const char*, Row> queries[] = {{"closest", row<Closest>}, {"any", row<Any>}};
  for (const auto& [kind, rays] : kinds) {
    for (const auto& [query, run] : queries) {
      for (const bool is_batch : {true, false}) {
        const std::string name = std::string(kind) + "/" + query + (is_batch ? "/batch" : "/single");
        benchmark::RegisterBenchmark(name.c_str(), run, &scene, rays, is_batch)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond)
            ->Iterations(9);
      }
    }
  }
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  bool is_inside = false, is_fast = false;
  return bench::run_mesh_program("Rays through an Accel on the CPU beside Embree's", argc, argv,
                                 [&](const Mesh& mesh) {
                                   bench::Scene scene(mesh, is_inside, is_fast ? Quality::fast : Quality::best);
                                   bench::add_benchmarks(scene);
                                   bench::run_benchmarks();
                                 },
                                 {{"--inside", "Rays from the middle of the scene", &is_inside},
                                  {"--fast", "A structure of quality fast", &is_fast}});
}

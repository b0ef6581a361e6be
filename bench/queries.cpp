// Measures queries over a mesh other than rays, on both backends, beside Embree's rtcPointQuery in the same
// process.
//
//   copse-bench-queries MESH|hairball [SUBDIVISIONS] [--benchmark_...]
//
// Points of kind "box" lie in the box of the mesh grown by a tenth, in no order. Points of kind "surface" lie
// within a hundredth of its diagonal from the surface, in the order of its triangles. The trees are H-PLOC's.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bench/support/median.h"
#include "bench/support/mesh_program.h"
#include "copse.h"
#include "copse/queries.h"
#if COPSE_HAS_EMBREE
#include "bench/embree_queries.h"
#endif

namespace copse::bench {
namespace {

struct Scene {
  Mesh mesh;
  float diagonal;
  std::vector<vec3> box_points, surface_points;
};

std::vector<vec3> points_in_box(const Aabb& box, u32 count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> part(-0.1f, 1.1f);
  std::vector<vec3> points(count);
  for (vec3& p : points) {
    const float x = part(random), y = part(random), z = part(random);
    p = box.lo + (box.hi - box.lo) * vec3(x, y, z);
  }
  return points;
}

std::vector<vec3> points_at_surface(const Mesh& mesh, float reach, u32 count) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> part(0, 1);
  std::vector<vec3> points(count);
  for (u32 i = 0; i < count; ++i) {
    const uvec3 t = mesh.triangles[u64{i} * mesh.triangles.size() / count];
    const vec3 a = mesh.positions[t.x], b = mesh.positions[t.y], c = mesh.positions[t.z];
    const float u = part(random), v = part(random) * (1 - u);
    const float x = part(random) - 0.5f, y = part(random) - 0.5f, z = part(random) - 0.5f;
    points[i] = a + u * (b - a) + v * (c - a) + 1.15f * reach * vec3(x, y, z);
  }
  return points;
}

Scene make_scene(Mesh mesh, u32 point_count) {
  Scene scene{std::move(mesh), 0, {}, {}};
  const Aabb box = bounds(scene.mesh);
  scene.diagonal = glm::distance(box.lo, box.hi);
  scene.box_points = points_in_box(box, point_count);
  scene.surface_points = points_at_surface(scene.mesh, 0.01f * scene.diagonal, point_count);
  return scene;
}

/// A scene's tree and points in a context's memory.
struct Loaded {
  Context context;
  Buffer<vec3> positions;
  Buffer<uvec3> indices;
  TriangleView triangles;
  Bvh bvh;
  Buffer<vec3> points;

  Loaded(const Scene& scene, Backend backend, const std::vector<vec3>& asked)
      : context({.backend = backend}),
        positions(context, scene.mesh.positions),
        indices(context, scene.mesh.triangles),
        triangles{.positions = positions.span(), .triangles = indices.span()},
        bvh(build(context, triangles, HplocOptions{})),
        points(context, asked) {}
};

void report(benchmark::State& state, u64 n) {
  state.counters["queries"] = double(n);
  state.counters["queries_per_s"] = benchmark::Counter(double(n), benchmark::Counter::kIsIterationInvariantRate);
}

/// Times `ask(loaded)`. A first call, which is not timed, warms up.
template <class Ask>
void measure(benchmark::State& state, Loaded& loaded, u64 n, const Ask& ask) {
  ask(loaded);
  loaded.context.wait();
  for (auto _ : state) {
    Stopwatch stopwatch(loaded.context);
    ask(loaded);
    state.SetIterationTime(stopwatch.milliseconds() * 1e-3);
  }
  report(state, n);
}

using Points = std::vector<vec3> Scene::*;

void nearest(benchmark::State& state, const Scene* scene, Backend backend, Points points) {
  Loaded loaded(*scene, backend, scene->*points);
  Buffer<NearestPoint> result(loaded.context, loaded.points.size());
  measure(state, loaded, loaded.points.size(), [&](Loaded& l) {
    nearest_points(l.context, l.bvh.view(), l.triangles, l.points.span(), result.span());
  });
}

void neighbours(benchmark::State& state, const Scene* scene, Backend backend, Points points, u32 k) {
  Loaded loaded(*scene, backend, scene->*points);
  Buffer<Neighbour> result(loaded.context, k * loaded.points.size());
  measure(state, loaded, loaded.points.size(), [&](Loaded& l) {
    nearest_primitives(l.context, l.bvh.view(), l.triangles, l.points.span(), result.span());
  });
}

void inside(benchmark::State& state, const Scene* scene, Backend backend, Points points) {
  Loaded loaded(*scene, backend, scene->*points);
  Buffer<u8> result(loaded.context, loaded.points.size());
  measure(state, loaded, loaded.points.size(),
          [&](Loaded& l) { points_inside(l.context, l.bvh.view(), l.triangles, l.points.span(), result.span()); });
}

template <class Region>
std::vector<Region> regions_at(const std::vector<vec3>& points, float radius) {
  std::vector<Region> regions;
  for (const vec3& p : points) {
    if constexpr (std::is_same_v<Region, Sphere>) {
      regions.push_back({p, radius});
    } else {
      regions.push_back({p - radius, p + radius});
    }
  }
  return regions;
}

template <class Region>
void count_regions(benchmark::State& state, const Scene* scene, Backend backend, Points points) {
  Loaded loaded(*scene, backend, scene->*points);
  const Buffer<Region> regions(loaded.context, regions_at<Region>(scene->*points, 0.01f * scene->diagonal));
  Buffer<u32> counts(loaded.context, regions.size());
  measure(state, loaded, regions.size(), [&](Loaded& l) {
    count_overlaps<Region>(l.context, l.bvh.view(), l.triangles, regions.span(), counts.span());
  });
  double found = 0;
  for (const u32 count : counts.download()) found += count;
  state.counters["found"] = found / double(regions.size());
}

void pairs(benchmark::State& state, const Scene* scene, Backend backend, bool exact) {
  Loaded loaded(*scene, backend, {});
  const SelfOverlapOptions options{.exact_triangles = exact};
  Buffer<u64> total(loaded.context, 1);
  Buffer<PrimitivePair> result = self_overlaps(loaded.context, loaded.bvh.view(), loaded.triangles, options);
  measure(state, loaded, scene->mesh.triangles.size(), [&](Loaded& l) {
    find_self_overlaps(l.context, l.bvh.view(), l.triangles, options, result.span(), total.span());
  });
  state.counters["found"] = double(result.size());
}

void overlap_measure(benchmark::State& state, const Scene* scene, Backend backend) {
  Loaded loaded(*scene, backend, {});
  double value = 0;
  measure(state, loaded, scene->mesh.triangles.size(),
          [&](Loaded& l) { value = end_point_overlap(l.context, l.bvh, l.triangles); });
  state.counters["epo"] = value;
}

#if COPSE_HAS_EMBREE

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Times ours and Embree's in turn, so that a machine that is busy at times slows down both. The row's time is
/// ours.
void measure_in_turn(benchmark::State& state, u64 n, const std::function<void()>& ours,
                     const std::function<void()>& embrees) {
  ours();
  embrees();
  std::vector<double> our_seconds, embree_seconds;
  for (auto _ : state) {
    our_seconds.push_back(seconds_of(ours));
    embree_seconds.push_back(seconds_of(embrees));
    state.SetIterationTime(our_seconds.back());
  }
  report(state, n);
  state.counters["ours_ms"] = 1e3 * median(our_seconds);
  state.counters["embree_ms"] = 1e3 * median(embree_seconds);
  state.counters["embree_over_ours"] = median(embree_seconds) / median(our_seconds);
}

void nearest_beside_embree(benchmark::State& state, const Scene* scene, Points points) {
  Loaded loaded(*scene, Backend::cpu, scene->*points);
  Buffer<NearestPoint> result(loaded.context, loaded.points.size());
  const EmbreeQueries embree(scene->mesh);
  std::vector<float> distances;
  measure_in_turn(
      state, loaded.points.size(),
      [&] {
        nearest_points(loaded.context, loaded.bvh.view(), loaded.triangles, loaded.points.span(), result.span());
      },
      [&] { embree.nearest_distances(scene->*points, distances); });
  const std::vector<NearestPoint> found = result.download();
  double largest_difference = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    largest_difference = std::max(largest_difference, std::abs(double(found[i].distance) - double(distances[i])));
  }
  state.counters["difference"] = largest_difference / scene->diagonal;
  if (!(largest_difference <= 1e-5 * scene->diagonal)) state.SkipWithError("Embree finds other distances");
}

void count_beside_embree(benchmark::State& state, const Scene* scene, Points points) {
  Loaded loaded(*scene, Backend::cpu, scene->*points);
  const float radius = 0.01f * scene->diagonal;
  const Buffer<Sphere> spheres(loaded.context, regions_at<Sphere>(scene->*points, radius));
  Buffer<u32> counts(loaded.context, spheres.size());
  const EmbreeQueries embree(scene->mesh);
  std::vector<u32> embree_counts;
  measure_in_turn(
      state, spheres.size(),
      [&] {
        count_overlaps<Sphere>(loaded.context, loaded.bvh.view(), loaded.triangles, spheres.span(), counts.span());
      },
      [&] { embree.count_within(scene->*points, radius, embree_counts); });
  const std::vector<u32> found = counts.download();
  u64 all = 0, different = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    all += found[i];
    different += u64(std::abs(i64(found[i]) - i64(embree_counts[i])));
  }
  state.counters["different"] = double(different);
  // A triangle at exactly the radius may count or may not.
  if (different > all / 10000) state.SkipWithError("Embree counts otherwise");
}

#endif

template <class... Args>
void add(const std::string& name, Args... args) {
  benchmark::RegisterBenchmark(name.c_str(), args...)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.1);
}

void add_benchmarks(const Scene& scene) {
  const std::map<std::string, Points> places{{"box", &Scene::box_points}, {"surface", &Scene::surface_points}};
  for (Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !gpu_answers()) continue;
    const std::string suffix = std::string("/") + name_of(backend);
    for (const auto& [place, points] : places) {
      add("nearest/" + place + suffix, nearest, &scene, backend, points);
      add("nearest_8/" + place + suffix, neighbours, &scene, backend, points, 8u);
      add("inside/" + place + suffix, inside, &scene, backend, points);
      add("count_in_sphere/" + place + suffix, count_regions<Sphere>, &scene, backend, points);
      add("count_in_box/" + place + suffix, count_regions<Aabb>, &scene, backend, points);
    }
    add("self_overlaps/triangles" + suffix, pairs, &scene, backend, true);
    add("self_overlaps/boxes" + suffix, pairs, &scene, backend, false);
    add("end_point_overlap" + suffix, overlap_measure, &scene, backend);
  }
#if COPSE_HAS_EMBREE
  for (const auto& [place, points] : places) {
    add("nearest/" + place + "/cpu_and_embree", nearest_beside_embree, &scene, points);
    add("count_in_sphere/" + place + "/cpu_and_embree", count_beside_embree, &scene, points);
  }
#endif
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  return bench::run_mesh_program("Queries beyond rays, beside Embree's", argc, argv, [](const Mesh& mesh) {
    constexpr u32 points_on_gpu = 1u << 20, points_on_cpu = 1u << 16;
    const bench::Scene scene = bench::make_scene(mesh, bench::gpu_answers() ? points_on_gpu : points_on_cpu);
    bench::add_benchmarks(scene);
    bench::run_benchmarks();
  });
}

// Measures batches of small meshes, and worlds of instances.
//
//   copse-bench-batches [--benchmark_...]
//
// Rows: batch/STEP/MESHES/TRIANGLES, of meshes of so many triangles each, as a captured graph. STEP is rebuild,
//       rebuild_lbvh, by that builder, refit, or
//       refit_tenth, which fits every tenth mesh; `one` is an Accel of as many triangles, for comparison;
//       batch/STEP/mixed: a mesh of 2^18 triangles, and 9,999 of one;
//       batch/STEP/16to4096: 10,000 meshes of 16 to 4096 triangles, as many of each power of two;
//       worlds/STEP/WORLDS/INSTANCES, of cubes, as a captured graph.

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/support/mesh_program.h"
#include "bench/support/timed.h"
#include "builders/geometry/generate.h"
#include "copse.h"

namespace copse::bench {
namespace {

/// Meshes of random triangles, whose positions stand in one buffer.
struct ManyMeshes {
  Context context;
  Buffer<vec3> positions;
  std::vector<TriangleView> views;

  ManyMeshes(Backend backend, const std::vector<u64>& sizes) : context({.backend = backend}) {
    std::vector<u64> begins{0};
    for (const u64 size : sizes) begins.push_back(begins.back() + size);
    const Mesh soup = generate_random(u32(begins.back()), 0.01f);
    std::vector<vec3> points;
    for (const uvec3& t : soup.triangles) {
      for (int k = 0; k < 3; ++k) points.push_back(soup.positions[t[k]]);
    }
    positions = Buffer<vec3>(context, points);
    views = mesh_views(TriangleView{.positions = positions.span()}, begins);
  }
};

void measure_batch(benchmark::State& state, Backend backend, const std::string& step,
                   const std::vector<u64>& sizes) {
  ManyMeshes meshes(backend, sizes);
  Context& context = meshes.context;
  if (step == "one") {
    const TriangleView all{.positions = meshes.positions.span()};
    Accel accel = build(context, all, {.quality = Quality::fast});
    return time_captured(state, context, [&] { rebuild(context, accel, all); });
  }
  const BatchBuilder builder = step == "rebuild_lbvh"       ? BatchBuilder::lbvh
                               : step == "rebuild_balanced" ? BatchBuilder::balanced
                                                            : BatchBuilder::hploc;
  AccelBatch batch = build_batch(context, meshes.views, {builder});
  state.counters["bytes_per_triangle"] = double(batch.size_bytes()) / double(batch.triangle_count());
  if (step.starts_with("rebuild")) return time_captured(state, context, [&] { rebuild(context, batch); });
  std::vector<u32> moved(sizes.size(), step == "refit" ? 1 : 0);
  for (u64 i = 0; i < moved.size(); i += 10) moved[i] = 1;
  const Buffer<u32> device_moved(context, moved);
  time_captured(state, context, [&] { refit(context, batch, device_moved.span()); });
}

/// Cubes at random places of their worlds.
void measure_worlds(benchmark::State& state, Backend backend, bool refits, u32 world_count, u32 instance_count) {
  Context context({.backend = backend});
  const Mesh cube = generate_cube();
  const Buffer<vec3> positions(context, cube.positions);
  const Buffer<uvec3> triangles(context, cube.triangles);
  const Accel accel = build(context, TriangleView{.positions = positions.span(), .triangles = triangles.span()});
  const Mesh places = generate_random(u64{world_count} * instance_count, 0.01f);
  std::vector<Instance> host(places.triangles.size());
  for (u64 i = 0; i < host.size(); ++i) {
    const vec3 at = places.positions[places.triangles[i].x];
    for (int axis = 0; axis < 3; ++axis) host[i].rows[axis][3] = 20 * at[axis];
  }
  std::vector<u32> begins;
  for (u32 world = 0; world <= world_count; ++world) begins.push_back(world * instance_count);
  const Buffer<Instance> instances(context, host);
  const InstanceView view = InstanceView::of(instances.span());
  SceneWorlds worlds = build_worlds(context, accel, view, begins);
  time_captured(state, context, [&] { refits ? refit(context, worlds, view) : rebuild(context, worlds, view); });
}

template <class Function>
void add(const std::string& name, Backend backend, const Function& function) {
  benchmark::RegisterBenchmark((name + "/" + name_of(backend)).c_str(), function)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void add_batches(Backend backend) {
  std::vector<u64> mixed(10'000, 1), even_powers;
  mixed[5000] = u64{1} << 18;
  for (u32 i = 0; i < 10'000; ++i)
    even_powers.push_back(u64(std::exp2(4 + 8 * float(i * 7919 % 10'000) / 10'000)));
  for (const std::string step : {"rebuild", "rebuild_lbvh", "rebuild_balanced", "refit", "refit_tenth", "one"}) {
    for (const auto& [meshes, triangles] : {std::pair{10'000u, 500u}, std::pair{100'000u, 50u}}) {
      if (backend == Backend::cpu && meshes > 10'000) continue;
      const std::vector<u64> sizes(meshes, triangles);
      add("batch/" + step + "/" + std::to_string(meshes) + "/" + std::to_string(triangles), backend,
          [=](benchmark::State& state) { measure_batch(state, backend, step, sizes); });
    }
    for (const auto& [name, sizes] : {std::pair{"mixed", mixed}, std::pair{"16to4096", even_powers}}) {
      add("batch/" + step + "/" + name, backend,
          [=](benchmark::State& state) { measure_batch(state, backend, step, sizes); });
    }
  }
}

void add_worlds(Backend backend) {
  for (const bool refits : {false, true}) {
    add(std::string("worlds/") + (refits ? "refit" : "rebuild") + "/4096/50", backend,
        [=](benchmark::State& state) { measure_worlds(state, backend, refits, 4096, 50); });
  }
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !bench::gpu_answers()) continue;
    bench::add_batches(backend);
    bench::add_worlds(backend);
  }
  bench::run_benchmarks();
  return 0;
}

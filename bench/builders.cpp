// Measures LBVH, H-PLOC and SAH over ready boxes, with one primitive per leaf. Embree's rtcBuildBVH, at low and at
// medium quality, runs beside them in the same process.
//
//   copse-bench-builders MESH|hairball [SUBDIVISIONS] [--benchmark_...]

#include <thread>

#include "bench/embree_builder.h"
#include "bench/support/mesh_program.h"
#include "copse.h"

namespace copse::bench {
namespace {

std::vector<Aabb> boxes_of(const Mesh& mesh) {
  std::vector<Aabb> boxes;
  for (const uvec3& t : mesh.triangles) {
    boxes.push_back(bounds(Triangle{mesh.positions[t.x], mesh.positions[t.y], mesh.positions[t.z]}));
  }
  return boxes;
}

void report(benchmark::State& state, u64 n) {
  state.counters["primitives"] = double(n);
  state.counters["primitives_per_s"] =
      benchmark::Counter(double(n), benchmark::Counter::kIsIterationInvariantRate);
}

/// Times rebuilds of a tree.
void copse_rebuilds(benchmark::State& state, Backend backend, const AnyBuildOptions& options,
                    const std::vector<Aabb>* boxes) {
  Context context({.backend = backend});
  const Buffer<Aabb> buffer(context, *boxes);
  const BoxView view{buffer.span()};
  Bvh bvh = build(context, view, options);
  for (auto _ : state) {
    Stopwatch stopwatch(context);
    rebuild(context, bvh, view, options);
    state.SetIterationTime(stopwatch.milliseconds() * 1e-3);
  }
  report(state, boxes->size());
  state.counters["sah"] = stats(context, bvh).sah_cost;
}

#if COPSE_HAS_EMBREE
void embree(benchmark::State& state, EmbreeBuilder::Quality quality, const std::vector<Aabb>* boxes) {
  EmbreeBuilder builder(*boxes, std::thread::hardware_concurrency());
  double sah_cost = builder.build(quality).sah_cost;
  for (auto _ : state) {
    const EmbreeBuilder::Result result = builder.build(quality);
    state.SetIterationTime(result.milliseconds * 1e-3);
    sah_cost = result.sah_cost;
  }
  report(state, boxes->size());
  state.counters["sah"] = sah_cost;
}
#endif

void add_benchmarks(const std::vector<Aabb>& boxes) {
  const auto settle = [](benchmark::internal::Benchmark* b) {
    b->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2.0);
  };
  for (Backend backend : {Backend::cpu, Backend::cuda}) {
    if (backend == Backend::cuda && !gpu_answers()) continue;
    for (u32 bits : {30u, 63u}) {
      const std::string name =
          std::string("copse_lbvh/") + name_of(backend) + "/" + std::to_string(bits) + "_bits";
      settle(benchmark::RegisterBenchmark(name.c_str(), copse_rebuilds, backend, LbvhOptions{.morton_bits = bits},
                                          &boxes));
    }
    for (u32 radius : {3u, 4u, 8u}) {
      const std::string name =
          std::string("copse_hploc/") + name_of(backend) + "/radius_" + std::to_string(radius);
      settle(benchmark::RegisterBenchmark(name.c_str(), copse_rebuilds, backend, HplocOptions{.radius = radius},
                                          &boxes));
    }
    const std::string name = std::string("copse_sah/") + name_of(backend);
    settle(benchmark::RegisterBenchmark(name.c_str(), copse_rebuilds, backend, SahOptions{}, &boxes));
  }
#if COPSE_HAS_EMBREE
  using Quality = EmbreeBuilder::Quality;
  settle(benchmark::RegisterBenchmark("embree_rtcBuildBVH_low/cpu", embree, Quality::low, &boxes));
  settle(benchmark::RegisterBenchmark("embree_rtcBuildBVH_medium/cpu", embree, Quality::medium, &boxes));
#endif
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  return bench::run_mesh_program("Builders over boxes, beside Embree's", argc, argv, [](const Mesh& mesh) {
    const std::vector<Aabb> boxes = bench::boxes_of(mesh);
    bench::add_benchmarks(boxes);
    bench::run_benchmarks();
  });
}

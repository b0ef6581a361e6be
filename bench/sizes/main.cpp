// Measures the time of a build by its size: height fields of 10^4 to 10^9 triangles, made on the device, with one
// triangle per leaf.
//
//   copse-bench-sizes [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//
// A row has these counters: `ns_per_triangle`; `mesh_bytes`, `result_bytes` and `scratch_bytes`; and `peak_bytes`,
// their sum, which is everything that the build needs at once. If a size does not fit into memory, the row says
// so. On the CPU, sizes go up to 10^7.
//
// On a GPU the rows lbvh-in-slices/LIMIT build in slices within a limit of device memory; triangles and tree are in host
// memory. `link_ms` is the time of their copies alone, and `times_link` how many times that the build takes.

#include <benchmark/benchmark.h>

#include <cstdio>

#include "bench/sizes/height_field.h"
#include "bench/sizes/sliced_builds.h"
#include "copse.h"
#include "copse_commit.h"

namespace copse::bench {
namespace {

struct Lbvh {
  static constexpr const char* name = "lbvh";
  static Bvh build(Context& context, const TriangleView& mesh) {
    return copse::build(context, mesh, LbvhOptions{});
  }
  static void measured(Context& context, Bvh& bvh, const TriangleView& mesh) {
    copse::rebuild(context, bvh, mesh, LbvhOptions{});
  }
};

struct Hploc {
  static constexpr const char* name = "hploc";
  static Bvh build(Context& context, const TriangleView& mesh) {
    return copse::build(context, mesh, HplocOptions{});
  }
  static void measured(Context& context, Bvh& bvh, const TriangleView& mesh) {
    copse::rebuild(context, bvh, mesh, HplocOptions{});
  }
};

struct Refit {
  static constexpr const char* name = "refit";
  static Bvh build(Context& context, const TriangleView& mesh) {
    return copse::build(context, mesh, LbvhOptions{});
  }
  static void measured(Context& context, Bvh& bvh, const TriangleView& mesh) { refit(context, bvh, mesh); }
};

template <class Work>
void measure(benchmark::State& state, Backend backend) {
  const u64 n = u64(state.range(0));
  try {
    Context context({.backend = backend});
    const HeightField field = make_height_field(context, n);
    Bvh bvh = Work::build(context, field.view());
    Work::measured(context, bvh, field.view());
    context.wait();
    double seconds = 0;
    for (auto _ : state) {
      Stopwatch stopwatch(context);
      Work::measured(context, bvh, field.view());
      const double once = stopwatch.milliseconds() * 1e-3;
      state.SetIterationTime(once);
      seconds += once;
    }
    state.counters["ns_per_triangle"] = seconds / double(state.iterations()) / double(n) * 1e9;
    state.counters["mesh_bytes"] = double(field.size_bytes());
    state.counters["result_bytes"] = double(bvh.size_bytes());
    state.counters["scratch_bytes"] = double(context.scratch_bytes());
    state.counters["peak_bytes"] = double(field.size_bytes() + bvh.size_bytes() + context.scratch_bytes());
    const BvhCounts counts = bvh.counts.download().at(0);
    if (counts.primitive_count != n) state.SkipWithError("not every triangle is in the tree");
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

template <class Work>
void add_rows(Backend backend) {
  auto* row = benchmark::RegisterBenchmark(Work::name,
                                           [backend](benchmark::State& state) { measure<Work>(state, backend); });
  row->UseManualTime()->Unit(benchmark::kMillisecond)->ArgName("n")->MinTime(0.1);
  const i64 most = backend == Backend::cuda ? 1000000000 : 10000000;
  for (i64 n = 10000; n <= most; n *= 10) {
    row->Arg(n);
    if (3 * n <= most) row->Arg(3 * n);
  }
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  std::string device;
  Backend backend = Backend::cpu;
  {
    const Context context;
    backend = context.backend();
    device = context.device_name();
  }
  bench::add_rows<bench::Lbvh>(backend);
  bench::add_rows<bench::Hploc>(backend);
  bench::add_rows<bench::Refit>(backend);
  if (backend == Backend::cuda) bench::add_sliced_builds();
  benchmark::AddCustomContext("commit", COPSE_COMMIT);
  benchmark::AddCustomContext("device", device);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

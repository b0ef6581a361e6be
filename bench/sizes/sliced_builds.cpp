#include "bench/sizes/sliced_builds.h"

#include <benchmark/benchmark.h>

#include <future>

#include "bench/sizes/height_field.h"
#include "copse.h"
#include "copse/scale.h"
#include "scale/links/staged_copies.h"

namespace copse::bench {
namespace {

/// Returns the seconds of the copies of a sliced build without its other work: the boxes go to the GPU while the tree
/// comes back, both in pieces through page-locked memory.
double link_seconds(Context& device, u64 triangle_count) {
  constexpr u64 block = u64{1} << 30;
  const auto copies = detail::make_gpu_copies(device);
  Buffer<u8> up(device, block), down(device, block);
  const auto in_blocks = [&](u64 bytes, const auto& copy) {
    for (u64 begin = 0; begin < bytes; begin += block) copy(std::min(block, bytes - begin));
  };
  Stopwatch stopwatch(device);
  auto uploads = std::async(std::launch::async, [&] {
    in_blocks(triangle_count * sizeof(Aabb),
              [&](u64 bytes) { copies->upload(up.data(), bytes, [](void*, u64, u64) {}); });
  });
  in_blocks(bvh_bytes(triangle_count),
            [&](u64 bytes) { copies->download(down.data(), bytes, [](const void*, u64, u64) {}); });
  uploads.get();
  return stopwatch.milliseconds() * 1e-3;
}

void measure_sliced_build(benchmark::State& state, u64 memory_bytes) {
  const u64 n = u64(state.range(0));
  try {
    Context host({.backend = Backend::cpu}), device({.backend = Backend::cuda});
    const HeightField field = make_height_field(host, n);
    const SlicedBuildOptions options{.memory_bytes = memory_bytes};
    const SlicedBuildSizes sizes = sliced_build_sizes(device, n, options);
    const double link = link_seconds(device, n);
    double seconds = 0;
    for (auto _ : state) {
      Stopwatch stopwatch(host);
      const Bvh bvh = build_in_slices(host, device, field.view(), options);
      const double once = stopwatch.milliseconds() * 1e-3;
      state.SetIterationTime(once);
      seconds += once;
      if (bvh.counts.data()->primitive_count != n) state.SkipWithError("not every triangle is in the tree");
    }
    seconds /= double(state.iterations());
    state.counters["ns_per_triangle"] = seconds / double(n) * 1e9;
    state.counters["slices"] = double(sizes.slice_count);
    state.counters["device_bytes"] = double(sizes.device_bytes);
    state.counters["link_ms"] = link * 1e3;
    state.counters["times_link"] = seconds / link;
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace

void add_sliced_builds() {
  for (const u64 gib : {2, 16}) {
    const std::string name = "lbvh-in-slices/" + std::to_string(gib) + "GiB";
    auto* row = benchmark::RegisterBenchmark(
        name.c_str(), [gib](benchmark::State& state) { measure_sliced_build(state, gib << 30); });
    row->UseManualTime()->Unit(benchmark::kMillisecond)->ArgName("n")->MinTime(0.1);
    for (const i64 n : {10000000, 100000000, 300000000, 1000000000}) row->Arg(n);
  }
}

}  // namespace copse::bench

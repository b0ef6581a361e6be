// Measures the time of a build by its size: height fields of 10^4 to 10^9 triangles, made on the device, with one
// triangle per leaf.
//
//   copse-bench-sizes [--benchmark_filter=REGEX] [--benchmark_out=FILE.json]
//   copse-bench-sizes --gpus 1,2,4,8 [--check TRIANGLES] [--benchmark_...]
//   copse-bench-sizes --ranks 1,2,4,8 [--check TRIANGLES] [--benchmark_...]
//
// A row has these counters: `ns_per_triangle`; `mesh_bytes`, `result_bytes` and `scratch_bytes`; and `peak_bytes`,
// their sum, which is everything that the build needs at once. If a size does not fit into memory, the row says
// so. On the CPU, sizes go up to 10^7.
//
// On a GPU the rows lbvh-in-slices/LIMIT build in slices within a limit of device memory; triangles and tree are in host
// memory. `link_ms` is the time of their copies alone, and `times_link` how many times that the build takes.
//
// With --gpus, the rows are of trees whose parts are on several GPUs, for each of the numbers. First come the links:
// all-to-all, and all pairs one after another. Then lbvh-sharded, hploc-sharded, and refit-sharded of an LBVH: `regions`
// are triangles that hardly move, because each rank brings a region; of those `scattered` nearly all move. `local_ms` is
// the time of trees that each rank builds or fits of its own triangles alone, `link_ms` that of the bytes of the rank that
// sends the most, and `times_bound` how many times the sum of both a build takes. "ms ..." are stages, each of the slowest
// rank. --ranks does the same by threads of the CPU, each with one worker: it shows that the rows work, not how they
// scale. Up to --check triangles, default a million, the gathered tree is compared with that of one context.

#include <benchmark/benchmark.h>

#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "bench/sizes/height_field.h"
#include "bench/sizes/sharded_builds.h"
#include "bench/sizes/sliced_builds.h"
#include "copse.h"
#include "copse/scale.h"
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

/// Returns the number that a text begins with, and takes it and a comma behind it off.
u64 take_number(const char* option, std::string_view& text) {
  u64 number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const size_t length = size_t(end - text.data());
  if (error != std::errc() || (length < text.size() && (text[length] != ',' || length + 1 == text.size()))) {
    throw Error(ErrorCode::invalid_argument,
                std::string(option) + " has '" + std::string(text) + "'; it takes numbers, as in 1,2,4,8");
  }
  text.remove_prefix(std::min(length + 1, text.size()));
  return number;
}

std::vector<u32> take_rank_counts(const char* option, std::string_view text) {
  std::vector<u32> counts;
  while (!text.empty()) {
    const u64 count = take_number(option, text);
    if (count < 1 || count > 64 || !std::has_single_bit(count)) {
      throw Error(ErrorCode::invalid_argument,
                  std::string(option) + " has " + std::to_string(count) + "; it takes powers of two from 1 to 64");
    }
    counts.push_back(u32(count));
  }
  return counts;
}

/// Returns the groups of ranks that the arguments ask for.
/// Throws: Error invalid_argument.
RankRows take_rank_rows(int argc, char** argv) {
  RankRows rows;
  for (int i = 1; i < argc; i += 2) {
    const bool is_gpus = std::strcmp(argv[i], "--gpus") == 0, is_ranks = std::strcmp(argv[i], "--ranks") == 0;
    const bool is_check = std::strcmp(argv[i], "--check") == 0;
    if ((!is_gpus && !is_ranks && !is_check) || i + 1 == argc) {
      throw Error(ErrorCode::invalid_argument,
                  std::string(argv[i]) + ": the options are --gpus LIST, --ranks LIST and --check TRIANGLES");
    }
    std::string_view value = argv[i + 1];
    if (is_check) {
      rows.checked_triangles = take_number("--check", value);
      continue;
    }
    if (!rows.rank_counts.empty()) {
      throw Error(ErrorCode::invalid_argument, "give --gpus or --ranks, not both and not twice");
    }
    rows.backend = is_gpus ? Backend::cuda : Backend::cpu;
    rows.rank_counts = take_rank_counts(argv[i], value);
  }
  return rows;
}

/// Says which rows will fail. They stay in the report, with their error.
void warn_of_missing_gpus(const RankRows& rows) {
  if (rows.backend != Backend::cuda || rows.rank_counts.empty()) return;
  const u32 most = *std::max_element(rows.rank_counts.begin(), rows.rank_counts.end());
  if (most <= gpu_count()) return;
  std::fprintf(stderr,
               "copse-bench-sizes: --gpus asks for %u GPUs, and %u answer. Rows of more GPUs than that are not "
               "measured; --ranks %u runs the same ranks by threads of the CPU.\n",
               most, gpu_count(), most);
}

void add_rows_of_one_device(Backend backend) {
  add_rows<Lbvh>(backend);
  add_rows<Hploc>(backend);
  add_rows<Refit>(backend);
  if (backend == Backend::cuda) add_sliced_builds();
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  using namespace copse;
  benchmark::Initialize(&argc, argv);
  bench::RankRows ranks;
  try {
    ranks = bench::take_rank_rows(argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "copse-bench-sizes: error: %s\n", error.what());
    return 2;
  }
  std::string device;
  Backend backend = Backend::cpu;
  {
    const Context context({.backend = ranks.rank_counts.empty() ? Backend::automatic : Backend::cpu});
    backend = context.backend();
    device = context.device_name();
  }
  if (ranks.rank_counts.empty()) {
    bench::add_rows_of_one_device(backend);
  } else {
    bench::warn_of_missing_gpus(ranks);
    if (ranks.backend == Backend::cuda) device = std::to_string(gpu_count()) + " GPUs";
    bench::add_sharded_builds(ranks);
  }
  benchmark::AddCustomContext("commit", COPSE_COMMIT);
  benchmark::AddCustomContext("device", device);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// Measures the phases of a sample sort, and the effect of the number of samples (Mueller, CSE 591, lecture on
// sample sort), for 2^20 numbers. The lecture selects samples and sorts them. It counts the numbers of each bin,
// turns the counts into indices, moves the numbers to their bins and sorts the bins. Ours selects and sorts the
// samples in one launch.

#include <algorithm>
#include <iterator>

#include "bench/papers/rows.h"
#include "primitives/cuda/sample_sort.cuh"
#include "primitives/inputs.h"
#include "primitives/sample_sort.h"

namespace copse::bench {

namespace {

namespace samples = cuda::detail::samples;
using cuda::detail::SharedTile;
using detail::MergeShape;
using detail::SamplePlan;

constexpr u32 tile = MergeShape<u32, NoValue>::tile;
using Numbers = Elements<u32>;
using LevelShape = samples::LevelShape<u32, NoValue>;
using SampleShape = MergeShape<u32, u32>;

/// The lecture's milliseconds on a GTX 460 with 16384 samples. The first figure is for 128 bins and samples sorted
/// on the GPU, the second for 512 bins and samples sorted on the CPU.
struct PaperPhase {
  const char* name;
  double with_gpu, with_cpu;
};
constexpr PaperPhase paper_phases[] = {
    {"select_and_sort_samples", 0.03 + 125.57, 0.09 + 2.09},
    {"count", 13.96, 17.02},
    {"index", 0.26, 0.58},
    {"to_bins", 14.00, 16.94},
    {"bins", 91.33, 64.47},
};
constexpr u32 phase_count = u32(std::size(paper_phases));

/// A sort of one level, cut into phases. Each phase may be repeated.
struct Phases {
  Work works[phase_count];
  double bytes[phase_count];  // that must be moved; 0 where only the launch counts
  BufferSpan<u32> in, out;

  explicit Phases(Comparison& c) : in(c.hashed<u32>(c.n)), out(c.buffer<u32>(c.n)) {
    const SamplePlan plan = detail::plan_levels(c.n, tile, SamplePlan::max_bits, 1);
    const samples::Level level = samples::level_of<u32, NoValue>(plan, 0, c.n);
    const u64 tile_count = level.max_tiles(), count_count = tile_count << level.bits;
    const u32 bucket_count = level.bucket_count();
    const samples::Splitters<u32> splitters{c.buffer<u32>(bucket_count).data(),
                                            c.buffer<u64>(bucket_count).data()};
    u8* buckets = c.buffer<u8>(c.n).data();
    u64* counts = c.buffer<u64>(count_count).data();
    u64* places = c.buffer<u64>(count_count).data();
    u64* begins = c.buffer<u64>(bucket_count + 1).data();
    u32* in_bins = c.buffer<u32>(c.n).data();
    const Numbers numbers{in.data()};
    const auto& ex = c.context.cuda_executor();
    const double n = double(c.n);

    works[0] = [=, &ex] {
      cuda::launch(ex, "samples", samples::choose_splitters_kernel<u32, Numbers, Less>,
                   {1, SampleShape::threads, cuda::available_shared_bytes(ex, SharedTile<u32, u32>::bytes)}, level,
                   numbers, Less{}, splitters);
    };
    works[1] = [=, &ex] {
      cuda::launch(ex, "count", samples::classify_kernel<u32, NoValue, Numbers, Less>,
                   {tile_count, LevelShape::threads}, level, numbers, Less{}, splitters, buckets, counts);
    };
    works[2] = [=, &ex] {
      cuda::exclusive_scan(ex, "index", count_count, Elements<u64>{counts}, u64{0}, Plus{}, places);
      cuda::for_each(ex, "index", u64{bucket_count} + 1, samples::BucketBegins{level, places, begins});
    };
    works[3] = [=, &ex] {
      cuda::launch(ex, "to bins", samples::scatter_kernel<u32, NoValue, Numbers, detail::NoValueInput>,
                   {tile_count, LevelShape::threads}, level, numbers, detail::NoValueInput{}, buckets, places,
                   in_bins, static_cast<NoValue*>(nullptr));
    };
    const samples::GroupArrays<u32, NoValue> arrays{{out.data(), in_bins}, {}};
    works[4] = [=, &ex] {
      samples::sort_groups(ex, "bins", level.n, plan, begins, bucket_count, arrays, 1, Less{});
    };
    const double moved[phase_count] = {0, 5 * n, 16.0 * double(count_count), 9 * n, 8 * n};
    std::copy(std::begin(moved), std::end(moved), bytes);
  }
};

/// Measures phase k alone, on what the phases before it made. The check runs the phases after it.
Setup phase(u32 k) {
  return [k](Comparison& c) {
    const Phases phases(c);
    for (u32 j = 0; j < k; ++j) phases.works[j]();
    c.bytes = phases.bytes[k];
    c.ours = phases.works[k];
    c.expect([=, &c] {
      for (u32 j = k + 1; j < phase_count; ++j) phases.works[j]();
      return sorted_from<u32>(c.context, phases.in, phases.out);
    });
    c.add_paper("paper_ms", paper_phases[k].with_gpu);
    c.add_counter("paper_samples_on_cpu_ms", paper_phases[k].with_cpu);
  };
}

u64 sample_count(const SamplePlan& plan) {
  u64 sum = 0, parents = 1;
  for (u32 k = 0; k < plan.level_count; ++k) {
    sum += parents * detail::samples_per_bucket(plan.bits[k], SampleShape::tile) << plan.bits[k];
    parents <<= plan.bits[k];
  }
  return sum;
}

/// A sort into 2^total_bits buckets, by one level or two. The rival is the sort that chooses its plan itself.
Setup sort_by(const SamplePlan& plan) {
  return [plan](Comparison& c) {
    const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
    c.bytes = (14.0 * plan.level_count + 8) * double(c.n);
    c.ours = [=, &c] {
      samples::sample_sort_elements(c.context.cuda_executor(), "sample sort", c.n, plan, Numbers{in.data()},
                                    detail::NoValueInput{}, Less{}, out.data(), static_cast<NoValue*>(nullptr));
    };
    c.add_rival([=, &c] { sample_sort_keys<u32>(c.context, in, expected); });
    c.expect_equal(out, expected);
    c.expect([=, &c] { return sorted_from<u32>(c.context, in, out); });
    c.add_counter("buckets", double(u64{1} << plan.total_bits()));
  };
}

/// The lecture's milliseconds on a GTX 470. It is 0 where the lecture does not tell them.
double paper_milliseconds(u32 log_samples) {
  return log_samples == 8 ? 546 : log_samples == 16 ? 43 : log_samples == 18 ? 68 : 0;
}

}  // namespace

void add_sample_sort_papers(Rows& rows) {
  for (u32 k = 0; k < phase_count; ++k) {
    rows.add_on_stream(std::string("mueller/sample_sort/phase:") + paper_phases[k].name, million, phase(k));
  }
  // We use 256 to 266240 samples; the lecture uses 256 to 262144.
  for (u32 bits = 3; bits <= 13; ++bits) {
    const SamplePlan plan = detail::plan_levels(million, tile, bits, bits <= SamplePlan::max_bits ? 1 : 2);
    const u64 count = sample_count(plan);
    const double milliseconds = paper_milliseconds(31 - leading_zeros(u32(count)));
    const Setup setup = sort_by(plan);
    rows.add_on_stream("mueller/sample_sort/given_samples_against_own_choice/samples:" + std::to_string(count),
                       million, milliseconds > 0 ? with_paper(setup, "paper_ms", milliseconds) : setup);
  }
}

}  // namespace copse::bench

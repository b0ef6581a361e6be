// Measures how the way of access changes the speed of memory: structures of arrays against arrays of structures
// (Mueller, "Memories: Global", CSE 591, Stony Brook University), and the banks of shared memory. `ratio` is the
// time of the bad way over the time of the good way.

#include "bench/papers/rows.h"
#include "primitives/core/bits.h"
#include "primitives/core/device.h"
#include "primitives/cuda/launch.cuh"

namespace copse::bench {

namespace {

constexpr u32 threads = 256;

/// The lecture's structure. Its members are loaded one by one, because it is only aligned to one member.
struct Interleaved {
  u32 a, b, c, d;
};

struct alignas(16) InterleavedWide {
  u32 a, b, c, d;
};

template <class Record>
__global__ void add_interleaved_kernel(u64 n, const Record* left, const Record* right, Record* out) {
  const u64 i = u64{blockIdx.x} * threads + threadIdx.x;
  if (i >= n) return;
  out[i].a = left[i].a + right[i].a;
  out[i].b = left[i].b + right[i].b;
  out[i].c = left[i].c + right[i].c;
  out[i].d = left[i].d + right[i].d;
}

/// The arrays a, b, c and d, of n elements each, one after another.
__global__ void add_separate_kernel(u64 n, const u32* left, const u32* right, u32* out) {
  const u64 i = u64{blockIdx.x} * threads + threadIdx.x;
  if (i >= n) return;
#pragma unroll
  for (u64 member = 0; member < 4; ++member) out[member * n + i] = left[member * n + i] + right[member * n + i];
}

/// Adds records of 16 bytes, as four arrays and as an array of Record.
template <class Record>
void separate_against_interleaved(Comparison& c) {
  const BufferSpan<u32> left = c.hashed<u32>(4 * c.n), right = c.hashed<u32>(4 * c.n, 32, 1);
  const BufferSpan<u32> out = c.buffer<u32>(4 * c.n), expected = c.buffer<u32>(4 * c.n);
  const cuda::LaunchShape shape{divide_rounding_up(c.n, u64{threads}), threads};
  c.bytes = 3.0 * double(left.size_bytes());
  c.ours = [=, &c] {
    cuda::launch(c.context.cuda_executor(), "add separate", add_separate_kernel, shape, c.n, left.data(),
                 right.data(), out.data());
  };
  c.add_rival([=, &c] {
    cuda::launch(c.context.cuda_executor(), "add interleaved", add_interleaved_kernel<Record>, shape, c.n,
                 reinterpret_cast<const Record*>(left.data()), reinterpret_cast<const Record*>(right.data()),
                 reinterpret_cast<Record*>(expected.data()));
  });
  // Both see the same words, as other members of other records, and add them word by word.
  c.expect_equal(out, expected);
}

constexpr u32 bank_rounds = 256;
constexpr u32 bank_words = 1024;

/// Each warp loads from shared memory, `stride` words apart, again and again. Each load waits for the load before
/// it.
__global__ void __launch_bounds__(threads) strided_loads_kernel(u32 stride, const u32* steps, u32* out) {
  __shared__ u32 values[bank_words];
  for (u32 k = threadIdx.x; k < bank_words; k += threads) values[k] = steps[k];
  __syncthreads();
  u32 at = threadIdx.x % 32 * stride % bank_words;
  for (u32 round = 0; round < bank_rounds; ++round) at = (at + values[at]) % bank_words;
  out[u64{blockIdx.x} * threads + threadIdx.x] = at;
}

/// Compares stride 1 with `stride`. A bank is met as often as the stride has factors in common with the number of
/// banks. The result is not checked: it differs by design, and only shows that the loads were made.
template <u32 stride>
void bank_conflicts(Comparison& c) {
  const BufferSpan<u32> steps = c.buffer<u32>(bank_words), out = c.buffer<u32>(c.n);
  const std::vector<u32> ones(bank_words, 1);
  c.context.device().upload(steps.data(), ones.data(), steps.size_bytes());
  const auto loads = [=, &c](u32 distance) {
    return [=, &c] {
      cuda::launch(c.context.cuda_executor(), "strided loads", strided_loads_kernel, {c.n / threads, threads},
                   distance, static_cast<const u32*>(steps.data()), out.data());
    };
  };
  c.ours = loads(1);
  c.add_rival(loads(stride));
}

}  // namespace

void add_memory_access_papers(Rows& rows) {
  // The lecture's 4096 records fit into any cache today. The larger array does not.
  for (u64 n : {u64{4096}, 16 * million}) {
    rows.add_on_stream("mueller/separate_against_interleaved", n, [](Comparison& c) {
      separate_against_interleaved<Interleaved>(c);
      c.add_paper("paper_ratio", 181.83 / 45.13);
    });
    rows.add_on_stream("mueller/separate_against_interleaved_16_bytes", n,
                       separate_against_interleaved<InterleavedWide>);
  }
  rows.add_on_stream("mueller/banks/stride:2", million, bank_conflicts<2>);
  rows.add_on_stream("mueller/banks/stride:4", million, bank_conflicts<4>);
  rows.add_on_stream("mueller/banks/stride:8", million, bank_conflicts<8>);
  rows.add_on_stream("mueller/banks/stride:16", million, bank_conflicts<16>);
  rows.add_on_stream("mueller/banks/stride:32", million, bank_conflicts<32>);
  rows.add_on_stream("mueller/banks/stride:33", million, bank_conflicts<33>);
}

}  // namespace copse::bench

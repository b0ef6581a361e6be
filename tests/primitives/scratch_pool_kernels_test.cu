// Tests a user's own kernels, in which warps and blocks take scratch from a pool.

#include "primitives/core/device.h"
#include "primitives/cuda/scratch_pool.cuh"
#include "tests/support/backends.h"
#include "tests/support/watchdog.h"

namespace copse::test {
namespace {

constexpr u32 words = 96;  // per slot

/// The memory that all holders of slots share, and in which they report faults.
struct Ledger {
  u32* holders;  // [slot]
  u32* faults;
};

/// The members of a group fill a slot together. Each writes its own words, and reads those of all other members.
template <class Sync>
__device__ void use_together(u32* data, u32 number, u32 member, u32 member_count, const Ledger& ledger, u32 salt,
                             const Sync& sync) {
  if (member == 0) {
    if (atomicAdd(ledger.holders + number, 1u) != 0) atomicAdd(ledger.faults, 1u);
    ++data[0];
  }
  for (u32 k = 1 + member; k < words; k += member_count) data[k] = salt + k;
  sync();
  for (u32 k = 1 + (member + 1) % member_count; k < words; k += member_count) {
    if (data[k] != salt + k) atomicAdd(ledger.faults, 1u);
  }
  sync();
  if (member == 0) atomicAdd(ledger.holders + number, ~0u);
}

struct SyncWarp {
  u32 lanes;
  __device__ void operator()() const { __syncwarp(lanes); }
};
struct SyncBlock {
  __device__ void operator()() const { __syncthreads(); }
};

__global__ void scratch_by_warp(ScratchPoolView pool, Ledger ledger, u32 rounds) {
  const u32 lane = threadIdx.x % 32;
  for (u32 round = 0; round < rounds; ++round) {
    const cuda::WarpScratch scratch(pool);
    use_together(scratch.data<u32>(), scratch.number(), lane, 32, ledger,
                 blockIdx.x * 1024 + threadIdx.x / 32 + round, SyncWarp{cuda::all_lanes});
  }
}

/// Only the upper lanes of each warp take part.
__global__ void scratch_by_some_lanes(ScratchPoolView pool, Ledger ledger) {
  const u32 lane = threadIdx.x % 32;
  if (lane < 11) return;
  const u32 lanes = ~0u << 11;
  const cuda::WarpScratch scratch(pool, lanes);
  use_together(scratch.data<u32>(), scratch.number(), lane - 11, 21, ledger, blockIdx.x, SyncWarp{lanes});
}

__global__ void scratch_by_block(ScratchPoolView pool, Ledger ledger, u32 rounds) {
  const u32 thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (u32 round = 0; round < rounds; ++round) {
    const cuda::BlockScratch scratch(pool);
    use_together(scratch.data<u32>(), scratch.number(), thread, blockDim.x * blockDim.y, ledger,
                 blockIdx.x + round, SyncBlock{});
  }
}

class ScratchPoolKernels : public testing::Test {
 protected:
  void SetUp() override {
    COPSE_SKIP_WITHOUT_GPU();
    context_.emplace(ContextOptions{.backend = Backend::cuda});
  }
  Context& context() { return *context_; }
  cudaStream_t stream() { return static_cast<cudaStream_t>(context_->stream()); }

  /// Launches kernel(pool, ledger, ...) and expects `uses` uses of slots in all. Returns how many callers waited.
  template <class Launch>
  u32 run(ScratchPool pool, u64 uses, const Launch& launch) {
    context().device().clear(pool.view().memory(0), pool.slot_count() * pool.slot_bytes());
    Buffer<u32> holders(context(), std::vector<u32>(pool.slot_count(), 0)), faults(context(), std::vector<u32>{0});
    launch(pool.view(), Ledger{holders.data(), faults.data()});
    context().wait();
    EXPECT_EQ(faults.download()[0], 0u);
    const auto* memory = reinterpret_cast<const u32*>(pool.view().memory(0));
    const u64 stride = pool.slot_bytes() / sizeof(u32);
    const auto all = download(context(), BufferSpan<const u32>(memory, pool.slot_count() * stride));
    u64 sum = 0;
    for (u64 k = 0; k < pool.slot_count(); ++k) sum += all[k * stride];
    EXPECT_EQ(sum, uses);
    const ScratchPoolReport report = pool.report();
    EXPECT_EQ(report.held_count, 0u);
    return report.wait_count;
  }

  u32 run_warps(ScratchPool pool, u32 blocks, u32 threads, u32 rounds) {
    return run(std::move(pool), u64{blocks} * (threads / 32) * rounds, [&](ScratchPoolView view, Ledger ledger) {
      scratch_by_warp<<<blocks, threads, 0, stream()>>>(view, ledger, rounds);
    });
  }
  u32 run_blocks(ScratchPool pool, u32 blocks, dim3 threads, u32 rounds) {
    return run(std::move(pool), u64{blocks} * rounds, [&](ScratchPoolView view, Ledger ledger) {
      scratch_by_block<<<blocks, threads, 0, stream()>>>(view, ledger, rounds);
    });
  }
  u32 multiprocessors() { return context().cuda_executor().multiprocessor_count; }

 private:
  Watchdog watchdog_{300, "a test of scratch pools in kernels"};
  std::optional<Context> context_;
};

TEST_F(ScratchPoolKernels, AWarpNeverWaitsInAPoolOfItsKernelsResidency) {
  const u32 blocks = 20 * multiprocessors();
  for (u32 threads : {32u, 64u, 256u, 1024u}) {
    ScratchPool pool = cuda::scratch_pool_for_warps(context(), scratch_by_warp, threads, words * sizeof(u32));
    EXPECT_EQ(run_warps(std::move(pool), blocks, threads, 3), 0u) << threads;
  }
  EXPECT_EQ(run_warps(scratch_pool_for_any_warps(context(), words * sizeof(u32)), blocks, 128, 3), 0u);
}

TEST_F(ScratchPoolKernels, ABlockNeverWaitsInAPoolOfItsKernelsResidency) {
  for (dim3 threads : {dim3(32), dim3(8, 24), dim3(1024)}) {
    ScratchPool pool =
        cuda::scratch_pool_for_blocks(context(), scratch_by_block, threads.x * threads.y, words * sizeof(u32));
    EXPECT_EQ(run_blocks(std::move(pool), 20 * multiprocessors(), threads, 3), 0u) << threads.x;
  }
}

TEST_F(ScratchPoolKernels, SmallPoolsMakeWarpsAndBlocksWait) {
  for (u64 slot_count : {1, 7, 33, 200}) {
    run_warps(ScratchPool(context(), slot_count, words * sizeof(u32)), 300, 256, 2);
    run_blocks(ScratchPool(context(), slot_count, words * sizeof(u32)), 1000, dim3(64), 2);
  }
}

TEST_F(ScratchPoolKernels, SomeLanesShareASlot) {
  run(ScratchPool(context(), 50, words * sizeof(u32)), 100 * 4, [&](ScratchPoolView view, Ledger ledger) {
    scratch_by_some_lanes<<<100, 128, 0, stream()>>>(view, ledger);
  });
}

TEST_F(ScratchPoolKernels, AMultiprocessorsWorthOfBlocks) {
  for (int k = 0; k < 100; ++k) run_warps(ScratchPool(context(), 64, words * sizeof(u32)), 8, 256, 5);
}

TEST_F(ScratchPoolKernels, AThousandLaunches) {
  for (int k = 0; k < 1000; ++k) run_warps(ScratchPool(context(), 5, words * sizeof(u32)), 2, 64, 2);
}

TEST_F(ScratchPoolKernels, LargeGridOfWarps) {
  ScratchPool pool = cuda::scratch_pool_for_warps(context(), scratch_by_warp, 256, words * sizeof(u32));
  EXPECT_EQ(run_warps(std::move(pool), 100000, 256, 4), 0u);
}

}  // namespace
}  // namespace copse::test

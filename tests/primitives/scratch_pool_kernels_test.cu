// Kernels of a user's own whose warps and blocks lease scratch.

#include "primitives/cuda/scratch_pool.cuh"
#include "tests/support/backends.h"
#include "tests/support/watchdog.h"

namespace copse::test {
namespace {

constexpr u32 words = 96;  // a lease

/// What all holders of leases hand on and report to.
struct Ledger {
  u32* holders;  // [lease]
  u32* faults;
};

/// The members of a group fill a lease, each his words, and read those of all others.
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

__global__ void lease_by_warp(LeasePoolView pool, Ledger ledger, u32 rounds) {
  const u32 lane = threadIdx.x % 32;
  for (u32 round = 0; round < rounds; ++round) {
    const cuda::WarpLease lease(pool);
    use_together(lease.data<u32>(), lease.number(), lane, 32, ledger, blockIdx.x * 1024 + threadIdx.x / 32 + round,
                 SyncWarp{cuda::all_lanes});
  }
}

/// Only the upper lanes of each warp are there.
__global__ void lease_by_some_lanes(LeasePoolView pool, Ledger ledger) {
  const u32 lane = threadIdx.x % 32;
  if (lane < 11) return;
  const u32 lanes = ~0u << 11;
  const cuda::WarpLease lease(pool, lanes);
  use_together(lease.data<u32>(), lease.number(), lane - 11, 21, ledger, blockIdx.x, SyncWarp{lanes});
}

__global__ void lease_by_block(LeasePoolView pool, Ledger ledger, u32 rounds) {
  const u32 thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (u32 round = 0; round < rounds; ++round) {
    const cuda::BlockLease lease(pool);
    use_together(lease.data<u32>(), lease.number(), thread, blockDim.x * blockDim.y, ledger, blockIdx.x + round,
                 SyncBlock{});
  }
}

class LeaseKernels : public testing::Test {
 protected:
  void SetUp() override {
    COPSE_SKIP_WITHOUT_GPU();
    context_.emplace(ContextOptions{.backend = Backend::cuda});
  }
  Context& context() { return *context_; }
  cudaStream_t stream() { return static_cast<cudaStream_t>(context_->stream()); }

  /// Launches kernel(pool, ledger, ...) and expects `uses` leases in all. Returns how often somebody waited.
  template <class Launch>
  u32 run(LeasePool pool, u64 uses, const Launch& launch) {
    context().device().clear(pool.view().memory(0), pool.lease_count() * pool.lease_bytes());
    Buffer<u32> holders(context(), std::vector<u32>(pool.lease_count(), 0)),
        faults(context(), std::vector<u32>{0});
    launch(pool.view(), Ledger{holders.data(), faults.data()});
    context().wait();
    EXPECT_EQ(faults.download()[0], 0u);
    const auto* memory = reinterpret_cast<const u32*>(pool.view().memory(0));
    const u64 stride = pool.lease_bytes() / sizeof(u32);
    const auto all = download(context(), BufferSpan<const u32>(memory, pool.lease_count() * stride));
    u64 sum = 0;
    for (u64 k = 0; k < pool.lease_count(); ++k) sum += all[k * stride];
    EXPECT_EQ(sum, uses);
    const LeasePoolReport report = pool.report();
    EXPECT_EQ(report.taken_count, 0u);
    return report.wait_count;
  }

  u32 run_warps(LeasePool pool, u32 blocks, u32 threads, u32 rounds) {
    return run(std::move(pool), u64{blocks} * (threads / 32) * rounds, [&](LeasePoolView view, Ledger ledger) {
      lease_by_warp<<<blocks, threads, 0, stream()>>>(view, ledger, rounds);
    });
  }
  u32 run_blocks(LeasePool pool, u32 blocks, dim3 threads, u32 rounds) {
    return run(std::move(pool), u64{blocks} * rounds, [&](LeasePoolView view, Ledger ledger) {
      lease_by_block<<<blocks, threads, 0, stream()>>>(view, ledger, rounds);
    });
  }
  u32 multiprocessors() { return context().cuda_executor().multiprocessor_count; }

 private:
  Watchdog watchdog_{300, "a test of leases in kernels"};
  std::optional<Context> context_;
};

TEST_F(LeaseKernels, AWarpNeverWaitsInAPoolOfItsKernelsResidency) {
  const u32 blocks = 20 * multiprocessors();
  for (u32 threads : {32u, 64u, 256u, 1024u}) {
    LeasePool pool = cuda::lease_pool_for_warps(context(), lease_by_warp, threads, words * sizeof(u32));
    EXPECT_EQ(run_warps(std::move(pool), blocks, threads, 3), 0u) << threads;
  }
  EXPECT_EQ(run_warps(lease_pool_for_any_warps(context(), words * sizeof(u32)), blocks, 128, 3), 0u);
}

TEST_F(LeaseKernels, ABlockNeverWaitsInAPoolOfItsKernelsResidency) {
  for (dim3 threads : {dim3(32), dim3(8, 24), dim3(1024)}) {
    LeasePool pool =
        cuda::lease_pool_for_blocks(context(), lease_by_block, threads.x * threads.y, words * sizeof(u32));
    EXPECT_EQ(run_blocks(std::move(pool), 20 * multiprocessors(), threads, 3), 0u) << threads.x;
  }
}

TEST_F(LeaseKernels, SmallPoolsMakeWarpsAndBlocksWait) {
  for (u64 lease_count : {1, 7, 33, 200}) {
    run_warps(LeasePool(context(), lease_count, words * sizeof(u32)), 300, 256, 2);
    run_blocks(LeasePool(context(), lease_count, words * sizeof(u32)), 1000, dim3(64), 2);
  }
}

TEST_F(LeaseKernels, SomeLanesLeaseAsOne) {
  run(LeasePool(context(), 50, words * sizeof(u32)), 100 * 4,
      [&](LeasePoolView view, Ledger ledger) { lease_by_some_lanes<<<100, 128, 0, stream()>>>(view, ledger); });
}

TEST_F(LeaseKernels, AMultiprocessorsWorthOfBlocks) {
  for (int k = 0; k < 100; ++k) run_warps(LeasePool(context(), 64, words * sizeof(u32)), 8, 256, 5);
}

TEST_F(LeaseKernels, AThousandLaunches) {
  for (int k = 0; k < 1000; ++k) run_warps(LeasePool(context(), 5, words * sizeof(u32)), 2, 64, 2);
}

TEST_F(LeaseKernels, LargeGridOfWarps) {
  LeasePool pool = cuda::lease_pool_for_warps(context(), lease_by_warp, 256, words * sizeof(u32));
  EXPECT_EQ(run_warps(std::move(pool), 100000, 256, 4), 0u);
}

}  // namespace
}  // namespace copse::test

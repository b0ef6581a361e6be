// Tests a user's own kernels that take tickets as a block and that meet at a grid barrier.

#include <algorithm>

#include "primitives/cuda/enqueue.cuh"
#include "primitives/cuda/persistent.cuh"
#include "tests/support/backends.h"
#include "tests/support/watchdog.h"

namespace copse::test {
namespace {

constexpr u32 threads = 256;

/// Thread i pushes i % 4 copies of i.
__global__ void push_by_block(u32 n, QueueView<u32> queue) {
  __shared__ cuda::BlockStorage<u32, threads> storage;
  const u32 i = blockIdx.x * threads + threadIdx.x;
  const u32 count = i < n ? i % 4 : 0;
  const u64 place = cuda::reserve_by_block<threads>(queue, count, storage);
  for (u32 k = 0; k < count; ++k) queue.store(place + k, i);
}

/// A number goes round all blocks: at each barrier one block passes it on.
__global__ void pass_round(u32 rounds, u64* numbers, cuda::GridCounters* counters) {
  cuda::GridBarrier barrier(counters);
  for (u32 round = 0; barrier.takes_part() && round < rounds; ++round) {
    if (barrier.rank() == round % barrier.size() && threadIdx.x == round % blockDim.x) {
      numbers[round + 1] = numbers[round] * 3 + 1;
    }
    barrier.arrive_and_wait();
  }
  cuda::leave_grid(counters);
}

/// Measures how far blocks drift apart: by how many rounds more than one a block is ahead of another, or by how
/// many it is behind. Keeps the largest.
__global__ void measure_lead(u32 rounds, u32* progress, u32* worst, cuda::GridCounters* counters) {
  cuda::GridBarrier barrier(counters);
  for (u32 round = 1; barrier.takes_part() && round <= rounds; ++round) {
    if (threadIdx.x == 0) store_relaxed(progress + barrier.rank(), round);
    barrier.arrive_and_wait();
    for (u32 b = threadIdx.x; b < barrier.size(); b += blockDim.x) {
      const u32 seen = load_relaxed(progress + b);
      if (seen < round || seen > round + 1) atomicMax(worst, seen < round ? round - seen : seen - round);
    }
  }
  cuda::leave_grid(counters);
}

class QueueKernels : public testing::Test {
 protected:
  void SetUp() override {
    COPSE_SKIP_WITHOUT_GPU();
    context_.emplace(ContextOptions{.backend = Backend::cuda});
  }
  Context& context() { return *context_; }
  const cuda::Executor& executor() { return context_->cuda_executor(); }

 private:
  Watchdog watchdog_{300, "a test of queues in kernels"};
  std::optional<Context> context_;
};

TEST_F(QueueKernels, BlockTakesOneTicketForAllItsThreads) {
  for (u32 n : {1u, 3u, 255u, 256u, 257u, 100003u}) {
    std::vector<u32> expected;
    for (u32 i = 0; i < n; ++i) expected.insert(expected.end(), i % 4, i);
    Queue<u32> queue(context(), expected.size());
    cuda::launch(executor(), "push by block", push_by_block, {divide_rounding_up(n, threads), threads}, n,
                 queue.view());
    auto got = queue.download();
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, expected) << n;
  }
}

TEST_F(QueueKernels, BlockRefusesWhatHasNoPlace) {
  const u32 n = 10000;
  Queue<u32> queue(context(), 1234);
  cuda::launch(executor(), "push by block", push_by_block, {divide_rounding_up(n, threads), threads}, n,
               queue.view());
  EXPECT_EQ(queue.size(), 1234u);
  EXPECT_COPSE_ERROR(queue.check(), ErrorCode::capacity, "given 15000 elements, its capacity is 1234");
}

TEST_F(QueueKernels, BarrierOrdersAllBlocksAndLeavesItsCountersZero) {
  const u32 rounds = 501;
  Buffer<cuda::GridCounters> counters(context(), std::vector<cuda::GridCounters>(1));
  for (u32 block_threads : {32u, 256u, 1024u}) {
    const u64 most = cuda::resident_blocks(executor(), "pass round", pass_round, block_threads);
    for (u64 blocks : {u64{1}, u64{2}, most}) {
      Buffer<u64> numbers(context(), std::vector<u64>(rounds + 1, 1));
      cuda::launch(executor(), "pass round", pass_round, {blocks, block_threads}, rounds, numbers.data(),
                   counters.data());
      u64 expected = 1;
      for (u32 round = 0; round < rounds; ++round) expected = expected * 3 + 1;
      EXPECT_EQ(numbers.download()[rounds], expected) << blocks;
      const cuda::GridCounters after = counters.download()[0];
      EXPECT_EQ(after.arrived, 0u);
      EXPECT_EQ(after.left, 0u);
      EXPECT_EQ(after.team, 0u);
      EXPECT_EQ(after.ticket, 0u);
    }
  }
}

TEST_F(QueueKernels, BarrierHoldsEveryBlockToTheSameRound) {
  const u64 blocks = cuda::resident_blocks(executor(), "lead", measure_lead, 128);
  Buffer<cuda::GridCounters> counters(context(), std::vector<cuda::GridCounters>(1));
  Buffer<u32> progress(context(), std::vector<u32>(blocks, 0)), worst(context(), std::vector<u32>{0});
  cuda::launch(executor(), "lead", measure_lead, {blocks, 128}, 200u, progress.data(), worst.data(),
               counters.data());
  EXPECT_EQ(worst.download()[0], 0u);
}

__global__ void wants_much_memory() {}

TEST_F(QueueKernels, ResidentBlocksNamesABlockThatFitsNowhere) {
  EXPECT_COPSE_ERROR(cuda::resident_blocks(executor(), "much", wants_much_memory, 4096),
                     ErrorCode::invalid_argument, "4096 threads");
  EXPECT_GE(cuda::resident_blocks(executor(), "little", wants_much_memory, 32), 16u);
}

}  // namespace
}  // namespace copse::test

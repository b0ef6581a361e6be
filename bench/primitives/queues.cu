// Measures queues and persistent threads beside the plain ways to do the same.

#include <cooperative_groups.h>

#include <cub/device/device_select.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/enqueue.cuh"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/persistent.cuh"
#include "primitives/inputs.h"
#include "primitives/spin_lock.h"

namespace copse::bench {

namespace {

struct SelectHalf {
  COPSE_HD bool operator()(u64, u32 value) const { return value < 0x80000000u; }
  COPSE_HD bool operator()(u32 value) const { return value < 0x80000000u; }
};

struct PushAlone {
  const u32* in;
  QueueView<u32> queue;
  COPSE_HD void operator()(u64 i) const {
    if (SelectHalf{}(in[i])) queue.push(in[i]);
  }
};
struct PushByWarp {
  const u32* in;
  QueueView<u32> queue;
  COPSE_HD void operator()(u64 i) const {
    if (SelectHalf{}(in[i])) queue.push_by_warp(in[i]);
  }
};

struct QueueData {
  BufferSpan<u32> in, out, expected;
  BufferSpan<u64> count, expected_count;

  QueueView<u32> queue() const { return {out.data(), out.size(), count.data()}; }
  QueueView<u32> expected_queue() const { return {expected.data(), expected.size(), expected_count.data()}; }
};

/// Measures ours in bulk. Both queues are compared as sets.
QueueData against_bulk(Comparison& c) {
  const QueueData d{c.hashed<u32>(c.n), c.buffer<u32>(c.n), c.buffer<u32>(c.n), c.buffer<u64>(1),
                    c.buffer<u64>(1)};
  c.bytes = 1.5 * double(d.in.size_bytes());
  c.ours = [=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::fill_bytes(ex, "clear", d.count.data(), 1, 0);
    cuda::enqueue_if(ex, "enqueue", c.n, SelectHalf{}, Elements<u32>{d.in.data()}, d.queue());
  };
  c.expect_equal(d.count, d.expected_count);
  c.expect([=, &c] {
    const u64 count = download(c.context, d.count)[0];
    return same_elements<u32>(c.context, d.out.first(count), d.expected.first(count));
  });
  return d;
}

void enqueue_against_select(Comparison& c) {
  const QueueData d = against_bulk(c);
  c.add_rival(with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
    return cub::DeviceSelect::If(temp, bytes, d.in.data(), d.expected.data(), d.expected_count.data(), i64(c.n),
                                 SelectHalf{}, stream_of(c.context));
  }));
}

template <class Push>
void enqueue_against(Comparison& c) {
  const QueueData d = against_bulk(c);
  c.add_rival([=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::fill_bytes(ex, "clear", d.expected_count.data(), 1, 0);
    cuda::for_each(ex, "push", c.n, Push{d.in.data(), d.expected_queue()});
  });
}

void enqueue_both(Comparison& c) {
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n);
  const BufferSpan<DoubleQueueCounters> counters = c.buffer<DoubleQueueCounters>(1);
  c.bytes = 2.0 * double(in.size_bytes());
  c.ours = [=, &c] {
    const auto& ex = c.context.cuda_executor();
    cuda::fill_bytes(ex, "clear", counters.data(), 1, 0);
    cuda::enqueue_both(ex, "enqueue both", c.n, SelectHalf{}, Elements<u32>{in.data()},
                       DoubleQueueView<u32>(out.data(), u32(c.n), counters.data()));
  };
  c.expect([=, &c] { return same_elements<u32>(c.context, in, out); });
}

constexpr u32 barriers = 200;

template <u32 threads>
__global__ void __launch_bounds__(threads) our_barriers(u64* sums, cuda::GridCounters* counters) {
  cuda::GridBarrier barrier(counters);
  for (u32 k = 0; barrier.takes_part() && k < barriers; ++k) barrier.arrive_and_wait();
  if (threadIdx.x == 0) sums[blockIdx.x] += barriers;
  cuda::leave_grid(counters);
}

template <u32 threads>
__global__ void __launch_bounds__(threads) cooperative_barriers(u64* sums) {
  for (u32 k = 0; k < barriers; ++k) cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) sums[blockIdx.x] += barriers;
}

/// n is the number of blocks per multiprocessor.
template <u32 threads>
void barrier(Comparison& c) {
  const auto& ex = c.context.cuda_executor();
  const u64 blocks = c.n * ex.multiprocessor_count;
  const BufferSpan<u64> sums = c.buffer<u64>(blocks), expected = c.buffer<u64>(blocks);
  c.ours = [=, &c] {
    const auto& executor = c.context.cuda_executor();
    cuda::with_grid_counters(executor, [&](cuda::GridCounters* counters) {
      cuda::launch(executor, "barriers", our_barriers<threads>, {blocks, threads}, sums.data(), counters);
    });
  };
  c.add_rival([=, &c] {
    u64* out = expected.data();
    void* arguments[] = {&out};
    cuda::check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(cooperative_barriers<threads>),
                                            dim3(u32(blocks)), dim3(threads), arguments, 0, stream_of(c.context)),
                "cooperative barriers");
  });
  c.add_counter("barriers", barriers);
  c.expect_equal(sums, expected);
}

/// A stage of a solver. It computes each element from three elements of the stage before.
struct Diffuse {
  float* fields[2];
  u64 n;
  COPSE_HD u64 size(u32) const { return n; }
  COPSE_HD void operator()(u32 stage, u64 i) const {
    const float* from = fields[stage % 2];
    const float left = from[i == 0 ? n - 1 : i - 1], right = from[i + 1 == n ? 0 : i + 1];
    fields[(stage + 1) % 2][i] = 0.5f * from[i] + 0.25f * (left + right);
  }
};
struct DiffuseOnce {
  Diffuse stages;
  u32 stage;
  COPSE_HD void operator()(u64 i) const { stages(stage, i); }
};

void stages(Comparison& c) {
  constexpr u32 stage_count = 20;
  const Diffuse ours{{c.buffer<float>(c.n).data(), c.buffer<float>(c.n).data()}, c.n};
  const Diffuse theirs{{c.buffer<float>(c.n).data(), c.buffer<float>(c.n).data()}, c.n};
  c.add_counter("stages", stage_count);
  c.ours = [=, &c] { cuda::persistent_stages(c.context.cuda_executor(), "stages", stage_count, ours); };
  c.add_rival([=, &c] {
    for (u32 s = 0; s < stage_count; ++s) {
      cuda::for_each(c.context.cuda_executor(), "stage", theirs.n, DiffuseOnce{theirs, s});
    }
  });
  c.expect_equal(BufferSpan<float>(ours.fields[0], c.n), BufferSpan<float>(theirs.fields[0], c.n));
}

/// The elements of one warp in 32 take two hundred times as long as the others. In a block of eight warps, seven
/// mostly wait for that one.
struct UnevenWork {
  u32* out;
  COPSE_HD void operator()(u64 i) const {
    const u32 hash = u32(i / 32) * 2654435761u;
    const u32 steps = hash >> 27 == 0 ? 4000 : 20;
    u32 value = u32(i);
    for (u32 k = 0; k < steps; ++k) value = value * 1664525u + 1013904223u;
    out[i] = value;
  }
};

void uneven(Comparison& c) {
  const BufferSpan<u32> ours = c.buffer<u32>(c.n), theirs = c.buffer<u32>(c.n);
  c.ours = [=, &c] {
    cuda::persistent_for_each(c.context.cuda_executor(), "uneven", c.n, 256, UnevenWork{ours.data()});
  };
  c.add_rival([=, &c] { cuda::for_each(c.context.cuda_executor(), "uneven", c.n, UnevenWork{theirs.data()}); });
  c.expect_equal(ours, theirs);
}

constexpr u32 lock_count = 4096;

struct CountUnderLock {
  SpinLock* locks;
  u32* counts;
  COPSE_HD void operator()(u64 i) const {
    const u32 k = u32(i) * 2654435761u >> 20;
    locked(locks[k], Increment{counts + k});
  }
  struct Increment {
    u32* count;
    COPSE_HD void operator()() const { *count += 1; }
  };
};
struct CountByAtomic {
  u32* counts;
  COPSE_HD void operator()(u64 i) const { fetch_add_relaxed(counts + (u32(i) * 2654435761u >> 20), 1u); }
};

void locks(Comparison& c) {
  const BufferSpan<SpinLock> locks = c.buffer<SpinLock>(lock_count);
  const BufferSpan<u32> ours = c.buffer<u32>(lock_count), theirs = c.buffer<u32>(lock_count);
  c.ours = [=, &c] {
    cuda::for_each(c.context.cuda_executor(), "locked", c.n, CountUnderLock{locks.data(), ours.data()});
  };
  c.add_rival([=, &c] { cuda::for_each(c.context.cuda_executor(), "atomic", c.n, CountByAtomic{theirs.data()}); });
  c.expect_equal(ours, theirs);
}

}  // namespace

void add_queue_rows(Rows& rows) {
  for (u32 log_n : {20, 24, 28}) rows.add("enqueue/if/selected:50", u64{1} << log_n, enqueue_against_select);
  rows.add("enqueue/if/against_push_by_warp", u64{1} << 28, enqueue_against<PushByWarp>);
  rows.add("enqueue/if/against_push", u64{1} << 24, enqueue_against<PushAlone>);
  rows.add("enqueue/both", u64{1} << 28, enqueue_both);
  rows.add_on_stream("persistent/barrier/threads:1024", 1, barrier<1024>);
  rows.add_on_stream("persistent/barrier/threads:1024", 2, barrier<1024>);
  rows.add_on_stream("persistent/barrier/threads:256", 8, barrier<256>);
  for (u32 log_n : {12, 16, 20}) rows.add("persistent/stages", u64{1} << log_n, stages);
  rows.add("persistent/uneven", u64{1} << 22, uneven);
  rows.add("spin_lock/locks:4096", u64{1} << 20, locks);
}

}  // namespace copse::bench

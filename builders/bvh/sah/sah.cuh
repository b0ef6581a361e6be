#pragma once

// The top-down SAH split on CUDA: one launch. Contract: builders/bvh/sah/sah.inl.
//
// Blocks take tasks from a queue, and a task may push others, until only nodes for warps remain; warps take these
// by tickets. Threads wait only for the end of the queue.

#include "builders/bvh/sah/sah_blocks.cuh"
#include "builders/bvh/sah/sah_sweep.cuh"
#include "primitives/cuda/for_each.cuh"
#include "primitives/cuda/persistent.cuh"

namespace copse::cuda {

namespace detail {

/// The shared memory of a warp.
struct SahWarpMemory {
  static constexpr u32 max_waiting = 8;
  static_assert(SahWarp::max_items < 1u << max_waiting);

  SahTeamMemory<1> team;
  SahSweepMemory sweep;
  SahRange waiting[max_waiting];
};

/// A subtree of at most SahWarp::max_items.
class SahWarpWork {
 public:
  __device__ SahWarpWork(const SahInput& in, const SahWeights& weights, SahWarpMemory& memory)
      : in_(in), memory_(memory), warp_(in, memory.team), sweep_(in, weights, memory.sweep) {}

  /// Builds the smaller side of a split first, so that each waiting range is at most half as large as the one
  /// before.
  __device__ void build(SahRange range) {
    u32 waiting_count = 0;
    for (;;) {
      if (range.count > max_swept_items) {
        const u32 left_count = warp_.split(range, items_at(range.depth), items_at(range.depth + 1));
        const SahRange left = range.left(left_count), right = range.right(left_count);
        const bool left_is_smaller = left.count < right.count;
        if (lane_id() == 0) memory_.waiting[waiting_count] = left_is_smaller ? right : left;
        ++waiting_count;
        range = left_is_smaller ? left : right;
        __syncwarp();
        continue;
      }
      if (range.count > 1 || range.depth == 0) sweep_.build(range, items_at(range.depth));
      if (waiting_count == 0) return;
      range = memory_.waiting[--waiting_count];
      __syncwarp();
    }
  }

 private:
  __device__ SahItem* items_at(u32 depth) const { return depth % 2 == 0 ? in_.items : in_.spare; }

  const SahInput& in_;
  SahWarpMemory& memory_;
  SahWarp warp_;
  SahSweep sweep_;
};

union SahKernelMemory {
  SahBlockMemory block;
  SahWarpMemory warps[sah_block_warps];
};
static_assert(sizeof(SahKernelMemory) <= shared_bytes_everywhere);

/// Three blocks per multiprocessor leave too few registers to sweep without spills. Yet two blocks are about 15 %
/// slower for a million primitives or more, as measured on one H100 (bench: copse bench --builder sah).
__global__ void __launch_bounds__(SahBlock::threads, 3)
    sah_kernel(const SahInput in, const SahProgress progress, GridCounters* counters) {
  extern __shared__ __align__(16) unsigned char memory_bytes[];
  auto& memory = *reinterpret_cast<SahKernelMemory*>(memory_bytes);
  __shared__ SahWeights weights;
  weights.fill();
  SahBlockWork block_work(in, progress, memory.block);
  run_block_tasks(progress.blocks, [&](const SahTask& task) { block_work.run(task); });

  __syncthreads();
  SahWarpWork warp_work(in, weights, memory.warps[threadIdx.x / warp_size]);
  const u64 warp_task_count = progress.warps.size();
  for (;;) {
    const u64 ticket = take_ticket_by_warp(&counters->ticket);
    if (ticket >= warp_task_count) break;
    warp_work.build(progress.warps.data()[ticket].range());
  }
  leave_grid(counters);
}

/// Pushes the root to the queue.
struct PushSahRoot {
  const u32* valid_count;
  TaskQueueView<SahTask> queue;
  __device__ void operator()(u64) const {
    if (*valid_count > 0) queue.push(SahTask::of(SahRange::whole(*valid_count), SahTask::root));
  }
};

}  // namespace detail

/// Contract: builders/bvh/sah/sah.inl.
inline void split_top_down(const Executor& ex, u64 n, const copse::detail::SahInput& in) {
  using detail::SahProgress;
  using detail::SahTask;
  if (n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const u64 block_tasks = SahProgress::max_block_tasks(n), warp_tasks = SahProgress::max_warp_tasks(n);
  auto* tasks = frame.allocate<SahTask>(block_tasks);
  u32* ready = frame.allocate<u32>(block_tasks);
  auto* counters = frame.allocate<TaskQueueCounters>(1);
  auto* warp_list = frame.allocate<SahTask>(warp_tasks);
  u64* warp_task_count = frame.allocate<u64>(1);
  SahProgress progress;
  progress.blocks = {tasks, ready, block_tasks, counters};
  progress.warps = {warp_list, warp_tasks, warp_task_count};
  progress.large_nodes = frame.allocate<detail::SahLargeNode>(SahProgress::large_node_count(n));
  progress.bin_counts = frame.allocate<u32[3][copse::detail::max_sah_bins]>(SahProgress::chunk_place_count(n));
  progress.left_counts = frame.allocate<u32>(SahProgress::chunk_place_count(n));

  fill_bytes(ex, "sah: no tasks", ready, block_tasks, 0);
  fill_bytes(ex, "sah: no tasks", counters, 1, 0);
  fill_bytes(ex, "sah: no tasks", warp_task_count, 1, 0);
  for_each(ex, "sah: root", 1, detail::PushSahRoot{in.valid_count, progress.blocks});
  const char* label = "sah: split";
  const u32 shared_bytes = sizeof(detail::SahKernelMemory);
  constexpr u64 items_per_block = 64;  // so that no block starts for a small tree without work
  const u64 blocks =
      smaller(resident_blocks(ex, label, detail::sah_kernel, detail::SahBlock::threads, shared_bytes),
              divide_rounding_up(n, items_per_block));
  with_grid_counters(ex, [&](GridCounters* grid) {
    launch(ex, label, detail::sah_kernel, {blocks, detail::SahBlock::threads, shared_bytes}, in, progress, grid);
  });
}

/// Returns the scratch of split_top_down over at most `n` items.
inline u64 split_top_down_scratch_bytes(const Executor&, u64 n) {
  using detail::SahProgress;
  using detail::SahTask;
  if (n == 0) return 0;
  const u64 block_tasks = SahProgress::max_block_tasks(n);
  return ScratchArena::bytes_for<SahTask>(block_tasks) + ScratchArena::bytes_for<u32>(block_tasks) +
         ScratchArena::bytes_for<TaskQueueCounters>(1) +
         ScratchArena::bytes_for<SahTask>(SahProgress::max_warp_tasks(n)) + ScratchArena::bytes_for<u64>(1) +
         ScratchArena::bytes_for<detail::SahLargeNode>(SahProgress::large_node_count(n)) +
         ScratchArena::bytes_for<u32[3][copse::detail::max_sah_bins]>(SahProgress::chunk_place_count(n)) +
         ScratchArena::bytes_for<u32>(SahProgress::chunk_place_count(n));
}

}  // namespace copse::cuda

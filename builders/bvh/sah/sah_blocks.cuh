#pragma once

// The tasks of blocks: nodes of more than SahWarp::max_items.

#include "builders/bvh/sah/sah_tasks.cuh"
#include "primitives/cuda/block_tasks.cuh"

namespace copse::cuda {

namespace detail {

/// The shared memory of a block that works on large nodes.
struct SahBlockMemory {
  SahTeamMemory<sah_block_warps> team;
  BlockStorage<u32, SahBlock::threads> sums;
  bool is_last;
};

class SahBlockWork {
 public:
  __device__ SahBlockWork(const SahInput& in, const SahProgress& progress, SahBlockMemory& memory)
      : in_(in), progress_(progress), memory_(memory), block_(in, memory.team) {}

  __device__ void run(const SahTask& task) {
    switch (task.kind()) {
      case SahTask::root: return hand_on(task.range(), SahBounds::of(*in_.centres));
      case SahTask::split: return split_node(task.range());
      case SahTask::bin: return bin_chunk(task.range(), task.chunk);
      case SahTask::move: return move_chunk(task.range(), task.chunk);
    }
  }

 private:
  /// Items alternate between two arrays from level to level.
  __device__ SahItem* items_at(u32 depth) const { return depth % 2 == 0 ? in_.items : in_.spare; }

  /// Splits a node, then its larger side, until warps can take over.
  __device__ void split_node(SahRange range) {
    while (range.count > SahWarp::max_items) {
      const u32 left_count = block_.split(range, items_at(range.depth), items_at(range.depth + 1));
      const SahRange left = range.left(left_count), right = range.right(left_count);
      const bool goes_left = left.count > right.count;
      if (threadIdx.x == 0) hand_on_small(goes_left ? right : left);
      range = goes_left ? left : right;
    }
    if (threadIdx.x == 0) hand_on_small(range);
  }

  /// Hands on a node that is not large; one thread. A node of one item is stored as a leaf already, unless it is
  /// the root.
  __device__ void hand_on_small(const SahRange& range) {
    if (range.count > SahWarp::max_items) {
      progress_.blocks.push(SahTask::of(range, SahTask::split));
    } else if (range.count > 1 || range.depth == 0) {
      progress_.warps.push(SahTask::of(range, SahTask::split));
    }
  }

  /// Hands on any node; all threads of the block.
  __device__ void hand_on(const SahRange& range, const SahBounds& centres) {
    if (range.count <= SahBlock::max_items) {
      if (threadIdx.x == 0) hand_on_small(range);
      return;
    }
    SahLargeNode& node = progress_.large_node(range);
    node.bins.clear(threadIdx.x, SahBlock::threads);
    if (threadIdx.x == 0) {
      node.centres = centres;
      node.side_centres[0] = node.side_centres[1] = SahBounds::empty();
      node.binned = node.moved = 0;
    }
    push_chunks(range, SahTask::bin);
  }

  /// Pushes a task for each chunk of a large node; has a barrier of the block.
  __device__ void push_chunks(const SahRange& range, SahTask::Kind kind) {
    __shared__ u64 first_place;
    const u32 count = SahChunks::of(range.count).count;
    if (threadIdx.x == 0) first_place = progress_.blocks.reserve(count);
    __syncthreads();
    for (u32 chunk = threadIdx.x; chunk < count; chunk += SahBlock::threads) {
      progress_.blocks.publish(first_place + chunk, SahTask::of(range, kind, chunk));
    }
  }

  /// Counts the block as done with its part of a node. Returns true for the last block, which sees the writes of
  /// all.
  __device__ bool is_last(u32* done, u32 count) {
    __syncthreads();
    if (threadIdx.x == 0) memory_.is_last = fetch_add_acq_rel(done, 1u) == count - 1;
    __syncthreads();
    return memory_.is_last;
  }

  __device__ void bin_chunk(const SahRange& range, u32 chunk) {
    const SahChunks chunks = SahChunks::of(range.count);
    SahLargeNode& node = progress_.large_node(range);
    const SahGrid grid = SahGrid::over(node.centres.box(), in_.bin_count);
    memory_.team.bins.clear(threadIdx.x, SahBlock::threads);
    __syncthreads();
    const u32 end = smaller((chunk + 1) * chunks.items_each, range.count);
    for (u32 begin = chunk * chunks.items_each; begin < end; begin += SahBlock::max_items) {
      SahItem items[SahBlock::rounds];
      block_.load(range, begin, items_at(range.depth), items);
      block_.add(range, begin, grid, items);
    }
    __syncthreads();
    merge_bins(node.bins, progress_.bin_counts[progress_.chunk_place(range) + chunk]);
    if (is_last(&node.binned, chunks.count)) choose_split(range, node, chunks);
  }

  /// Adds the block's bins to the node's, and stores the counts of the block.
  __device__ void merge_bins(SahBinTable& node_bins, u32 (&bin_counts)[3][max_sah_bins]) {
    const SahBinTable& bins = memory_.team.bins;
    for (u32 k = threadIdx.x; k < SahBinTable::side_words; k += SahBlock::threads) {
      lower_to(&node_bins.sides[0][0][0] + k, (&bins.sides[0][0][0])[k]);
    }
    const u32 axis = threadIdx.x / warp_size;
    if (axis >= 3) return;
    const u32 count = bins.counts[axis][lane_id()];
    if (count > 0) atomicAdd(&node_bins.counts[axis][lane_id()], count);
    bin_counts[axis][lane_id()] = warp_inclusive_scan(count, Plus{});
  }

  __device__ void choose_split(const SahRange& range, SahLargeNode& node, const SahChunks& chunks) {
    const SahSplit split = block_.choose(range, node.bins);
    place_chunks(range, split, chunks);
    if (threadIdx.x == 0) {
      node.split = split;
      in_.tree.place_inner(range, memory_.team.bounds.box(), split.left_count);
    }
    __syncthreads();
    push_chunks(range, SahTask::move);
  }

  /// Stores, for each chunk, how many items of the chunks before it go left.
  __device__ void place_chunks(const SahRange& range, const SahSplit& split, const SahChunks& chunks) {
    constexpr u32 share = SahChunks::max_count / SahBlock::threads;
    const u32 place = progress_.chunk_place(range);
    u32 counts[share], sum = 0;
#pragma unroll
    for (u32 k = 0; k < share; ++k) {
      const u32 chunk = threadIdx.x * share + k;
      counts[k] = chunk < chunks.count ? left_count_in(range, split, chunks, chunk) : 0;
      sum += counts[k];
    }
    u32 before = block_exclusive_sum<SahBlock::threads>(sum, memory_.sums).before;
#pragma unroll
    for (u32 k = 0; k < share; ++k) {
      const u32 chunk = threadIdx.x * share + k;
      if (chunk < chunks.count) progress_.left_counts[place + chunk] = before;
      before += counts[k];
    }
  }

  __device__ u32 left_count_in(const SahRange& range, const SahSplit& split, const SahChunks& chunks,
                               u32 chunk) const {
    if (split.axis != SahSplit::no_axis) {
      return progress_.bin_counts[progress_.chunk_place(range) + chunk][split.axis][split.last_left];
    }
    const u32 begin = smaller(chunk * chunks.items_each, split.left_count);
    return smaller((chunk + 1) * chunks.items_each, split.left_count) - begin;
  }

  __device__ void move_chunk(const SahRange& range, u32 chunk) {
    const SahChunks chunks = SahChunks::of(range.count);
    SahLargeNode& node = progress_.large_node(range);
    const SahChoice choice{SahGrid::over(node.centres.box(), in_.bin_count), node.split};
    u32 left_before = progress_.left_counts[progress_.chunk_place(range) + chunk];
    SahSideCentres centres;
    const u32 end = smaller((chunk + 1) * chunks.items_each, range.count);
    for (u32 begin = chunk * chunks.items_each; begin < end; begin += SahBlock::max_items) {
      SahItem items[SahBlock::rounds];
      block_.load(range, begin, items_at(range.depth), items);
      block_.move(range, begin, choice, items, left_before, items_at(range.depth + 1), centres);
    }
    merge_centres(node.side_centres[0], centres.left);
    merge_centres(node.side_centres[1], centres.right);
    if (is_last(&node.moved, chunks.count)) hand_on_sides(range, node);
  }

  /// Merges the bounds that the threads of a warp found.
  __device__ void merge_centres(SahBounds& all, const SahBounds& centres) const {
#pragma unroll
    for (u32 s = 0; s < SahBounds::side_count; ++s) {
      const u32 least = warp_min(all_lanes, centres.side[s]);
      if (lane_id() == 0) lower_to(&all.side[s], least);
    }
  }

  /// Hands on both sides. They reuse the memory of the node.
  __device__ void hand_on_sides(const SahRange& range, const SahLargeNode& node) {
    const u32 left_count = node.split.left_count;
    const SahBounds left = node.side_centres[0], right = node.side_centres[1];
    __syncthreads();
    hand_on(range.left(left_count), left);
    __syncthreads();
    hand_on(range.right(left_count), right);
  }

  const SahInput& in_;
  const SahProgress& progress_;
  SahBlockMemory& memory_;
  SahBlock block_;
};

}  // namespace detail

}  // namespace copse::cuda

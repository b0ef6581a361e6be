#pragma once

// Neighbouring subtrees of an LBVH, one a thread of a block: those that belong together join, all at once, as in a
// warp (subtree_row.cuh), by minima of closeness and boxes over 1, 2, 4 and more neighbours. These stand in shared
// memory, so that a step costs a barrier; the levels of the tree cost none.

#include "builders/bvh/cuda/leaf_tile.cuh"
#include "primitives/core/bits.h"
#include "primitives/cuda/block.cuh"

namespace copse::cuda::detail {

/// Of subtrees in a SubtreeMemory, what a block needs beside it.
template <u32 block_threads>
struct JoinMemory {
  static constexpr u32 threads = block_threads;
  static constexpr u32 most_steps = 10;
  static_assert(threads <= 1u << most_steps);

  u8 lowest[most_steps][threads];  // closeness among 2^step gaps, the thread's the last
  u32 joining[threads / warp_size];
  u32 largest_size;
  BlockStorage<u32, threads> storage;

  __device__ bool joins(u32 gap) const { return (joining[gap / warp_size] >> gap % warp_size & 1) != 0; }
};

/// The subtrees under the node that splits behind the thread's: those between the nearest gaps that are less
/// close.
struct BlockRange {
  i32 gap_before;  // -1 where the span begins
  u32 gap_after;   // the number of subtrees where there is no such gap

  /// All threads of the block. Ends with the minima in `memory`.
  template <u32 threads>
  __device__ BlockRange(u32 closeness, u32 count, JoinMemory<threads>& memory)
      : gap_before(i32(threadIdx.x) - 1), gap_after(threadIdx.x + 1) {
    const u32 i = threadIdx.x;
    u32 lowest = closeness, steps = 1;
    memory.lowest[0][i] = u8(lowest);
    __syncthreads();
    for (; 1u << steps < count; ++steps) {
      const u32 half = 1u << (steps - 1);
      if (i >= half) lowest = smaller(lowest, u32(memory.lowest[steps - 1][i - half]));
      memory.lowest[steps][i] = u8(lowest);
      __syncthreads();
    }
    if (i >= count) return;
    for (u32 k = steps; k-- > 0;) {
      const u32 size = 1u << k;
      if (gap_before + 1 >= i32(size) && memory.lowest[k][gap_before] > closeness) gap_before -= i32(size);
      if (gap_after + size <= count && memory.lowest[k][gap_after + size - 1] > closeness) gap_after += size;
    }
  }
  __device__ u32 size() const { return u32(i32(gap_after) - gap_before); }
};

/// The box around the `size` subtrees up to `last`, as many as a thread likes, none for 0; all threads of the
/// block. Changes the boxes in `subtrees`.
///   largest_size: of all threads
template <class Subtrees>
__device__ Aabb box_of_subtrees(Subtrees& subtrees, u32 count, u32 last, u32 size, u32 largest_size) {
  const u32 i = smaller(threadIdx.x, count - 1);
  Aabb box = Aabb::empty();
  for (u32 k = 0; largest_size >> k != 0; ++k) {
    // The box in place i is that of 2^k subtrees up to it.
    if ((size >> k & 1) != 0) {
      box = merge(box, {subtrees.lo[last].corner, subtrees.hi[last].corner});
      last -= 1u << k;
    }
    const u32 other = i < 1u << k ? i : i - (1u << k);
    const Aabb own = merge({subtrees.lo[i].corner, subtrees.hi[i].corner},
                           {subtrees.lo[other].corner, subtrees.hi[other].corner});
    __syncthreads();
    if (threadIdx.x < count) {
      subtrees.lo[i].corner = own.lo;
      subtrees.hi[i].corner = own.hi;
    }
    __syncthreads();
  }
  return box;
}

/// Joins the first `count` subtrees, at least one, as far as they belong together; all threads of the block, of
/// which there are as many or more. Leaves what is left side by side, and returns how many.
template <class Subtrees, u32 threads>
__device__ u32 join_all(Subtrees& subtrees, u32 count, u32 closeness_before_span, const StoreSubtree& store,
                        JoinMemory<threads>& memory) {
  const u32 i = threadIdx.x;
  const bool is_there = i < count;
  const u32 closeness = is_there ? subtrees.closeness_after[i] : 0;
  const HalfSubtree own_lo = subtrees.lo[smaller(i, count - 1)], own_hi = subtrees.hi[smaller(i, count - 1)];
  if (i == 0) memory.largest_size = 0;
  const BlockRange range(closeness, count, memory);
  const bool joins =
      i + 1 < count && range.gap_after < count && (range.gap_before >= 0 || closeness_before_span < closeness);
  const u32 joining = __ballot_sync(all_lanes, joins), size = joins ? range.size() : 0;
  const u32 largest = __reduce_max_sync(all_lanes, size);
  if (lane_id() == 0) memory.joining[i / warp_size] = joining;
  if (lane_id() == 0 && largest > 0) atomicMax(&memory.largest_size, largest);
  __syncthreads();

  // Whose parent splits at a gap where nothing joins, that is left.
  const u32 before = i == 0 ? closeness_before_span : memory.lowest[0][i - 1];
  const u32 own_parent = before > closeness ? i - 1 : i;
  const bool is_left = is_there && (own_parent >= count || !memory.joins(own_parent));
  const Aabb box = box_of_subtrees(subtrees, count, range.gap_after, size, memory.largest_size);
  HalfSubtree lo = own_lo, hi = own_hi;
  u32 closeness_after = closeness;
  bool joined_is_left = false;
  if (joins) {
    const u32 closeness_before = range.gap_before < 0 ? closeness_before_span : memory.lowest[0][range.gap_before];
    closeness_after = memory.lowest[0][range.gap_after];
    const u32 parent = closeness_before > closeness_after ? u32(range.gap_before) : range.gap_after;
    joined_is_left = parent >= count || !memory.joins(parent);
    lo = {box.lo, subtrees.lo[range.gap_before + 1].leaf};
    hi = {box.hi, subtrees.hi[range.gap_after].leaf};
    store.inner(box, {lo.leaf, hi.leaf}, own_hi.leaf, closeness_before, closeness_after);
  }
  const VoteCount vote = block_count<threads>(is_left || joined_is_left, memory.storage);
  __syncthreads();
  if (is_left || joined_is_left) subtrees.store(vote.before, lo, hi, closeness_after);
  __syncthreads();
  return vote.total;
}

}  // namespace copse::cuda::detail

#pragma once

// The upper levels of an LBVH: a block takes the subtrees that are left of 64 spans of leaves, side by side in
// shared memory, and joins them as far as they belong together: in rows of 32, a warp each, in passes between
// which what is left closes ranks. What is left in the end is listed for the whole span again, and the block that
// is the last of 64 to have done so goes on with their lists. So all levels are one launch, but for the first one
// of many leaves: to hand on a list takes its block a moment, which tells where there are more blocks than the GPU
// holds.
//
// How many subtrees can be left of a span: the gaps between them are no closer than one beside them, so from the
// span's ends they fall towards one place, and no two that fall are equally close. So they are at most twice as
// many as there are values of closeness, and a block can always take one list more.

#include "builders/bvh/cuda/leaf_tile.cuh"
#include "builders/bvh/cuda/span_lists.cuh"
#include "primitives/core/atomic.h"
#include "primitives/cuda/block.cuh"

namespace copse::cuda::detail {

/// At most 96, see common_prefix; and one more, see LeafHierarchy.
inline constexpr u32 most_closeness = 97;
inline constexpr u32 most_subtrees_left = 2 * most_closeness + 1;

/// Subtrees side by side, one a thread; every second pass looks at rows that begin half a row earlier.
struct UpperMemory : SubtreeMemory<512 - warp_size / 2> {
  static constexpr u32 threads = 512;
  static_assert(capacity >= 2 * most_subtrees_left);

  SpanLists lists;
  BlockStorage<u32, threads> votes;
  bool goes_on;
};

/// Where a block stands on its way up: it takes the lists 64 * block and on of a level.
struct UpperLevel {
  u64 block;
  u64 list_count;  // that the level has room for
  u64 span;        // leaves a list
  u32* counts;     // [list]
  u32* arrivals;   // [block of the next level]: how many of its lists are there; zero before and after; or null

  __device__ u64 first_leaf() const { return block * SpanLists::most * span; }
  COPSE_HD u64 room_for_blocks() const { return divide_rounding_up(list_count, u64{SpanLists::most}); }
  __device__ u32* result() const { return counts + list_count + block; }

  /// The blocks that there are for so many leaves.
  __device__ u64 block_count(u32 leaf_count) const {
    return divide_rounding_up(leaf_count, span * SpanLists::most);
  }

  COPSE_HD UpperLevel next() const {
    const u64 blocks = room_for_blocks();
    u32* const next_arrivals =
        arrivals == nullptr ? nullptr : arrivals + divide_rounding_up(blocks, u64{SpanLists::most});
    return {block / SpanLists::most, blocks, span * SpanLists::most, counts + list_count, next_arrivals};
  }
};

/// Loads the subtrees of the numbers `begin` to `end` - 1 of the block's lists behind `count` others.
__device__ inline void load_subtrees(UpperMemory& memory, const ListedSubtree* subtrees, u32 first_leaf, u64 span,
                                     u32 begin, u32 end, u32 count) {
  const u32 i = count + threadIdx.x;
  const bool is_new = i < count + end - begin;
  vec3 lo{};
  if (is_new) {
    const ListedSubtree subtree = subtrees[first_leaf + memory.lists.place(begin + threadIdx.x, span)];
    lo = subtree.lo;
    memory.hi[i] = {subtree.hi, subtree.last_leaf};
    memory.closeness_after[i] = u8(subtree.closeness_after);
  }
  __syncthreads();
  if (is_new) memory.lo[i] = {lo, i == 0 ? first_leaf : memory.hi[i - 1].leaf + 1};
  __syncthreads();
}

/// Joins subtrees in rows of a warp each, once. Returns how many are left.
///   shift: how much earlier the rows begin than the subtrees
__device__ inline u32 join_rows(UpperMemory& memory, u32 count, u32 shift, u32 closeness_before,
                                const StoreSubtree& store) {
  const u32 row = threadIdx.x - lane_id();
  const u32 begin = row < shift ? 0 : row - shift, end = smaller(count, row + warp_size - shift);
  const RowOfSubtrees<UpperMemory> leaves{memory, begin};
  RowSubtree mine{};
  u32 held = 0;
  if (begin < end) {
    mine = leaves.load(end - begin);
    held = join_row(mine, end - begin, begin == 0 ? closeness_before : memory.closeness_after[begin - 1], leaves,
                    store);
  }
  const bool holds = (held >> lane_id() & 1) != 0;
  HalfSubtree lo{}, hi{};
  if (holds) {
    lo = {mine.box.lo, leaves.first(mine.first_lane)};
    hi = {mine.box.hi, leaves.last(mine.last_lane)};
  }
  const VoteCount vote = copse::cuda::block_count<UpperMemory::threads>(holds, memory.votes);
  if (holds) memory.store(vote.before, lo, hi, mine.closeness_after);
  __syncthreads();
  return vote.total;
}

/// Joins the block's subtrees as far as they belong together. Returns how many are left.
__device__ inline u32 join_by_rows(UpperMemory& memory, u32 count, u32 closeness_before,
                                   const StoreSubtree& store) {
  // Two neighbours stand in one row in this pass or in the next one.
  u32 idle_passes = 0;
  for (u32 shift = 0; idle_passes < 2 && count > 1; shift ^= warp_size / 2) {
    const bool is_one_row = count <= warp_size;
    const u32 left = join_rows(memory, count, is_one_row ? 0 : shift, closeness_before, store);
    if (is_one_row) return left;
    idle_passes = left == count ? idle_passes + 1 : 0;
    count = left;
  }
  return count;
}

/// Joins what a block of a level finds, and lists what is left.
template <class Leaves>
__device__ void join_lists(UpperMemory& memory, const LeafHierarchy<Leaves>& hierarchy, ListedSubtree* subtrees,
                           const UpperLevel& level, const StoreSubtree& store) {
  const u32 first_leaf = u32(level.first_leaf());
  const u32 closeness_before = hierarchy.closeness_before(first_leaf);
  const u64 list_count = divide_rounding_up(u64{hierarchy.leaf_count} - first_leaf, level.span);
  memory.lists.number(level.counts + level.block * SpanLists::most,
                      u32(smaller(list_count, u64{SpanLists::most})));

  // As many lists at once as fit, which is mostly all of them; one pass over them makes room for more.
  u32 count = 0;
  for (u32 begin = 0; begin < memory.lists.size();) {
    u32 end = memory.lists.end_of_whole_lists(begin, UpperMemory::capacity - count);
    if (end == begin) {
      count = join_by_rows(memory, count, closeness_before, store);
      end = memory.lists.end_of_whole_lists(begin, UpperMemory::capacity - count);
    }
    if (end == begin) break;  // more is left of the spans than gaps can leave: they are none
    load_subtrees(memory, subtrees, first_leaf, level.span, begin, end, count);
    count += end - begin;
    begin = end;
    if (begin < memory.lists.size()) count = join_rows(memory, count, 0, closeness_before, store);
  }
  count = join_by_rows(memory, count, closeness_before, store);
  const u32 i = threadIdx.x;
  if (i < count) subtrees[first_leaf + i] = memory.listed(i);
  if (i == 0) *level.result() = count;
}

/// Says that the block's list is there. True for all threads of the block that goes on with the next level, and
/// sees the lists of the others.
__device__ inline bool goes_on(UpperMemory& memory, const UpperLevel& level, u64 block_count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const u64 parent = level.block / SpanLists::most;
    const u64 siblings = smaller(u64{SpanLists::most}, block_count - parent * SpanLists::most);
    memory.goes_on = fetch_add_acq_rel(level.arrivals + parent, 1u) == siblings - 1;
    if (memory.goes_on) level.arrivals[parent] = 0;
  }
  __syncthreads();
  return memory.goes_on;
}

/// As many blocks as a multiprocessor holds at the fewest registers that take no local memory.
inline constexpr u32 upper_blocks = 3;

/// One level, or with arrivals all from it on.
template <class Leaves>
__global__ void __launch_bounds__(UpperMemory::threads, upper_blocks)
    upper_levels_kernel(const Leaves leaves, const u8* gaps, ListedSubtree* subtrees, UpperLevel level,
                        const BvhArrays bvh) {
  __shared__ UpperMemory memory;
  overlap_launches();
  const LeafHierarchy<Leaves> hierarchy{leaves, gaps, bvh.counts->leaf_count};
  level.block = blockIdx.x;
  if (level.first_leaf() >= hierarchy.leaf_count) return;
  for (;;) {
    join_lists(memory, hierarchy, subtrees, level, {bvh});
    const u64 block_count = level.block_count(hierarchy.leaf_count);
    if (level.arrivals == nullptr || block_count == 1 || !goes_on(memory, level, block_count)) return;
    level = level.next();
  }
}

}  // namespace copse::cuda::detail

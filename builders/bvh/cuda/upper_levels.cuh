#pragma once

// The upper levels of an LBVH: a block takes the subtrees that are left of 64 spans of leaves, side by side in
// shared memory, and joins them as far as they belong together: first a row of 32 a warp, and then what is left of
// the rows. What is left then is listed for the whole span again. Each launch makes the lists fewer, until one is
// left, and the root with it.
//
// There are two ways to go on from the rows. By rows again, in passes between which what is left closes ranks:
// least work, for the first launch, which keeps the GPU busy. Or all at once (subtree_block.cuh): fewest steps,
// for the launches after it, of which each block waits for its own.
//
// How many subtrees can be left of a span: the gaps between them are no closer than one beside them, so from the
// span's ends they fall towards one place, and no two that fall are equally close. So they are at most twice as
// many as there are values of closeness, and a block can always take one list more.

#include "builders/bvh/cuda/leaf_tile.cuh"
#include "builders/bvh/cuda/span_lists.cuh"
#include "builders/bvh/cuda/subtree_block.cuh"

namespace copse::cuda::detail {

/// At most 96, see common_prefix; and one more, see LeafHierarchy.
inline constexpr u32 most_closeness = 97;
inline constexpr u32 most_subtrees_left = 2 * most_closeness + 1;

/// Subtrees side by side, one a thread; by rows, every second pass looks at rows that begin half a row earlier.
template <u32 block_threads>
struct UpperMemory : SubtreeMemory<block_threads - warp_size / 2> {
  static constexpr u32 threads = block_threads;
  static_assert(UpperMemory::capacity >= 2 * most_subtrees_left);

  SpanLists lists;
  JoinMemory<threads> join;
};

/// Lists of a level.
struct UpperLevel {
  u32 span;      // leaves a list
  u32* counts;   // [list]
  u32* results;  // [block]: the counts of the next level
};

/// A block's leaves.
struct UpperSpan {
  u32 first_leaf;
  u32 closeness_before;
};

/// Loads the subtrees of the numbers `begin` to `end` - 1 of the block's lists behind `count` others.
template <class Memory>
__device__ void load_subtrees(Memory& memory, const SubtreeEnd* ends, const BvhNode* nodes,
                              const UpperSpan& leaves, u32 span, u32 begin, u32 end, u32 count) {
  const u32 i = count + threadIdx.x;
  const bool is_new = i < count + end - begin;
  SubtreeEnd subtree{};
  if (is_new) {
    subtree = ends[leaves.first_leaf + memory.lists.place(begin + threadIdx.x, span)];
    memory.hi[i].leaf = subtree.last_leaf;
    memory.closeness_after[i] = u8(subtree.closeness_after);
  }
  __syncthreads();
  if (is_new) {
    const LeafRange range{i == 0 ? leaves.first_leaf : memory.hi[i - 1].leaf + 1, subtree.last_leaf};
    const u32 before = i == 0 ? leaves.closeness_before : memory.closeness_after[i - 1];
    const Aabb box = nodes[SubtreePlace(range, before, subtree.closeness_after).node].box();
    memory.lo[i] = {box.lo, range.first};
    memory.hi[i].corner = box.hi;
  }
  __syncthreads();
}

/// Joins subtrees in rows of a warp each, once. Returns how many are left.
///   shift: how much earlier the rows begin than the subtrees
template <class Memory>
__device__ u32 join_rows(Memory& memory, u32 count, u32 shift, u32 closeness_before, const StoreSubtree& store) {
  const u32 row = threadIdx.x - lane_id();
  const u32 begin = row < shift ? 0 : row - shift, end = smaller(count, row + warp_size - shift);
  const RowOfSubtrees<Memory> leaves{memory, begin};
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
  const VoteCount vote = block_count<Memory::threads>(holds, memory.join.storage);
  if (holds) memory.store(vote.before, lo, hi, mine.closeness_after);
  __syncthreads();
  return vote.total;
}

/// Joins the block's subtrees as far as they belong together, by rows. Returns how many are left.
template <class Memory>
__device__ u32 join_by_rows(Memory& memory, u32 count, u32 closeness_before, const StoreSubtree& store) {
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

/// The same, by as few steps as can be.
template <class Memory>
__device__ u32 join_at_once(Memory& memory, u32 count, u32 closeness_before, const StoreSubtree& store) {
  if (count < 2) return count;
  const u32 left = join_rows(memory, count, 0, closeness_before, store);
  if (count <= warp_size || left < 2) return left;
  return left <= warp_size ? join_rows(memory, left, 0, closeness_before, store)
                           : join_all(memory, left, closeness_before, store, memory.join);
}

/// As many blocks as a multiprocessor holds at the fewest registers that take no local memory.
template <u32 threads>
inline constexpr u32 upper_blocks = 1536 / threads;

template <u32 threads, bool by_rows, class Leaves>
__global__ void __launch_bounds__(threads, upper_blocks<threads>)
    upper_level_kernel(const Leaves leaves, const u8* gaps, SubtreeEnd* ends, const UpperLevel level,
                       const BvhArrays bvh) {
  __shared__ UpperMemory<threads> memory;
  overlap_launches();
  const LeafHierarchy<Leaves> hierarchy{leaves, gaps, bvh.counts->leaf_count};
  const u64 first_leaf = u64(blockIdx.x) * SpanLists::most * level.span;
  if (first_leaf >= hierarchy.leaf_count) return;
  const UpperSpan span{u32(first_leaf), hierarchy.closeness_before(u32(first_leaf))};
  const u64 list_count = divide_rounding_up(hierarchy.leaf_count - first_leaf, u64{level.span});
  memory.lists.number(level.counts + blockIdx.x * SpanLists::most, u32(smaller(list_count, u64{SpanLists::most})));

  // As many lists at once as fit, which is mostly all of them.
  u32 count = 0;
  for (u32 begin = 0; begin < memory.lists.size();) {
    const u32 end = memory.lists.end_of_whole_lists(begin, memory.capacity - count);
    if (end == begin) break;  // more is left of the spans than gaps can leave: they are none
    load_subtrees(memory, ends, bvh.nodes, span, level.span, begin, end, count);
    count += end - begin;
    count = by_rows ? join_by_rows(memory, count, span.closeness_before, {bvh})
                    : join_at_once(memory, count, span.closeness_before, {bvh});
    begin = end;
  }
  const u32 i = threadIdx.x;
  if (i < count) ends[first_leaf + i] = {memory.hi[i].leaf, memory.closeness_after[i]};
  if (i == 0) level.results[blockIdx.x] = count;
}

}  // namespace copse::cuda::detail

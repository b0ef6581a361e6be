#pragma once

// Topology and boxes of an LBVH on CUDA. Contract: builders/bvh/lbvh/lbvh.inl.
//
// A warp joins a tile of leaves in registers (leaf_tile.cuh, subtree_row.cuh). The subtrees whose parent reaches
// beyond the tile are pending: they are listed for the next level. In each upper level, a block joins the pending
// subtrees of 64 spans in shared memory, so the next level has a 64th of the spans. The last level makes all
// remaining nodes at once (last_level.cuh). No thread waits for another one. The walk by single threads
// (reference.h), in contrast, needs a fence per node. Measured by copse bench --builder lbvh --stages.
//
// A block of an upper level joins its subtrees in passes, in rows of 32, one warp per row. After each pass the
// remaining subtrees are compacted. Those that remain after the last pass are pending in the next level.
//
// A span has few pending subtrees. A split whose delta is higher than both neighbouring deltas is joined, so no
// such split remains. Hence the remaining deltas fall strictly from both ends of the span towards one place. So
// there are at most twice as many subtrees as values of delta, plus one, and a block always has room for one more
// list.

#include "builders/bvh/lbvh/last_level.cuh"
#include "builders/bvh/lbvh/leaf_tile.cuh"
#include "builders/bvh/morton/leaf_hierarchy.h"
#include "primitives/cuda/block.cuh"

namespace copse::cuda {

namespace detail {

/// An upper bound: 95 (see common_prefix) plus 1 (see LeafHierarchy), and 1 to spare.
inline constexpr u32 max_delta = 97;
inline constexpr u32 max_subtrees_left = 2 * max_delta + 1;
static_assert(max_subtrees_left < 256, "counts of PendingTable");

/// The subtrees of a block, at most one per thread. In every second pass the rows begin half a row earlier.
struct UpperMemory : SubtreeMemory<512 - warp_size / 2> {
  static constexpr u32 threads = 512;
  static_assert(capacity >= 2 * max_subtrees_left);

  PendingLists lists;
  BlockStorage<u32, threads> votes;
};

/// A level: each block takes 64 of its lists and makes one list of the next level.
struct UpperLevel {
  u64 span;  // leaves per list
  PendingSubtrees lists;
  u32* next_counts;                // [list of the next level]
  PendingSummary* next_summaries;  // or null

  __device__ u64 first_leaf() const { return blockIdx.x * PendingLists::max_lists * span; }
  __device__ u32 first_list() const { return blockIdx.x * PendingLists::max_lists; }

  /// The delta at the left end of the block's first leaf.
  __device__ u32 delta_left() const {
    if (blockIdx.x == 0) return 0;
    return lists.subtrees[first_leaf() - span + lists.counts[first_list() - 1] - 1].delta_right;
  }
};

/// Loads the subtrees number `begin` to `end` - 1 of the block's lists, and appends them to the `count` in memory.
/// All threads of the block call it.
///   before: the subtree before the block's first one
__device__ inline void load_subtrees(UpperMemory& memory, const BvhNode* nodes, const PendingSubtree* subtrees,
                                     u64 span, u32 begin, u32 end, u32 count, const PendingSubtree& before) {
  const u32 i = count + threadIdx.x, number = begin + threadIdx.x;
  const bool is_new = number < end;
  PendingSubtree own = before, previous = before;
  if (is_new) own = subtrees[memory.lists.place(number, span)];
  if (is_new && lane_id() == 0 && number > 0) previous = subtrees[memory.lists.place(number - 1, span)];
  const PendingSubtree in_lane_before = shuffle_up(own, 1);
  if (lane_id() != 0) previous = in_lane_before;
  if (is_new) {
    const LeafRange range{previous.last_leaf + 1, own.last_leaf};
    const BvhNode node = nodes[SubtreePlace(range, previous.delta_right, own.delta_right).node];
    memory.store(i, {node.lo, range.first}, {node.hi, range.last}, own.delta_right);
  }
  __syncthreads();
}

/// Joins subtrees once, in rows of one warp each. Returns how many remain.
///   shift: by how many subtrees the rows begin earlier
__device__ inline u32 join_rows(UpperMemory& memory, u32 count, u32 shift, u32 delta_left,
                                const StoreSubtree& store) {
  const u32 row = threadIdx.x - lane_id();
  const u32 begin = row < shift ? 0 : row - shift, end = smaller(count, row + warp_size - shift);
  const RowOfSubtrees<UpperMemory> leaves{memory, begin};
  RowSubtree mine{};
  u32 held = 0;
  if (begin < end) {
    mine = leaves.load(end - begin);
    held = join_row(mine, end - begin, begin == 0 ? delta_left : memory.delta_right[begin - 1], leaves, store);
  }
  const bool holds = (held >> lane_id() & 1) != 0;
  HalfSubtree lo{}, hi{};
  if (holds) {
    lo = {mine.box.lo, leaves.first(mine.first_lane)};
    hi = {mine.box.hi, leaves.last(mine.last_lane)};
  }
  const VoteCount vote = copse::cuda::block_count<UpperMemory::threads>(holds, memory.votes);
  if (holds) memory.store(vote.before, lo, hi, mine.delta_right);
  __syncthreads();
  return vote.total;
}

/// Makes every node whose whole range lies in the block. Returns how many subtrees remain.
__device__ inline u32 join_by_rows(UpperMemory& memory, u32 count, u32 delta_left, const StoreSubtree& store) {
  // Two neighbours are in one row either in this pass or in the next one.
  u32 idle_passes = 0;
  for (u32 shift = 0; idle_passes < 2 && count > 1; shift ^= warp_size / 2) {
    const bool is_one_row = count <= warp_size;
    const u32 left = join_rows(memory, count, is_one_row ? 0 : shift, delta_left, store);
    if (is_one_row) return left;
    idle_passes = left == count ? idle_passes + 1 : 0;
    count = left;
  }
  return count;
}

/// Joins the subtrees of a block, and lists those that remain.
__device__ inline void join_pending(UpperMemory& memory, const UpperLevel& level, u32 leaf_count,
                                    const StoreSubtree& store) {
  const u32 delta_left = level.delta_left();
  PendingSubtree* const subtrees = level.lists.subtrees + level.first_leaf();
  const u64 list_count = divide_rounding_up(leaf_count - level.first_leaf(), level.span);
  memory.lists.number(level.lists.counts + level.first_list(),
                      u32(smaller(list_count, u64{PendingLists::max_lists})));

  // Load as many lists at once as fit, in most cases all. A pass of joins then makes room for more.
  u32 count = 0;
  for (u32 begin = 0; begin < memory.lists.size();) {
    u32 end = memory.lists.end_of_whole_lists(begin, UpperMemory::capacity - count);
    if (end == begin) {
      count = join_by_rows(memory, count, delta_left, store);
      end = memory.lists.end_of_whole_lists(begin, UpperMemory::capacity - count);
    }
    if (end == begin) break;  // more subtrees than deltas allow: the deltas are invalid
    load_subtrees(memory, store.bvh.nodes, subtrees, level.span, begin, end, count,
                  {u32(level.first_leaf()) - 1, delta_left});
    count += end - begin;
    begin = end;
    if (begin < memory.lists.size()) count = join_rows(memory, count, 0, delta_left, store);
  }
  count = join_by_rows(memory, count, delta_left, store);
  const u32 i = threadIdx.x;
  if (i < count) subtrees[i] = memory.pending(i);
  if (i == 0) level.next_counts[blockIdx.x] = count;
  if (level.next_summaries != nullptr && i < warp_size) {
    memory.summarise(count, level.next_summaries + blockIdx.x);
  }
}

/// Blocks per multiprocessor: the maximum without register spills.
inline constexpr u32 upper_blocks = 3;

__global__ static void __launch_bounds__(UpperMemory::threads, upper_blocks)
    join_level_kernel(const UpperLevel level, const BvhArrays bvh, bool only_with_deltas) {
  __shared__ UpperMemory memory;
  overlap_launches();
  const u32 leaf_count = only_with_deltas && *bvh.has_deltas == 0 ? 0 : bvh.counts->leaf_count;
  if (level.first_leaf() < leaf_count) join_pending(memory, level, leaf_count, {bvh});
}

/// The lists that the tiles of `n` leaves make.
inline u64 tile_count(u64 n) {
  return divide_rounding_up(n, u64{LbvhTile::capacity});
}

/// The lists of all levels over `n` leaves, those of the tiles included.
inline u64 pending_list_count(u64 n) {
  u64 lists = tile_count(n), total = lists;
  for (; lists > max_last_level_lists; total += lists)
    lists = divide_rounding_up(lists, u64{PendingLists::max_lists});
  return total;
}

/// The lists that the last level takes.
inline u64 last_level_list_count(u64 n) {
  u64 lists = tile_count(n);
  while (lists > max_last_level_lists) lists = divide_rounding_up(lists, u64{PendingLists::max_lists});
  return lists;
}

/// Allocates all lists over `n` leaves. Upper levels overwrite the subtrees of the tiles' lists, but have counts
/// of their own, behind those of the tiles.
inline PendingSubtrees allocate_pending(ScratchArena::Frame& frame, u64 n) {
  auto* const subtrees = frame.allocate<PendingSubtree>(n);
  u32* const counts = frame.allocate<u32>(pending_list_count(n));
  return {subtrees, counts, frame.allocate<PendingSummary>(last_level_list_count(n))};
}
inline u64 pending_scratch_bytes(u64 n) {
  return ScratchArena::bytes_for<PendingSubtree>(n) + ScratchArena::bytes_for<u32>(pending_list_count(n)) +
         ScratchArena::bytes_for<PendingSummary>(last_level_list_count(n));
}

/// The lists as tiles fill them: only the last level takes summaries.
inline PendingSubtrees pending_of_tiles(const PendingSubtrees& lists, u64 n) {
  return {lists.subtrees, lists.counts, tile_count(n) <= max_last_level_lists ? lists.summaries : nullptr};
}

/// Joins the pending subtrees of the tiles by upper levels. Returns the lists for the last level.
///   only_with_deltas: does nothing if the tree is not the LBVH of its deltas
inline LastLevel join_levels(const Executor& ex, const char* label, PendingSubtrees lists, u64 n,
                             const BvhArrays& bvh, bool only_with_deltas) {
  u64 count = tile_count(n), span = LbvhTile::capacity;
  while (count > max_last_level_lists) {
    const u64 next = divide_rounding_up(count, u64{PendingLists::max_lists});
    const UpperLevel level{span, lists, lists.counts + count,
                           next <= max_last_level_lists ? lists.summaries : nullptr};
    launch(ex, label, join_level_kernel,
           {.blocks = next, .threads = UpperMemory::threads, .overlaps_earlier_launch = true}, level, bvh,
           only_with_deltas);
    lists.counts += count;
    count = next;
    span *= PendingLists::max_lists;
  }
  return {u32(span), u32(count), lists};
}

/// The launch of a kernel that calls join_last_level().
inline LaunchShape last_level_shape(const LastLevel& last, u32 lists_per_block) {
  return {.blocks = divide_rounding_up(last.room, lists_per_block),
          .threads = LastLevel::threads,
          .overlaps_earlier_launch = true};
}

template <class Boxes, class Leaves>
void join_leaf_tiles(const Executor& ex, const LeafTileInput<Boxes, Leaves>& in,
                     const PrecomputedBounds& precomputed, u64 n) {
  launch(ex, "lbvh: leaves", leaf_tile_kernel<LbvhTile::rows, LbvhTile::warps, LbvhTile::blocks, Boxes, Leaves>,
         leaf_tile_shape(n), in, precomputed);
}

__global__ static void __launch_bounds__(LastLevel::threads, LastLevel::blocks)
    last_level_kernel(const LastLevel last, u32 lists_per_block, const BvhArrays bvh) {
  overlap_launches();
  join_last_level(last, lists_per_block, bvh);
}

/// Joins the pending subtrees of the tiles into one tree.
inline void join_upper_levels(const Executor& ex, const PendingSubtrees& lists, u64 n, const BvhArrays& bvh) {
  constexpr const char* label = "lbvh: upper levels";
  const LastLevel last = join_levels(ex, label, lists, n, bvh, false);
  const u32 lists_per_block = last.lists_per_block(ex.multiprocessor_count);
  launch(ex, label, last_level_kernel, last_level_shape(last, lists_per_block), last, lists_per_block, bvh);
}

}  // namespace detail

/// Contract: builders/bvh/lbvh/lbvh.inl.
template <class Boxes, class Leaves>
void join_leaves(const Executor& ex, const Boxes& boxes, const copse::detail::PrecomputedBounds& precomputed,
                 const Leaves& leaves, const u8* deltas, u64 n, const copse::detail::BvhArrays& bvh) {
  if (n == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const detail::PendingSubtrees lists = detail::allocate_pending(frame, n);
  detail::join_leaf_tiles(
      ex, detail::LeafTileInput<Boxes, Leaves>{boxes, leaves, deltas, detail::pending_of_tiles(lists, n), bvh},
      precomputed, n);
  detail::join_upper_levels(ex, lists, n, bvh);
}

inline u64 join_leaves_scratch_bytes(const Executor&, u64 n) {
  return n == 0 ? 0 : detail::pending_scratch_bytes(n);
}

}  // namespace copse::cuda

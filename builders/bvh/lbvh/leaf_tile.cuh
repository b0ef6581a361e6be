#pragma once

// The lowest levels of an LBVH: a warp makes the leaves of a tile and builds every node whose whole range lies in
// the tile. The subtrees that remain are children of nodes that reach beyond the tile. They are listed for the
// next level. There are at most 2 x 97 + 1 of them, since the deltas between them fall towards one place and then
// rise (lbvh.cuh).

#include "builders/bvh/lbvh/subtree_row.cuh"
#include "builders/geometry/box_sources.h"
#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"

namespace copse::cuda::detail {

using copse::detail::GatheredBoxes;
using copse::detail::LeafHierarchy;
using copse::detail::PrecomputedBounds;

/// The tiles of a launch.
struct LbvhTile {
  static constexpr u32 rows = 2;
  static constexpr u32 capacity = rows * warp_size;
  static constexpr u32 warps = 4;
  static constexpr u32 blocks = 9;  // per multiprocessor
};

/// A subtree whose parent is not made yet: its last leaf, and the delta at its right end. Its box is in its node.
struct alignas(8) PendingSubtree {
  u32 last_leaf;
  u32 delta_right;
};

/// A summary of a list of neighbouring subtrees: the box around them, their count, and the lowest delta at their
/// right ends.
struct alignas(16) PendingSummary {
  vec3 lo;
  u32 min_delta;
  vec3 hi;
  u32 count;
};

/// Lists of pending subtrees, one list per span of leaves. The list of a span starts at its first leaf.
struct PendingSubtrees {
  PendingSubtree* subtrees;
  u32* counts;                // [span]
  PendingSummary* summaries;  // [span], or null
};

/// Half of a subtree: a corner of its box and a leaf. Lanes that read neighbouring halves read different banks.
struct alignas(16) HalfSubtree {
  vec3 corner;
  u32 leaf;
};

/// Neighbouring subtrees in shared memory.
template <u32 subtree_capacity>
struct SubtreeMemory {
  static constexpr u32 capacity = subtree_capacity;

  HalfSubtree lo[capacity], hi[capacity];  // with the first and the last leaf
  u8 delta_right[capacity];

  __device__ void store(u32 i, const HalfSubtree& new_lo, const HalfSubtree& new_hi, u32 delta) {
    lo[i] = new_lo;
    hi[i] = new_hi;
    delta_right[i] = u8(delta);
  }
  __device__ PendingSubtree pending(u32 i) const { return {hi[i].leaf, delta_right[i]}; }

  /// Stores the summary of the first `count` subtrees, at least one. All lanes of a warp call it. It is not
  /// inlined: most launches do not need it, and tiles have no registers left for it.
  __device__ __noinline__ void summarise(u32 count, PendingSummary* summary) const {
    Aabb box = Aabb::empty();
    u32 least = delta_right[0];
    for (u32 i = lane_id(); i < count; i += warp_size) {
      box = merge(box, {lo[i].corner, hi[i].corner});
      least = smaller(least, u32{delta_right[i]});
    }
    box = box_of_all_lanes(box);
    least = warp_min(all_lanes, least);
    if (lane_id() == 0) *summary = {box.lo, least, box.hi, count};
  }
};

/// The leaves that the lanes of a row began with, for a row of leaves.
struct RowOfLeaves {
  u32 first_leaf;
  __device__ u32 first(u32 lane) const { return first_leaf + lane; }
  __device__ u32 last(u32 lane) const { return first_leaf + lane; }
};

/// The same for a row of subtrees in memory.
template <class Memory>
struct RowOfSubtrees {
  const Memory& memory;
  u32 begin;
  __device__ u32 first(u32 lane) const { return memory.lo[begin + lane].leaf; }
  __device__ u32 last(u32 lane) const { return memory.hi[begin + lane].leaf; }

  /// Loads a row of `count` subtrees, at least one. All lanes of a warp call it.
  __device__ RowSubtree load(u32 count) const {
    const u32 i = begin + smaller(lane_id(), count - 1);
    return RowSubtree::make({memory.lo[i].corner, memory.hi[i].corner}, memory.delta_right[i]);
  }
};

/// Appends the subtrees in the lanes `held` to the `count` in memory. Returns the new count.
template <class Memory, class Leaves>
__device__ u32 append(Memory& memory, u32 count, const RowSubtree& mine, u32 held, const Leaves& leaves) {
  const HalfSubtree lo{mine.box.lo, leaves.first(mine.first_lane)}, hi{mine.box.hi, leaves.last(mine.last_lane)};
  __syncwarp();
  if ((held >> lane_id() & 1) != 0) {
    memory.store(count + u32(__popc(held & lower_lanes())), lo, hi, mine.delta_right);
  }
  __syncwarp();
  return count + u32(__popc(held));
}

/// Joins the subtrees in memory once more, in rows of 32. Returns how many remain.
template <class Memory>
__device__ u32 join_list(Memory& memory, u32 count, u32 delta_left, const StoreSubtree& store) {
  u32 left = 0;
  for (u32 begin = 0; begin < count; begin += warp_size) {
    const u32 row_count = smaller(count - begin, warp_size);
    const RowOfSubtrees<Memory> leaves{memory, begin};
    RowSubtree mine = leaves.load(row_count);
    const u32 next_delta_left = memory.delta_right[begin + row_count - 1];
    const u32 held = join_row(mine, row_count, delta_left, leaves, store);
    left = append(memory, left, mine, held, leaves);
    delta_left = next_delta_left;
  }
  return left;
}

template <class Boxes, class Leaves>
struct LeafTileInput {
  Boxes boxes;
  Leaves leaves;
  const u8* deltas;
  PendingSubtrees lists;
  BvhArrays bvh;

  template <class OtherBoxes>
  __device__ LeafTileInput<OtherBoxes, Leaves> with(const OtherBoxes& other) const {
    return {other, leaves, deltas, lists, bvh};
  }
};

/// Thirty-two leaves, one per lane. load() only starts the loads, so that the loads of several rows overlap.
struct LeafRow {
  BvhNode node;
  u32 delta_right;

  template <class Boxes, class Leaves>
  __device__ void load(const LeafTileInput<Boxes, Leaves>& in, const LeafHierarchy<Leaves>& hierarchy, u32 leaf) {
    delta_right = hierarchy.delta_right(leaf);
    node = make_leaf(in.boxes, in.leaves, in.bvh.primitive_ids, leaf);
  }
};

/// A row of leaves makes only the nodes over fewer leaves than this, which are most of the nodes. join_list() has
/// no such limit.
inline constexpr u32 row_join_limit = 8;

/// Joins the leaves of the tile of a warp.
template <u32 rows, u32 warps, class Boxes, class Leaves>
__device__ __forceinline__ void join_leaf_tile(const LeafTileInput<Boxes, Leaves>& in,
                                               SubtreeMemory<rows * warp_size>* memories) {
  constexpr u32 capacity = rows * warp_size;
  const LeafHierarchy<Leaves> hierarchy{in.leaves, in.deltas, in.bvh.counts->leaf_count};
  const StoreSubtree store{in.bvh};
  const u32 warp = threadIdx.x / warp_size;
  const u64 tile = u64(blockIdx.x) * warps + warp;
  if (tile * capacity >= hierarchy.leaf_count) return;
  const u32 begin = u32(tile) * capacity, count = smaller(capacity, hierarchy.leaf_count - begin);
  auto& memory = memories[warp];

  // Load all leaves, so that the loads of the rows overlap.
  LeafRow row[rows];
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    row[k].load(in, hierarchy, begin + smaller(k * warp_size + lane_id(), count - 1));
  }

  // Join each row by itself, then the subtrees that remain of all rows.
  const u32 tile_delta_left = hierarchy.delta_left(begin);
  u32 delta_left = tile_delta_left, left = 0;
#pragma unroll
  for (u32 k = 0; k < rows; ++k) {
    if (k * warp_size >= count) break;
    const u32 row_count = smaller(warp_size, count - k * warp_size);
    const u32 after = row[k].delta_right;
    u32 before = shuffle_up(after, 1);
    if (lane_id() == 0) before = delta_left;

    const RowOfLeaves leaves{begin + k * warp_size};
    const u32 leaf = leaves.first(lane_id());
    store_by_pairs(in.bvh.nodes, row[k].node,
                   lane_id() < row_count ? SubtreePlace({leaf, leaf}, before, after).node : invalid_id);
    RowSubtree mine = RowSubtree::make(row[k].node.box(), after);
    const u32 held = join_row<row_join_limit>(mine, row_count, delta_left, leaves, store);
    left = append(memory, left, mine, held, leaves);
    delta_left = shuffle_from(after, warp_size - 1);
  }
  if (rows > 1) left = join_list(memory, left, tile_delta_left, store);

  // List the pending subtrees.
  for (u32 i = lane_id(); i < left; i += warp_size) {
    in.lists.subtrees[begin + i] = memory.pending(i);
  }
  if (lane_id() == 0) in.lists.counts[begin / capacity] = left;
  if (in.lists.summaries != nullptr) memory.summarise(left, in.lists.summaries + begin / capacity);
}

/// The same for all tiles of a block, with the fastest source of boxes.
template <u32 rows, u32 warps, class Boxes, class Leaves>
__device__ __forceinline__ void join_leaf_tiles_of_block(const LeafTileInput<Boxes, Leaves>& in,
                                                         const PrecomputedBounds& precomputed,
                                                         SubtreeMemory<rows * warp_size>* memories) {
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    if (precomputed.are_made()) {
      return join_leaf_tile<rows, warps>(in.with(precomputed.made()), memories);
    }
    if (GatheredBoxes<>::takes(in.boxes)) {
      return join_leaf_tile<rows, warps>(in.with(GatheredBoxes<>::of(in.boxes)), memories);
    }
  }
  join_leaf_tile<rows, warps>(in, memories);
}

/// The launch of a kernel that joins the tiles of `n` leaves. It does not overlap the launch before it: the shared
/// memory of that launch would take space from the cache through which this one gathers.
inline LaunchShape leaf_tile_shape(u64 n) {
  return {.blocks = divide_rounding_up(n, u64{LbvhTile::capacity} * LbvhTile::warps),
          .threads = LbvhTile::warps * warp_size};
}

template <u32 rows, u32 warps, u32 blocks, class Boxes, class Leaves>
__global__ void __launch_bounds__(warps* warp_size, blocks)
    leaf_tile_kernel(const LeafTileInput<Boxes, Leaves> in, const PrecomputedBounds precomputed) {
  __shared__ SubtreeMemory<rows * warp_size> memories[warps];
  overlap_launches();
  if (Leaves::are_primitives && blockIdx.x == 0 && threadIdx.x == 0 && in.bvh.counts->leaf_count > 0) {
    store_has_deltas(in.bvh, precomputed.boxes == nullptr ? 0 : *precomputed.far_count);
  }
  join_leaf_tiles_of_block<rows, warps>(in, precomputed, memories);
}

}  // namespace copse::cuda::detail

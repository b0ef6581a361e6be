#pragma once

// Merges the ranges of leaves inside a tile, by one warp, and those inside a block, by all its warps, in passes
// over the splits between ranges. A pass takes each split whose delta is higher than both deltas beside it: the
// ranges on its two sides are the children of the range that splits there. The splits that no pass takes are those
// of ranges that reach beyond the tile or block.

#include "builders/bvh/hploc/cluster_memory.cuh"

namespace copse::cuda::detail {

/// Thirty-two splits of a list, one per lane. A pass never takes the first and the last split of a list, its ends.
struct SplitRow {
  Split before, own, after;
  u32 next;  // lanes whose split this pass takes
  u32 kept;  // the others

  __device__ SplitRow(const Split* splits, u32 count, u32 i) : before{}, own{}, after{} {
    const bool is_inside = i > 0 && i + 1 < count;
    if (i < count) own = splits[i];
    if (is_inside) before = splits[i - 1], after = splits[i + 1];
    const bool is_next = is_inside && own.delta() > before.delta() && own.delta() > after.delta();
    next = __ballot_sync(all_lanes, is_next);
    kept = __ballot_sync(all_lanes, i < count && !is_next);
  }

  __device__ LeafRange range() const { return {before.leaf(), after.leaf() - 1}; }
  __device__ bool is(u32 lanes) const { return (lanes >> lane_id() & 1) != 0; }
  /// Returns the lanes whose split this pass takes and whose range must merge.
  template <class Hierarchy>
  __device__ u32 merging(const Hierarchy& hierarchy) const {
    return __ballot_sync(all_lanes, is(next) && hierarchy.must_merge(range()));
  }
  template <class Memory, class Merge>
  __device__ void merge_at(u32 lane, Memory& memory, const Merge& merge) const {
    memory.merge_children(shuffle_from(range(), lane), shuffle_from(own, lane).leaf(), merge);
  }
};

/// Merges the ranges inside a tile. All lanes of a warp call it. Returns how many of its `count` splits remain, at
/// the front of the list.
///   merge: see ClusterMemory
template <class Memory, class Hierarchy, class Merge>
__device__ u32 merge_tile(Memory& memory, Split* splits, u32 count, const Hierarchy& hierarchy,
                          const Merge& merge) {
  for (;;) {
    u32 kept_count = 0;
    for (u32 begin = 0; begin < count; begin += warp_size) {
      // Splits that remain move down, but never over a split that is still to be read.
      const SplitRow row(splits, count, begin + lane_id());
      __syncwarp();
      if (row.is(row.kept)) splits[kept_count + u32(__popc(row.kept & lower_lanes()))] = row.own;
      kept_count += u32(__popc(row.kept));
      for (u32 rest = row.merging(hierarchy); rest != 0; rest &= rest - 1) {
        row.merge_at(u32(__ffs(int(rest))) - 1, memory, merge);
      }
      __syncwarp();
    }
    if (kept_count == count) return count;
    count = kept_count;
  }
}

/// The splits of a block that no tile has taken. All threads of the block call each function.
template <class Memory>
class BlockSplits {
 public:
  /// Joins the lists of the tiles.
  ///   splits, count: those of the warp's tile, without the last one unless it ends the block
  __device__ BlockSplits(Memory& memory, const Split* splits, u32 count) : memory_(memory) {
    if (lane_id() == 0) memory.split_counts[warp()] = count;
    __syncthreads();
    u32 before = 0;
#pragma unroll
    for (u32 w = 0; w < Memory::warps; ++w) {
      if (w == warp()) before = count_;
      count_ += memory.split_counts[w];
    }
    for (u32 i = lane_id(); i < count; i += warp_size) memory.splits[side_][before + i] = splits[i];
    __syncthreads();
  }

  /// Merges the ranges inside the block. In a pass, the warps take turns.
  ///   merge: see ClusterMemory
  template <class Hierarchy, class Merge>
  __device__ void merge_block(const Hierarchy& hierarchy, const Merge& merge) {
    for (;;) {
      u32 kept_count = 0, merge_count = 0;
      for (u32 begin = 0; begin < count_; begin += warp_size) {
        const SplitRow row(memory_.splits[side_], count_, begin + lane_id());
        if (warp() == 0 && row.is(row.kept)) {
          memory_.splits[side_ ^ 1][kept_count + u32(__popc(row.kept & lower_lanes()))] = row.own;
        }
        kept_count += u32(__popc(row.kept));
        for (u32 rest = row.merging(hierarchy); rest != 0; rest &= rest - 1) {
          if (merge_count++ % Memory::warps == warp()) row.merge_at(u32(__ffs(int(rest))) - 1, memory_, merge);
        }
      }
      if (kept_count == count_) return;
      __syncthreads();
      side_ ^= 1;
      count_ = kept_count;
    }
  }

  /// The ranges that remain.
  __device__ u32 range_count() const {
    return count_ - 1;
  }
  __device__ LeafRange range(u32 i) const {
    return {split(i).leaf(), split(i + 1).leaf() - 1};
  }
  __device__ u32 delta_left(u32 i) const {
    return split(i).delta();
  }
  __device__ u32 delta_right(u32 i) const {
    return split(i + 1).delta();
  }

 private:
  __device__ static u32 warp() {
    return threadIdx.x / warp_size;
  }
  __device__ const Split& split(u32 i) const {
    return memory_.splits[side_][i];
  }

  Memory& memory_;
  u32 count_ = 0;
  u32 side_ = 1;  // the list in use; the lists of the tiles are in the other one
};

}  // namespace copse::cuda::detail

#pragma once

// Splits a list that is sorted along one axis by the subtrees of a deeper level. It is stable, so the points of
// each subtree are sorted again.
//
// The axes of levels alternate, and a level needs only the list along its own axis. Once this list is split by the
// subtrees of the level, the root of each subtree is the middle of its part. The list was last split three levels
// above. So one pass per level, over one list and into up to eight parts per subtree, finds all roots:
//
//   level       0  1  2  3  4  5  6 ..
//   list along  x  y  z  x  y  z  x ..
//
// Where the parts begin follows from the shape of the tree. So a block needs to know only how many points of each
// part are in the blocks before it, by look-back (Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA 2016).
//
// Wald, "GPU-friendly, Parallel, and (Almost-)In-Place Construction of Left-Balanced k-d Trees", arXiv 2211.00120,
// 2022, sorts all points again for each level. Three sorts and one split per level find the same tree.

#include "builders/points/kd_tree/kd_lists.cuh"
#include "primitives/core/atomic.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda::detail {

struct KdTile {
  static constexpr u32 threads = 512;
  static constexpr u32 warps = threads / warp_size;
  static constexpr u32 rows = 8;
  static constexpr u32 capacity = threads * rows;
  static constexpr u32 max_levels = 3;
  static constexpr u32 parts = 1 << max_levels;
  static_assert(parts <= warps, "a warp per part looks back");
};

/// Where a list is, and by which level it is split.
struct KdList {
  u32 axis;
  u32 level = 0;
  const KdItem* items = nullptr;  // null: FirstKdItems
};

/// One pass. It stores items and finds the roots of the new level. If `x_ranks` is not null, it only stores ranks
/// along x.
struct KdSplit {
  KdList list;
  u32 to_level;
  u32 tiles_per_subtree;
  KdRanks ranks;
  KdArrays tree;
  u32* pivots;  // [node]: rank of its point along its axis
  KdItem* out;
  u32* x_ranks;
  u64* words;   // [tile][part], zero before
  u32* ticket;  // zero before
};

// A look-back word: bit 63 is set if it counts the points of a part in this tile and all before it, bit 62 if it
// counts those in this tile alone.
inline constexpr u64 kd_is_prefix = u64{1} << 63, kd_is_count = u64{1} << 62;

struct KdSplitShared {
  u32 tile;
  u32 pivots[KdTile::parts - 1];  // as a heap: rank along the axis of its level
  u16 counts[KdTile::warps][KdTile::parts];
  u32 starts[KdTile::parts + 1];  // of the parts in the tile
  u32 offsets[KdTile::parts];     // place in the output minus place in the tile
  KdItem items[KdTile::capacity];
  u8 parts[KdTile::capacity];
};

/// Returns how many points of a part the `before` tiles in front of this one have. They are those of the same subtree,
/// and the first of them has a prefix. All lanes of a warp call it, and read 32 tiles at once.
__device__ inline u32 look_back_part(const u64* words, u32 tile, u32 before, u32 part) {
  for (u32 sum = 0, passed = 0;;) {
    const u32 distance = passed + lane_id() + 1;
    const u64 word =
        distance <= before ? load_relaxed(words + u64{tile - distance} * KdTile::parts + part) : kd_is_prefix;
    const u32 prefixes = __ballot_sync(all_lanes, (word & kd_is_prefix) != 0);
    const u32 missing = __ballot_sync(all_lanes, word == 0);
    const u32 last = prefixes != 0 ? u32(__ffs(int(prefixes))) - 1 : warp_size - 1;
    const u32 needed = all_lanes >> (warp_size - 1 - last);
    if ((missing & needed) != 0) continue;
    sum += warp_add(all_lanes, lane_id() <= last ? u32(word) : 0);
    if (prefixes != 0) return sum;
    passed += warp_size;
  }
}

/// The tile of a block: a part of the list of one subtree.
class KdSplitTile {
 public:
  __device__ KdSplitTile(const KdSplit& split, const KdShape& shape, KdSplitShared& shared)
      : split_(split), shape_(shape), shared_(shared), levels_(split.to_level - split.list.level) {
    subtree_ = shared.tile / split.tiles_per_subtree;
    tile_ = shared.tile % split.tiles_per_subtree;
    const KdRange range = shape.range(split.list.level, subtree_);
    const u32 size = u32(divide_rounding_up(range.count(), split.tiles_per_subtree));
    begin_ = smaller(range.begin + tile_ * size, range.end);
    count_ = smaller(size, range.end - begin_);
  }

  __device__ bool is_empty() const { return count_ == 0; }

  /// Splits the tile. All threads of the block call it.
  __device__ void run() {
    load_pivots();
    KdItem items[KdTile::rows];
    u32 places[KdTile::rows];  // part, and rank among its points in the warp; or the node whose point it is
    rank_items(items, places);
    __syncthreads();
    if (threadIdx.x < KdTile::parts) publish_count(threadIdx.x);
    __syncthreads();
    move_items(items, places);
    if (threadIdx.x / warp_size < KdTile::parts) find_offset(threadIdx.x / warp_size);
    __syncthreads();
    write_items();
    if (split_.x_ranks == nullptr && threadIdx.x < 1u << levels_) store_root(threadIdx.x);
  }

 private:
  static constexpr u32 is_node = 0x80000000u, is_nothing = ~0u, rank_shift = 4;

  /// Loads the pivots: the ranks of the nodes of all levels between. At a level of the list's own axis, this is
  /// the rank in the list itself.
  __device__ void load_pivots() {
    const u32 warp = threadIdx.x / warp_size;
    if (lane_id() < KdTile::parts) shared_.counts[warp][lane_id()] = 0;
    if (threadIdx.x + 1 < 1u << levels_) {
      const u32 depth = kd_level(threadIdx.x), level = split_.list.level + depth;
      const u32 subtree = (subtree_ << depth) + threadIdx.x + 1 - (1u << depth);
      u32 pivot = 0;
      if (shape_.has_node(level, subtree)) {
        pivot = kd_axis(level) == split_.list.axis ? shape_.root_rank(level, subtree)
                                                   : split_.pivots[(1u << level) - 1 + subtree];
      }
      shared_.pivots[threadIdx.x] = pivot;
    }
    __syncthreads();
  }

  __device__ KdItem load(u32 i) const {
    return split_.list.items == nullptr ? FirstKdItems{split_.ranks, split_.list.axis}(i) : split_.list.items[i];
  }

  /// Returns the part of an item, or is_node with the number of the node in the heap of pivots.
  __device__ u32 part_of(const KdItem& item, u32 i) const {
    u32 node = 0;
    u32 axis = kd_axis(split_.list.level);
#pragma unroll
    for (u32 depth = 0; depth < KdTile::max_levels; ++depth) {
      if (depth == levels_) break;
      const u32 to_axis = (axis + 3 - split_.list.axis) % 3;  // from the list's own axis
      const u32 rank = to_axis == 0 ? i : (to_axis == 1 ? item.next : item.next_but_one);
      const u32 pivot = shared_.pivots[node];
      if (rank == pivot) return is_node | node;
      node = 2 * node + (rank > pivot ? 2 : 1);
      axis = axis == 2 ? 0 : axis + 1;
    }
    return node + 1 - (1u << levels_);
  }

  /// Loads the items of the warp in rows, and ranks them among those of the same part.
  __device__ void rank_items(KdItem (&items)[KdTile::rows], u32 (&places)[KdTile::rows]) {
    u16* const counts = shared_.counts[threadIdx.x / warp_size];
#pragma unroll
    for (u32 k = 0; k < KdTile::rows; ++k) {
      const u32 i = first_of_warp() + k * warp_size;
      items[k] = i < count_ ? load(begin_ + i) : KdItem{0, 0};
    }
#pragma unroll
    for (u32 k = 0; k < KdTile::rows; ++k) {
      const u32 i = first_of_warp() + k * warp_size;
      const u32 part = i < count_ ? part_of(items[k], begin_ + i) : is_nothing;
      const bool is_counted = part < is_node;
      u32 lanes = __ballot_sync(all_lanes, is_counted);
#pragma unroll
      for (u32 bit = 0; bit < KdTile::max_levels; ++bit) {
        const u32 set = __ballot_sync(all_lanes, (part >> bit & 1) != 0);
        lanes &= (part >> bit & 1) != 0 ? set : ~set;
      }
      places[k] = part;
      const u32 lower = u32(__popc(lanes & lower_lanes()));
      const u32 before = is_counted ? counts[part] : 0;
      __syncwarp();
      if (is_counted && lower == 0) counts[part] = u16(before + u32(__popc(lanes)));
      __syncwarp();
      if (is_counted) places[k] = part | (before + lower) << rank_shift;
    }
  }

  /// Counts the points of a part, publishes the count for later tiles, and finds where the part begins in the
  /// tile. One lane per part calls it.
  __device__ void publish_count(u32 part) {
    constexpr u32 lanes = (1u << KdTile::parts) - 1;
    u32 count = 0;
#pragma unroll
    for (u32 w = 0; w < KdTile::warps; ++w) {
      const u32 of_warp = shared_.counts[w][part];
      shared_.counts[w][part] = u16(count);
      count += of_warp;
    }
    store_relaxed(word_of(part), (tile_ == 0 ? kd_is_prefix : kd_is_count) | count);
    u32 start = count;
#pragma unroll
    for (u32 distance = 1; distance < KdTile::parts; distance *= 2) {
      const u32 below = __shfl_up_sync(lanes, start, distance);
      if (part >= distance) start += below;
    }
    shared_.starts[part] = start - count;
    if (part == KdTile::parts - 1) shared_.starts[KdTile::parts] = start;
  }

  /// Finds where a part of the tile goes, and publishes the prefix for later tiles. One warp per part calls it.
  __device__ void find_offset(u32 part) {
    const u32 start = shared_.starts[part], count = shared_.starts[part + 1] - start;
    u32 before = 0;
    if (tile_ > 0) before = look_back_part(split_.words, shared_.tile, tile_, part);
    if (lane_id() > 0) return;
    if (tile_ > 0) store_relaxed(word_of(part), kd_is_prefix | (before + count));
    u32 begin = 0;
    if (part < 1u << levels_ && split_.to_level <= shape_.level_count()) {
      begin = shape_.range(split_.to_level, (subtree_ << levels_) + part).begin;
    }
    shared_.offsets[part] = begin + before - start;
  }

  __device__ u64* word_of(u32 part) const {
    return split_.words + u64{shared_.tile} * KdTile::parts + part;
  }

  /// Puts the items of the tile into the order of their parts. The points of nodes go to their places at once.
  __device__ void move_items(const KdItem (&items)[KdTile::rows], const u32 (&places)[KdTile::rows]) {
    const u16* const counts = shared_.counts[threadIdx.x / warp_size];
#pragma unroll
    for (u32 k = 0; k < KdTile::rows; ++k) {
      if (places[k] == is_nothing) continue;
      if (places[k] >= is_node) {
        const u32 node = places[k] & ~is_node, depth = kd_level(node);
        store(shape_.root_rank(split_.list.level + depth, (subtree_ << depth) + node + 1 - (1u << depth)),
              items[k]);
        continue;
      }
      const u32 part = places[k] & ((1u << rank_shift) - 1);
      const u32 at = shared_.starts[part] + counts[part] + (places[k] >> rank_shift);
      shared_.items[at] = items[k];
      shared_.parts[at] = u8(part);
    }
  }

  __device__ void write_items() const {
    const u32 count = shared_.starts[KdTile::parts];
    for (u32 i = threadIdx.x; i < count; i += KdTile::threads) {
      store(shared_.offsets[shared_.parts[i]] + i, shared_.items[i]);
    }
  }

  __device__ void store(u32 at, const KdItem& item) const {
    if (split_.x_ranks != nullptr) {
      split_.x_ranks[at] = kd_x_rank(split_.ranks, split_.list.axis, item);
    } else {
      split_.out[at] = item;
    }
  }

  /// Stores the root of a new subtree, if its point is in this tile.
  __device__ void store_root(u32 part) const {
    const u32 level = split_.to_level, subtree = (subtree_ << levels_) + part;
    if (!shape_.has_node(level, subtree)) return;
    const u32 at = shape_.root_rank(level, subtree) - shared_.offsets[part];
    if (at < shared_.starts[part] || at >= shared_.starts[part + 1]) return;
    const u32 x_rank = kd_x_rank(split_.ranks, split_.list.axis, shared_.items[at]);
    const u32 node = (1u << level) - 1 + subtree;
    split_.pivots[node] = kd_rank_along(split_.ranks, split_.list.axis, x_rank);
    split_.tree.nodes[node] = split_.ranks.points[x_rank];
  }

  __device__ u32 first_of_warp() const {
    return threadIdx.x / warp_size * (warp_size * KdTile::rows) + lane_id();
  }

  const KdSplit& split_;
  const KdShape& shape_;
  KdSplitShared& shared_;
  u32 levels_, subtree_, tile_, begin_, count_;
};

/// Blocks take tiles by tickets, so that a tile waits only for tiles of blocks that have started.
__global__ static void __launch_bounds__(KdTile::threads, 2) kd_split_kernel(const KdSplit split) {
  __shared__ KdSplitShared shared;
  overlap_launches();
  if (threadIdx.x == 0) shared.tile = fetch_add_relaxed(split.ticket, 1u);
  __syncthreads();
  const KdShape shape(split.tree.counts->point_count);
  if (split.list.level >= shape.level_count()) return;
  KdSplitTile tile(split, shape, shared);
  if (!tile.is_empty()) tile.run();
}

/// Returns how many tiles the largest subtree of a level takes in a tree of `n` points.
inline u32 kd_tiles_per_subtree(u64 n, u32 level) {
  return u32(divide_rounding_up(KdShape(n).range(level, 0).count(), KdTile::capacity));
}

/// The words that a split of a list at `level` needs.
inline u64 kd_split_word_count(u64 n, u32 level) {
  return (u64{kd_tiles_per_subtree(n, level)} << level) * KdTile::parts;
}

inline void split_kd_list(const Executor& ex, const char* label, const KdSplit& split) {
  launch(ex, label, kd_split_kernel,
         {.blocks = u64{split.tiles_per_subtree} << split.list.level,
          .threads = KdTile::threads,
          .overlaps_earlier_launch = true},
         split);
}

}  // namespace copse::cuda::detail

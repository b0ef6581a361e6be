#pragma once

// The tasks of a build on CUDA, and the memory by which blocks find each other.
//
//   more than 1024 items   large: chunks of the node are binned by blocks, the last to end chooses the split; the
//                          chunks are moved to their sides, the last to end hands the sides on
//   129 to 1024            a block's task: it splits the node, hands the smaller side on and goes on with the
//   larger 1 to 128               a warp's, later

#include "builders/bvh/sah/sah_team.cuh"
#include "primitives/enqueue.h"
#include "primitives/task_queue.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 sah_block_warps = 8;
using SahBlock = SahTeam<sah_block_warps>;
using SahWarp = SahTeam<1>;

struct SahTask {
  enum Kind : u32 { root, split, bin, move };

  u32 first;
  u32 count;
  u32 chunk;
  u32 tag;  // the kind, above it whether the node is a right child, above it the depth

  __device__ static SahTask of(const SahRange& range, Kind kind, u32 chunk = 0) {
    return {range.first, range.count, chunk, kind | range.is_right << 2 | range.depth << 3};
  }
  __device__ Kind kind() const { return Kind(tag & 3); }
  __device__ SahRange range() const { return {first, count, tag >> 2 & 1, tag >> 3}; }
};

/// A large node while it is split. Nodes of a moment are apart and have more than max_items items each, so that
/// first / max_items is the place of no two.
struct SahLargeNode {
  SahBinTable bins;
  SahBounds centres;          // of its items
  SahBounds side_centres[2];  // of what was moved left, and right
  SahSplit split;
  u32 binned;  // chunks that are
  u32 moved;
};

/// The chunks of a large node, all but the last one of equal size.
struct SahChunks {
  static constexpr u32 most = 2048;

  u32 items_each;
  u32 count;

  __device__ static SahChunks of(u32 item_count) {
    const u32 tile_count = u32(divide_rounding_up(item_count, SahBlock::max_items));
    const u32 tiles_each = u32(divide_rounding_up(tile_count, most));
    return {tiles_each * SahBlock::max_items, u32(divide_rounding_up(tile_count, tiles_each))};
  }
};

/// Where a build stands.
struct SahProgress {
  TaskQueueView<SahTask> blocks;  // tasks of blocks
  QueueView<SahTask> warps;       // of warps
  SahLargeNode* large_nodes;
  u32 (*bin_counts)[3][max_sah_bins];  // [chunk place]: the items in the bins up to each
  u32* left_counts;                    // [chunk place]: the items left of the split in the chunks before

  __device__ SahLargeNode& large_node(const SahRange& range) const {
    return large_nodes[range.first / SahBlock::max_items];
  }
  /// The place of a large node's first chunk, twice as far as its items', for those that are cut across.
  __device__ u32 chunk_place(const SahRange& range) const { return 2 * (range.first / SahBlock::max_items); }

  static u64 large_node_count(u64 n) { return divide_rounding_up(n, SahBlock::max_items) + 1; }
  static u64 chunk_place_count(u64 n) { return 2 * large_node_count(n); }

  /// Tasks of blocks in a build, at most. At every depth, large nodes have less than two chunks for each
  /// max_items of their items, and two tasks a chunk; there are large nodes as deep as sah_depth_limit and then
  /// for as many levels as halving takes. Of the others, of more than SahWarp::max_items, a block hands on those
  /// that no large node is the parent of only where they are the smaller side, so an item is in at most three: of
  /// 1024, 512 and 256.
  static u64 max_block_tasks(u64 n) {
    constexpr u64 max_depth = copse::detail::sah_depth_limit + 22;
    return 1 + 4 * max_depth * divide_rounding_up(n, SahBlock::max_items) +
           3 * divide_rounding_up(n, SahWarp::max_items);
  }
  /// Of warps: two items or more each, but the root.
  static u64 max_warp_tasks(u64 n) { return n / 2 + 1; }
};

}  // namespace detail

}  // namespace copse::cuda

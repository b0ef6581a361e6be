#pragma once

// The tasks of a build on CUDA, and the memory that blocks share.
//
//   more than 1024 items   a large node: blocks bin its chunks, and the last block chooses the split; then blocks move
//                          the chunks to their sides, and the last block hands the sides on
//   129 to 1024            a task of a block: it splits the node, hands the smaller side on and continues with the
//                          larger one
//   1 to 128               a task of a warp, later

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

/// A large node during its split. Large nodes that exist at the same time share no items and have more than
/// max_items items each. So first / max_items is a different place for each.
struct SahLargeNode {
  SahBinTable bins;
  SahBounds centres;          // of its items
  SahBounds side_centres[2];  // of the items that were moved left, and right
  SahSplit split;
  u32 binned;  // chunks so far
  u32 moved;
};

/// The chunks of a large node. All but the last are equally large.
struct SahChunks {
  static constexpr u32 max_count = 2048;

  u32 items_each;
  u32 count;

  __device__ static SahChunks of(u32 item_count) {
    const u32 tile_count = u32(divide_rounding_up(item_count, SahBlock::max_items));
    const u32 tiles_each = u32(divide_rounding_up(tile_count, max_count));
    return {tiles_each * SahBlock::max_items, u32(divide_rounding_up(tile_count, tiles_each))};
  }
};

/// The state of a build.
struct SahProgress {
  TaskQueueView<SahTask> blocks;  // tasks of blocks
  QueueView<SahTask> warps;       // of warps
  SahLargeNode* large_nodes;
  u32 (*bin_counts)[3][max_sah_bins];  // [chunk place]: the items in the bins up to each
  u32* left_counts;                    // [chunk place]: the items left of the split, in earlier chunks

  __device__ SahLargeNode& large_node(const SahRange& range) const {
    return large_nodes[range.first / SahBlock::max_items];
  }
  /// Returns the place of a large node's first chunk. There are twice as many places as tiles of items, since
  /// nodes may cut across tiles.
  __device__ u32 chunk_place(const SahRange& range) const { return 2 * (range.first / SahBlock::max_items); }

  static u64 large_node_count(u64 n) { return divide_rounding_up(n, SahBlock::max_items) + 1; }
  static u64 chunk_place_count(u64 n) { return 2 * large_node_count(n); }

  /// Returns the maximum number of tasks of blocks in a build. At every depth, large nodes have less than two
  /// chunks for each max_items of their items, and two tasks per chunk. Large nodes reach down to sah_depth_limit,
  /// and then as many levels as halving takes. The other tasks are nodes of more than SahWarp::max_items. If the
  /// parent of such a node is not large, a block hands the node on only as the smaller side. So an item is in at
  /// most three of them: of 1024, 512 and 256.
  static u64 max_block_tasks(u64 n) {
    constexpr u64 max_depth = copse::detail::sah_depth_limit + 22;
    return 1 + 4 * max_depth * divide_rounding_up(n, SahBlock::max_items) +
           3 * divide_rounding_up(n, SahWarp::max_items);
  }
  /// Returns the maximum number of tasks of warps. Each has two items or more, except the root.
  static u64 max_warp_tasks(u64 n) { return n / 2 + 1; }
};

}  // namespace detail

}  // namespace copse::cuda

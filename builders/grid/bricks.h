#pragma once

#include <functional>

#include "builders/geometry/primitive_set.h"
#include "builders/grid/layout.h"
#include "primitives/core/buffer.h"
#include "primitives/hash_table.h"

namespace copse {

/// The largest number of voxels along an axis of sparse bricks.
inline constexpr u32 max_brick_voxels = 65536;

/// Counts of the last build. They live on the device.
struct BrickCounts {
  u64 brick_count;   // bricks that are needed
  u64 stored_count;  // bricks that are stored: all that are needed, or as many as there is room for
  u64 left_out;      // triangles that reach beyond the grid
};

/// Owns the table that finds the brick of a place. It takes all keys of a grid.
class COPSE_API BrickTable {
 public:
  BrickTable() = default;

  /// Makes an empty table for so many bricks.
  ///   places: Bricks::brick_shape()
  /// Throws: Error out_of_memory.
  BrickTable(Context& context, const GridShape& places, u64 brick_capacity);

  BrickTableView view() const;
  void clear();
  u64 memory_bytes() const { return narrow_.memory_bytes() + wide_.memory_bytes(); }

 private:
  bool is_wide_ = false;
  HashMap<u32, u32> narrow_;  // one of both is empty
  HashMap<u64, u32> wide_;
};

/// Sparse bits of voxels, in bricks of 8 x 8 x 8. Only bricks with a set voxel are stored, and a hash of their
/// place finds them. Owns its memory.
///
/// Brick b is at the place that has the key keys[b], which is brick_shape().key_of(place); keys ascend. Voxel
/// (x, y, z) of the brick, each below 8, has bit (x + 8 y) % 32 of word 16 b + 2 z + y / 4.
struct COPSE_API Bricks {
  GridShape shape{dvec3(0), dvec3(1), uvec3(1)};  // of the voxels
  Buffer<u64> keys;
  Buffer<u32> words;
  BrickTable table;  // from keys to their bricks
  Buffer<BrickCounts> counts;
  u32 layers_at_once = 0;  // BrickOptions::layers_at_once

  BrickView view() const { return {shape, brick_shape(), table.view(), words.span()}; }

  u64 brick_capacity() const { return keys.size(); }
  u64 size_bytes() const {
    return keys.size_bytes() + words.size_bytes() + table.memory_bytes() + counts.size_bytes();
  }
  /// Returns the grid of the places of bricks: its cells have 8 voxels along each edge.
  GridShape brick_shape() const;
};

struct BrickOptions {
  /// Voxels along the longest edge of the box: 1 to 65,536, default 1024. Twice as many mean about four
  /// times the bricks.
  u32 resolution = 1024;

  /// Room for this many bricks: up to 2^32 - 1. The default 0 means as many as this build needs; they are counted
  /// first, which takes another pass over the triangles and a wait.
  u64 brick_capacity = 0;

  /// Layers of bricks across z that are built at a time. The default 0 means as many as have 2^31 places together:
  /// all up to a resolution of 8192, 32 of 8192 layers at 65,536. The bricks are the same with any number. Fewer
  /// layers take less scratch, but each pass reads all triangles.
  u32 layers_at_once = 0;
};

/// Returns the voxels that triangles touch, faces, edges and corners included (VoxelRule::touched), over the box
/// of the triangles. Vertices are rounded to 1/128 of a voxel; all that follows is exact. Keys and words are equal
/// on all backends. Triangles with a coordinate that is infinite or NaN are left out.
///
///   triangles: their indices must be below the number of positions; this is not checked
/// Throws: Error invalid_argument for options out of range, Error capacity past 2^31 triangles or 2^32 - 1 bricks,
/// Error out_of_memory, Error cancelled.
/// Waits: for the box, and for the number of bricks if options.brick_capacity is 0.
/// Memory: scratch of about 12 bytes per triangle, and of 8 bytes per 32 places of bricks that are built at a time:
/// 32 MiB at 4096, 256 MiB at 8192 along all three axes, at most 512 MiB.
COPSE_API Bricks build_bricks(Context& context, const TriangleViews& triangles, const BrickOptions& options = {});

/// Returns room for bricks over a box, none of them stored yet. options.brick_capacity must be given.
/// Throws: as build_bricks; Error invalid_argument for a box with infinities.
COPSE_API Bricks make_bricks(Context& context, const Aabb& box, const BrickOptions& options);

/// Builds fresh bricks in the memory of `bricks`, over its grid. Triangles that reach beyond the grid are left out
/// and counted. If there is too little room, the first bricks are stored, each of them whole, and check_complete
/// throws.
/// Throws: as build_bricks; Error invalid_argument for bricks that were never made.
/// Waits: for nothing.
/// Memory: scratch as build_bricks; once warm, nothing is allocated.
COPSE_API void rebuild_bricks(Context& context, Bricks& bricks, const TriangleViews& triangles);

/// Bricks of a few layers, in the memory of the context.
struct BrickBlock {
  GridShape shape;              // of the voxels of all blocks
  u64 first_brick;              // how many bricks the blocks before have
  BufferSpan<const u64> keys;   // as Bricks::keys
  BufferSpan<const u32> words;  // as Bricks::words
};

struct BrickBlockOptions {
  /// Voxels along the longest edge of the box: 1 to 65,536, default 1024.
  u32 resolution = 1024;

  /// Layers of bricks across z in a block: 1 to 8192, default 32. A block of one layer has at most 2^26 bricks,
  /// which take 4.5 GiB.
  u32 block_layers = 32;
};

/// Builds the bricks of build_bricks block by block, for results that are larger than the memory. Calls take(block)
/// for each block that has bricks, in ascending order of keys. All blocks together have the keys and words of
/// build_bricks, with any number of layers. The memory of a block is valid until the call returns. Returns the
/// counts of all blocks.
/// Throws: as build_bricks, and what `take` throws.
/// Waits: for the box, and for each block.
/// Memory: scratch as build_bricks, and the bricks of the largest block.
COPSE_API BrickCounts build_brick_blocks(Context& context, const TriangleViews& triangles,
                                         const BrickBlockOptions& options,
                                         const std::function<void(const BrickBlock&)>& take);

/// Rebuilds the table of bricks from keys that the caller has stored. bricks.shape, keys, words and counts must be
/// set.
/// Throws: Error out_of_memory.
/// Waits: for nothing.
COPSE_API void make_brick_table(Context& context, Bricks& bricks);

/// Stores the number of the brick at each key, or invalid_id where there is no brick.
///
///   keys:  any size, may be empty
///   found: one element per key; must not overlap `keys`
/// Throws: Error invalid_argument if `found` has fewer elements than `keys`.
/// Waits: for nothing.
COPSE_API void find_bricks(Context& context, const Bricks& bricks, BufferSpan<const u64> keys,
                           BufferSpan<u32> found);

/// Throws if the last build had too little room.
/// Throws: Error capacity, with the number of bricks that are needed.
/// Waits: for the counts.
COPSE_API void check_complete(const Bricks& bricks);

/// Returns how many voxels are set.
/// Throws: Error out_of_memory.
/// Waits: for the count.
COPSE_API u64 count_voxels(Context& context, const Bricks& bricks);

}  // namespace copse

#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/layout.h"
#include "primitives/core/buffer.h"
#include "primitives/hash_table.h"

namespace copse {

/// Most voxels along an axis of sparse bricks.
inline constexpr u32 max_brick_voxels = 8192;

/// What a build found out; it lives on the device.
struct BrickCounts {
  u64 brick_count;   // the bricks that are needed
  u64 stored_count;  // those that stand there: as many, or what there is room for
  u64 left_out;      // triangles that reach beyond the grid
};

/// Bits of voxels, kept only where there are any: bricks of 8 x 8 x 8, found by the hash of their place. Owns its
/// memory.
///
/// Brick b stands at place keys[b], counted as the cells of brick_shape(), ascending. Voxel (x, y, z) of it, each
/// below 8, has bit (x + 8 y) % 32 of word 16 b + 2 z + y / 4.
struct Bricks {
  GridShape shape{dvec3(0), dvec3(1), uvec3(1)};  // of the voxels
  Buffer<u32> keys;
  Buffer<u32> words;
  HashMap<u32, u32> table;  // from keys to their bricks
  Buffer<BrickCounts> counts;

  BrickView view() const { return {shape, brick_shape(), table.view(), words.span()}; }

  u64 brick_capacity() const { return keys.size(); }
  u64 size_bytes() const {
    return keys.size_bytes() + words.size_bytes() + table.memory_bytes() + counts.size_bytes();
  }
  /// The cells that bricks are numbered by: 8 voxels along each edge.
  GridShape brick_shape() const;
};

struct BrickOptions {
  /// Voxels along the longest edge of the box, 1 to 8192.
  u32 resolution = 1024;

  /// Bricks that there is room for; 0: as many as this build needs, which are counted first.
  u64 brick_capacity = 0;
};

/// The voxels that triangles touch, faces, edges and corners included (VoxelRule::touched), over the box of the
/// triangles. Vertices are rounded to 1/128 of a voxel, what follows is exact. Keys and words are equal on all
/// backends. Triangles with a coordinate that is infinite or NaN are left out.
///
/// Triangle indices must be below the number of positions; they are not checked.
/// Throws: Error invalid_argument for options out of range, Error capacity past 2^31 triangles or 2^32 - 1 bricks,
/// Error out_of_memory, Error cancelled.
/// Memory: scratch of about 12 bytes a triangle, and of 8 bytes for 32 places of bricks: 32 MiB at 4096, 256 MiB
/// at 8192 along all three axes. Waits, for the box and for what is counted first.
Bricks build_bricks(Context& context, const TriangleViews& triangles, const BrickOptions& options = {});

/// Room for bricks over a box, none of them there yet. The capacity must be given.
/// Throws: as build_bricks; Error invalid_argument for a box with infinities.
Bricks make_bricks(Context& context, const Aabb& box, const BrickOptions& options);

/// Builds fresh bricks in the memory of `bricks`, over its grid. Waits for nothing and, once warm, allocates
/// nothing. Triangles that reach beyond the grid are left out and counted. Where there is too little room, the
/// first bricks stand there, whole, and check_complete throws. Throws: as build_bricks; Error invalid_argument for
/// bricks that were not made.
void rebuild_bricks(Context& context, Bricks& bricks, const TriangleViews& triangles);

/// Throws where the last build had too little room.
/// Throws: Error capacity, with the number that was needed. Waits.
void check_complete(const Bricks& bricks);

/// The voxels that are set.
/// Throws: Error out_of_memory. Waits.
u64 count_voxels(Context& context, const Bricks& bricks);

}  // namespace copse

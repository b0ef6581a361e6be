#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/layout.h"
#include "primitives/core/buffer.h"

namespace copse {

/// The largest number of voxels along an axis of a dense grid of bits; with 2048 on all three it takes 1 GiB.
inline constexpr u32 max_voxel_resolution = 2048;

/// The rule that decides which voxels belong to a mesh. Vertices are rounded to 1/256 of a voxel; all that follows
/// is exact.
enum class VoxelRule : u32 {
  /// Voxels that a triangle touches, faces, edges and corners included. No path from voxel to voxel over faces,
  /// edges or corners leads through the surface (26-separating).
  touched,
  /// Voxels in which a triangle meets one of the three lines that join the centres of opposite faces. This is the
  /// thinnest surface through which no path over faces leads (6-separating). It has fewer than half of the voxels
  /// that `touched` has.
  crossed,
  /// Voxels whose centre is inside a closed surface, by the parity of the triangles below it. If the surface is
  /// not closed, columns of voxels run on to the top of the grid.
  inside,
};

/// A dense grid of bits, one per voxel, that owns its memory. Voxels are cubes.
///
/// Voxel (x, y, z) has bit x % 32, counted from the lowest, of word (z * resolution.y + y) * row_words() + x / 32.
/// The bits of a row's last word past resolution.x are 0.
struct Voxels {
  GridShape shape{dvec3(0), dvec3(1), uvec3(1)};
  Buffer<u32> words;
  Buffer<u64> counts;  // one element: triangles that were left out since they reach beyond the grid

  VoxelView view() const { return {shape, words.span()}; }

  u64 row_words() const { return divide_rounding_up(u64{shape.resolution.x}, 32); }
  u64 word_count() const { return row_words() * shape.resolution.y * shape.resolution.z; }
};

/// Returns voxels over a box, `resolution` of them along its longest edge and none of them set yet. An empty box
/// and a point have one voxel.
/// Throws: Error invalid_argument for a resolution that is not 1 to 2048, or a box with infinities; Error
/// out_of_memory.
COPSE_API Voxels make_voxels(Context& context, const Aabb& box, u32 resolution);

/// Sets the voxels that belong to the triangles and clears all others. The bits are equal on all backends.
/// Triangles with a coordinate that is infinite or NaN are left out. Triangles that reach beyond the grid are left
/// out and counted.
///
///   triangles: their indices must be below the number of positions; this is not checked
///
/// Source: Schwarz, Seidel, "Fast Parallel Surface and Solid Voxelization on GPUs", TOG 2010; Laine, "A
/// Topological Approach to Voxelization", EGSR 2013, for the rule `crossed`.
/// Throws: Error capacity past 2^31 triangles, Error invalid_argument for voxels that were never made, Error
/// out_of_memory, Error cancelled.
/// Waits: for nothing.
/// Memory: scratch of 8 bytes per triangle and a little more; once warm, nothing is allocated.
COPSE_API void voxelize(Context& context, Voxels& voxels, const TriangleViews& triangles,
                        VoxelRule rule = VoxelRule::touched);

/// Returns the voxels of triangles over their box: make_voxels, then voxelize.
/// Throws: as both.
/// Waits: for the box.
COPSE_API Voxels build_voxels(Context& context, const TriangleViews& triangles, u32 resolution,
                              VoxelRule rule = VoxelRule::touched);

/// Returns how many voxels are set.
/// Throws: Error out_of_memory.
/// Waits: for the count.
COPSE_API u64 count_voxels(Context& context, const Voxels& voxels);

}  // namespace copse

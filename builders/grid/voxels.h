#pragma once

#include "builders/geometry/primitive_set.h"
#include "builders/grid/layout.h"
#include "primitives/core/buffer.h"

namespace copse {

/// Most voxels along an axis of a dense grid of bits: at 2048 on all three it takes 1 GiB.
inline constexpr u32 max_voxel_resolution = 2048;

/// Which voxels belong to a mesh. Vertices are rounded to 1/256 of a voxel; what follows is exact.
enum class VoxelRule : u32 {
  /// Those that a triangle touches, faces, edges and corners included: no path from voxel to voxel over their
  /// faces,
  /// edges or corners leads through the surface (26-separating).
  touched,
  /// Those of which a line from the middle of a face to that of the opposite one meets a triangle: the thinnest
  /// surface through which no path over faces leads (6-separating). Fewer than half of those that are touched.
  crossed,
  /// Those whose centre is inside a closed surface, by the parity of the triangles below it. Of a surface that is
  /// not closed, columns of voxels run on to the top of the grid.
  inside,
};

/// A dense grid of bits, one a voxel, that owns its memory. Voxels are cubes.
///
/// Voxel (x, y, z) has bit x % 32, counted from the lowest, of word (z * resolution.y + y) * row_words() + x / 32.
/// The bits of a row's last word past resolution.x are 0.
struct Voxels {
  GridShape shape{dvec3(0), dvec3(1), uvec3(1)};
  Buffer<u32> words;
  Buffer<u64> counts;  // one element: triangles that reach beyond the grid, which are left out

  VoxelView view() const { return {shape, words.span()}; }

  u64 row_words() const { return divide_rounding_up(u64{shape.resolution.x}, 32); }
  u64 word_count() const { return row_words() * shape.resolution.y * shape.resolution.z; }
};

/// Voxels over a box, none of them set yet: `resolution` of them along its longest edge. An empty box and a point
/// have one.
/// Throws: Error invalid_argument for a resolution that is not 1 to 2048, or a box with infinities; Error
/// out_of_memory.
Voxels make_voxels(Context& context, const Aabb& box, u32 resolution);

/// Sets the voxels that belong to the triangles and clears all others. Equal on all backends. Waits for nothing
/// and, once warm, allocates nothing. Triangles with a coordinate that is infinite or NaN are left out, and so are
/// those that reach beyond the grid, which are counted.
///
/// Triangle indices must be below the number of positions; they are not checked.
///
/// Source: Schwarz, Seidel, "Fast Parallel Surface and Solid Voxelization on GPUs", TOG 2010; Laine, "A
/// Topological Approach to Voxelization", EGSR 2013, for the rule `crossed`. Throws: Error capacity past 2^31
/// triangles, Error invalid_argument for voxels that were not made, Error out_of_memory, Error cancelled. Memory:
/// scratch of 8 bytes a triangle and a little more.
void voxelize(Context& context, Voxels& voxels, const TriangleViews& triangles,
              VoxelRule rule = VoxelRule::touched);

/// Both, over the box of the triangles.
/// Throws: as both. Waits for the box.
Voxels build_voxels(Context& context, const TriangleViews& triangles, u32 resolution,
                    VoxelRule rule = VoxelRule::touched);

/// The voxels that are set.
/// Throws: Error out_of_memory. Waits.
u64 count_voxels(Context& context, const Voxels& voxels);

}  // namespace copse

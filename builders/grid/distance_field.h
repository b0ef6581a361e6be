#pragma once

#include "builders/grid/bricks.h"
#include "builders/grid/distance_layout.h"

namespace copse {

/// The largest number of voxels of a distance field along the longest edge of the box of its mesh.
inline constexpr u32 max_field_resolution = 4096;

struct DistanceFieldOptions {
  /// Voxels along the longest edge of the box of the triangles: 1 to 4096, default 256. Twice as many mean about
  /// four times the bricks.
  u32 resolution = 256;

  /// How far from the surface voxels have distances, in voxels: 2 to 16, default 3, as level sets of OpenVDB have.
  /// A wider band has more bricks, and each triangle is in more of them.
  float band = 3;
};

/// The distances of voxels near a surface, negative inside, in sparse bricks. Owns its memory.
///
/// A voxel is set in `bricks` if its centre is nearer to the surface than `band`. Voxel (x, y, z) of brick b has
/// value 512 b + 64 z + 8 y + x. Voxels of a brick that are not set have `band`, or -`band` inside. The grid
/// reaches beyond the box of the triangles by the band and a voxel.
struct DistanceField {
  Bricks bricks;
  Buffer<float> values;
  float band = 0;  // in units of the space

  DistanceFieldView view() const { return {bricks.view(), values.span(), band}; }
  u64 brick_count() const { return bricks.brick_capacity(); }
  u64 size_bytes() const { return bricks.size_bytes() + values.size_bytes(); }
};

/// Returns the distances from a closed surface. The magnitude is the one that `nearest_points` gives for the
/// centre of the voxel, bit for bit. The sign is negative if an odd number of triangles lies below the centre, for
/// vertices that are rounded to 1/128 of a voxel. So triangles may have any orientation. If the surface is not
/// closed, columns of voxels above a hole have the wrong sign. Bricks and values are equal on all backends.
/// Triangles with a coordinate that is infinite or NaN are left out.
///
///   triangles: their indices must be below the number of positions; this is not checked
/// Throws: Error invalid_argument for options out of range, voxels with an edge below 1e-15 or above 1e15, or a
/// mesh so far from the origin that floats do not resolve its voxels; Error capacity past 2^31 triangles, or past
/// 2^32 pairs of a triangle and a brick near it; Error out_of_memory, Error cancelled.
/// Waits: for the box, and for the numbers of bricks.
/// Memory: 2120 bytes and 12 bytes of a table per brick. While it builds, it takes up to twice as much, and 16
/// bytes per pair of a triangle and a brick near it.
COPSE_API DistanceField build_distance_field(Context& context, const TriangleViews& triangles,
                                             const DistanceFieldOptions& options = {});

}  // namespace copse

#pragma once

// Structs that distance_field.cpp and its body distance_field.inl share.

#include "builders/grid/distance_layout.h"
#include "builders/grid/voxels/brick_places.h"

namespace copse::detail {

/// The grids of a field, and the distance within which its bricks collect triangles.
struct FieldShape {
  GridShape voxels, bricks;
  double edge;  // of a voxel
  float band;   // in units of the space
  float reach;  // the band, and more than the rounding of floats can add
};

/// The results of the search for bricks near triangles.
struct FieldSearch {
  BrickPlaces places;
  u32* brick_counts;  // for each triangle: how many bricks are near it
  u64* pairs_before;  // for each triangle: how many pairs the triangles before it have
  u64* pair_count;    // in all
};

/// Pairs of a brick and a triangle near it.
struct FieldPairs {
  u32 *bricks, *triangles;                // in any order
  u32 *sorted_bricks, *sorted_triangles;  // by brick
  u32* begins;                            // for each brick, and one more
  u64 count;
};

/// The bricks of a field in the order of their places. Some may have no voxel within the band yet.
struct FieldBricks {
  u64* keys;
  u32* words;     // voxels inside; at last, voxels within the band
  float* values;  // 512 for each
  u32 *column_keys, *column_order;
  u32* kept_before;  // how many of the bricks before have a voxel within the band
  u32* kept_count;
  u64 count;
};

/// The bricks that stay.
struct KeptBricks {
  u64* keys;
  u32* words;
  float* values;
};

}  // namespace copse::detail

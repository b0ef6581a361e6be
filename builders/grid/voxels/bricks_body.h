#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "builders/grid/bricks.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// Bricks are numbered and voxels found on one lattice of so many units a voxel, a brick being 8 times as long.
inline constexpr u32 units_per_voxel_bits = 7;
inline constexpr u32 units_per_brick_bits = units_per_voxel_bits + 3;

struct BrickShapes {
  GridShape voxels, bricks;
};

struct BrickArrays {
  BrickShapes shapes;
  u32* keys;
  u32* words;
  u64 brick_capacity;
  HashMap<u32, u32>::View table;
  BrickCounts* counts;
};

template <class Executor>
void fill_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BrickArrays& bricks);

/// Stores how many bricks there are.
template <class Executor>
void count_bricks(const Executor& ex, std::span<const TriangleView> views, u64 n, const BrickShapes& shapes,
                  u64* brick_count);

template <class Executor>
void count_brick_voxels(const Executor& ex, const BrickCounts* counts, const u32* words, u64 capacity, u64* out);

/// `bricks`: their places.
template <class Executor>
u64 brick_scratch_bytes(const Executor& ex, const GridShape& bricks, u64 n, u64 view_count);

}  // namespace copse::detail

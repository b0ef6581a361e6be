#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "builders/grid/voxels.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// The bits of a dense grid, as the builder writes them.
struct VoxelBits {
  GridShape shape;
  u32* words;
  u64 row_words, word_count;

  COPSE_HD u32* row(i32 y, i32 z) const { return words + (u64(z) * shape.resolution.y + u64(y)) * row_words; }
};

inline VoxelBits bits_of(Voxels& voxels) {
  return {voxels.shape, voxels.words.data(), voxels.row_words(), voxels.word_count()};
}

template <class Executor>
void set_voxels(const Executor& ex, std::span<const TriangleView> views, u64 n, VoxelRule rule,
                const VoxelBits& voxels, u64* left_out_count);

template <class Executor>
void clear_voxels(const Executor& ex, const VoxelBits& voxels);

template <class Executor>
void count_bits(const Executor& ex, const u32* words, u64 word_count, u64* out);

template <class Executor>
u64 voxel_scratch_bytes(const Executor& ex, u64 n, u64 view_count);

}  // namespace copse::detail

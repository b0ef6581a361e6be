// Voxelisation to dense bits: triangles are cut into parts of about equal work, and each part sets its bits in
// place.
//
// Sources: Schwarz, Seidel, "Fast Parallel Surface and Solid Voxelization on GPUs", TOG 2010: overlap tests per
// triangle, bits set by atomics, solids by flipping all voxels above each triangle. Where we differ: rows of
// voxels are bounded instead of tested one by one; and a triangle flips one voxel per column, then one pass over
// the words carries the parity upwards, where they flip whole columns. Laine, "A Topological Approach to
// Voxelization", EGSR 2013: voxels by the three lines through their centres.

#include "builders/geometry/make_triangle_table.h"
#include "builders/grid/voxels.h"
#include "builders/grid/voxels/voxel_triangles.h"
#include "primitives/count.h"
#include "primitives/expand.h"
#include "primitives/reduce.h"

namespace copse::detail {

template <class Set>
struct CountVoxelParts {
  Set set;
  COPSE_HD u32 operator()(u64 i) const { return set.part_count(u32(i)); }
};

template <class Set>
struct SetVoxelPart {
  Set set;
  COPSE_HD void operator()(u64 i, u64 part, u64) const { set.set_part(u32(i), u32(part)); }
};

struct ReachesOut {
  VoxelTriangles triangles;
  COPSE_HD bool operator()(u64 i) const { return triangles.reaches_out(u32(i)); }
};

/// Replaces each word by the parity of itself and all words below it. Several words are loaded at once, since
/// loads one after the other would each wait for memory.
struct CarryParityUpwards {
  static constexpr u32 at_once = 8;
  VoxelBits voxels;

  COPSE_HD void operator()(u64 i) const {
    const u64 layer = voxels.row_words * voxels.shape.resolution.y;
    u32* const column = voxels.words + i;
    u32 parity = 0;
    for (u32 z = 0; z < voxels.shape.resolution.z; z += at_once) {
      const u32 count = smaller(at_once, voxels.shape.resolution.z - z);
      u32 words[at_once];
#pragma unroll
      for (u32 k = 0; k < at_once; ++k) words[k] = k < count ? column[(z + k) * layer] : 0;
#pragma unroll
      for (u32 k = 0; k < at_once; ++k) {
        parity ^= words[k];
        if (k < count) column[(z + k) * layer] = parity;
      }
    }
  }
};

struct BitsOfWord {
  const u32* words;
  COPSE_HD u64 operator()(u64 i) const { return population_count(words[i]); }
};

template <class Executor, class Set>
void set_parts(const Executor& ex, const char* label, u64 n, const Set& set) {
  constexpr u64 no_limit = u64{1} << 60;
  ScratchArena::Frame frame(ex.scratch);
  u64* const no_offsets = nullptr;
  expand(ex, label, n, CountVoxelParts<Set>{set}, SetVoxelPart<Set>{set}, no_limit, no_offsets,
         frame.allocate<u64>(1));
}

template <class Executor>
void clear_voxels(const Executor& ex, const VoxelBits& voxels) {
  fill_bytes(ex, "voxels: clear", voxels.words, voxels.word_count, 0);
}

template <class Executor>
void set_voxels(const Executor& ex, std::span<const TriangleView> views, u64 n, VoxelRule rule,
                const VoxelBits& voxels, u64* left_out_count) {
  ScratchArena::Frame frame(ex.scratch);
  const VoxelTriangles triangles{make_triangle_table(ex, frame, views), voxels.shape};
  count_if(ex, "voxels: left out", n, ReachesOut{triangles}, left_out_count);
  clear_voxels(ex, voxels);
  switch (rule) {
    case VoxelRule::touched: set_parts(ex, "voxels: touched", n, SetTouched{triangles, voxels}); return;
    case VoxelRule::crossed:
      for (u32 axis = 0; axis < 3; ++axis) {
        set_parts(ex, "voxels: crossed", n, SetCrossedVoxels{triangles, voxels, axis});
      }
      return;
    case VoxelRule::inside:
      set_parts(ex, "voxels: surface", n, ToggleSurface{triangles, voxels, 2});
      for_each(ex, "voxels: parity", voxels.row_words * voxels.shape.resolution.y, CarryParityUpwards{voxels});
      return;
  }
}

template <class Executor>
void count_bits(const Executor& ex, const u32* words, u64 word_count, u64* out) {
  reduce(ex, "voxels: count", word_count, BitsOfWord{words}, u64{0}, Plus{}, out);
}

template <class Executor>
u64 voxel_scratch_bytes(const Executor& ex, u64 n, u64 view_count) {
  return triangle_table_scratch_bytes(view_count) + ScratchArena::bytes_for<u64>(1) + expand_scratch_bytes(ex, n);
}

template void set_voxels(const BodyExecutor&, std::span<const TriangleView>, u64, VoxelRule, const VoxelBits&,
                         u64*);
template void clear_voxels(const BodyExecutor&, const VoxelBits&);
template void count_bits(const BodyExecutor&, const u32*, u64, u64*);
template u64 voxel_scratch_bytes(const BodyExecutor&, u64, u64);

}  // namespace copse::detail

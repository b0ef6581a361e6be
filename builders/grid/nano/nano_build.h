#pragma once

// Structs that nano_grid.cpp and its body nano_grid.inl share.

#include "builders/grid/nano_layout.h"

namespace copse::detail {

/// The bricks in the order of leaves. Each array has an element per leaf.
struct NanoOrder {
  u64* keys;  // nano_key of the leaf
  u32* bricks;
  u64* nodes_before;   // how many lower nodes begin before the leaf, and in the high half how many upper nodes
  u64* voxels_before;  // how many voxels the leaves before have
};

/// A box of set voxels, both ends included.
struct NanoBox {
  i32 lo[3], hi[3];

  COPSE_HD static NanoBox empty() {
    return {{max_i32, max_i32, max_i32}, {-max_i32 - 1, -max_i32 - 1, -max_i32 - 1}};
  }

 private:
  static constexpr i32 max_i32 = 0x7fffffff;
};

/// Sums over all leaves.
struct NanoSums {
  u64 nodes;  // as NanoOrder::nodes_before
  u64 voxel_count;
  NanoBox box;
};

/// The begin of a grid, which the host writes.
struct NanoHead {
  NanoGridData grid;
  NanoTreeData tree;
  NanoRootHead root;
};
static_assert(sizeof(NanoHead) == 768);

/// Values of voxels; null for grids without.
struct NanoValues {
  const float* data;
  float background;
  bool is_level_set;  // values below 0 are inside, and so are the tiles between them
  u32 inside;         // of level sets: the bits of the value of such tiles
};

}  // namespace copse::detail

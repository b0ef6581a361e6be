#pragma once

// Walks the nodes of a grid of NanoVDB that is not trusted.

#include <string>
#include <vector>

#include "builders/io/nano_file.h"

namespace copse::detail {

/// A cube of set voxels: a leaf with a mask, or a tile of which all voxels are set.
struct NanoCube {
  i32 lo[3];
  u32 edge;              // voxels
  const NanoLeaf* leaf;  // null for a tile
};

/// Returns the parts of a grid. The grid must have its 800 bytes of head, which find_nano_fault checks.
NanoGridData nano_grid_data(const HostNanoGrid& grid);
NanoTreeData nano_tree_data(const HostNanoGrid& grid);
NanoRootHead nano_root_head(const HostNanoGrid& grid);

/// Returns where the root begins, and where its tiles do, in bytes from the begin of the grid.
u64 nano_root_offset(const HostNanoGrid& grid);
u64 nano_tiles_offset(const HostNanoGrid& grid);

/// Stores the cubes of a grid in the order of its links. Returns its first fault, or an empty string.
std::string find_nano_cubes(const HostNanoGrid& grid, std::vector<NanoCube>& cubes);

}  // namespace copse::detail

#pragma once

// The bytes of a voxel file; docs/guide/voxel-file.md describes them for other programs.

#include <filesystem>

#include "builders/grid/voxel_tree_layout.h"

namespace copse::detail {

inline constexpr char voxel_magic[8] = {'C', 'O', 'P', 'S', 'V', '\r', '\n', '\x1a'};

/// Version 2 has keys of 64 bits. It is written only where the places of bricks need them. Version 3 holds an
/// octree or a DAG.
inline constexpr u32 voxel_tree_version = 3;

struct VoxelHeader {
  char magic[8];
  u32 version;
  u32 brick_edge;  // 0 for a dense grid
  u64 file_bytes;
  u64 brick_count;  // of a DAG: at all places
  double lo[3];
  double edge;  // of a voxel
  u32 resolution[3];
  u32 zero;
};

/// Follows the header in version 3. Then come nodes, leaves and links.
struct VoxelTreeHeader {
  u32 kind;  // 1: octree, 2: DAG
  u32 level_count;
  u64 link_count, leaf_count;
  u64 level_nodes[max_voxel_levels];
};

static_assert(sizeof(VoxelHeader) == 80 && sizeof(VoxelTreeHeader) == 136);

/// Returns the header of a file of voxels, without sizes.
VoxelHeader voxel_header(const GridShape& shape, u32 version);

/// Checks all but brick_count. Throws: Error bad_file.
void check_voxel_header(const std::filesystem::path& path, const VoxelHeader& header, u64 file_bytes);

/// Returns the grid of a header that was checked.
GridShape shape_of(const VoxelHeader& header);

}  // namespace copse::detail

#pragma once

#include <array>
#include <vector>

#include "builders/grid/voxel_tree.h"
#include "builders/io/file_path.h"
#include "builders/io/voxel_file.h"
#include "primitives/core/cancel_token.h"

// Files of octrees and DAGs of voxels (.voxels). docs/guide/voxel-file.md describes the layout.

namespace copse {

/// An octree or a DAG on the host.
struct HostVoxelTree {
  GridShape shape{dvec3(0), dvec3(1), uvec3(1)};
  bool is_dag = false;
  u32 level_count = 1;
  std::vector<VoxelNode> nodes;  // as VoxelTree
  std::vector<u32> links;
  std::vector<u64> leaves;
  std::array<u64, max_voxel_levels> level_nodes{};

  VoxelTreeView view() const {
    return {shape,
            {nodes.data(), nodes.size()},
            {links.data(), links.size()},
            {leaves.data(), leaves.size()},
            level_count};
  }
};

/// How much a tree holds. A shared subtree counts at each of its places.
struct VoxelTreeSizes {
  u64 voxel_count, brick_count, octree_node_count, octree_leaf_count;
};

/// Returns a copy of a tree on the device.
/// Waits: for the copy.
COPSE_API HostVoxelTree download(const VoxelTree& tree);

/// Returns a copy of a tree in the memory of a context.
/// Throws: Error invalid_argument for a tree with a fault, as load_voxel_tree finds it; Error out_of_memory.
COPSE_API VoxelTree upload(Context& context, const HostVoxelTree& tree);

/// Returns the sizes of a tree without a fault.
COPSE_API VoxelTreeSizes sizes_of(const HostVoxelTree& tree);

/// Returns the voxels of a tree as sparse bricks.
/// Throws: Error invalid_argument for a tree with a fault; Error capacity past 2^26 bricks.
COPSE_API HostVoxels to_voxels(const HostVoxelTree& tree);

/// Writes an octree or a DAG. The file appears under its name when it is complete.
///   cancel: as of save_voxels
/// Throws: Error bad_file, Error cancelled; Error invalid_argument for a tree with a fault, as load_voxel_tree
/// finds it.
COPSE_API void save_voxel_tree(const FilePath& path, const HostVoxelTree& tree, const CancelToken& cancel = {});

/// Returns true for a file that load_voxel_tree reads. It reads the first bytes alone.
/// Throws: Error bad_file if it cannot be read.
COPSE_API bool holds_voxel_tree(const FilePath& path);

/// Reads an octree or a DAG. The file is not trusted. A tree without a fault is the one that build_octree or
/// build_dag makes of its voxels, except for the order of the nodes of a DAG: sizes fit, every node and leaf has a
/// voxel in the grid and is the child of another one, the children of an octree follow each other, and no two
/// subtrees of a DAG are equal. load_voxels reads these files too, as bricks.
/// Throws: Error bad_file, Error out_of_memory, Error cancelled.
COPSE_API HostVoxelTree load_voxel_tree(const FilePath& path, const CancelToken& cancel = {});

}  // namespace copse

#pragma once

#include <memory>

#include "builders/grid/frustum_grid.h"
#include "builders/grid/hash_grid.h"
#include "builders/io/voxel_file.h"
#include "builders/io/voxel_tree_file.h"
#include "builders/kd/sah_kd_tree.h"
#include "viewer/model/inspect/host_copy.h"

// Copies of structures to the host, a function per kind. All wait.

namespace copse::viewer {

std::unique_ptr<HostCopy> copy_tree(Context& context, const TreeView& tree);

/// The boxes of its nodes are their cells.
std::unique_ptr<HostCopy> copy_kd_tree(const SahKdTree& tree);

std::unique_ptr<HostCopy> copy_grid(const Grid& grid);

std::unique_ptr<HostCopy> copy_frustum(const FrustumGrid& grid);

///   places: for bricks, the grid of their places
std::unique_ptr<HostCopy> copy_voxels(HostVoxels voxels, const GridShape& places);

/// The boxes of its nodes are their cells, those of leaves 4 x 4 x 4 voxels. A DAG is shown as the octree that it
/// stands for. Levels whose nodes would be more than 2^22 with those above are left out.
std::unique_ptr<HostCopy> copy_voxel_tree(HostVoxelTree tree);

///   radius: of the balls that rays hit
std::unique_ptr<HostCopy> copy_points(const HashGrid& grid, float radius);

}  // namespace copse::viewer

#pragma once

#include <string>

#include "builders/io/voxel_tree_file.h"

namespace copse::detail {

/// Returns the first fault, with value and limit, or an empty string. Without a fault, every walk from the root
/// ends and reads nothing outside the arrays; voxel_tree_file.h says what else holds.
std::string find_voxel_tree_fault(const HostVoxelTree& tree);

}  // namespace copse::detail

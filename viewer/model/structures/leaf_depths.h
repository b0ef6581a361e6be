#pragma once

#include <span>
#include <vector>

#include "primitives/core/types.h"

namespace copse::viewer {

/// Returns how many leaves each depth has: element d counts the leaves d edges below the root. Empty without leaves.
///   leaves: for each primitive the number of its leaf; invalid_id for primitives outside the tree
///   depths: for each primitive the depth of its leaf
std::vector<u64> leaves_by_depth(std::span<const u32> leaves, std::span<const u32> depths);

}  // namespace copse::viewer

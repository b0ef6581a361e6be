#pragma once

#include <variant>

#include "builders/bvh/node.h"
#include "builders/bvh/wide_node.h"

namespace copse {

/// The view of a tree of any layout, for argument lists.
using TreeView = std::variant<BvhView, Bvh4View, CompressedBvh4View, CompressedBvh8View>;

}  // namespace copse

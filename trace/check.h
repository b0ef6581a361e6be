#pragma once

#include <string>

#include "builders/bvh/node.h"
#include "primitives/core/error.h"

namespace copse::detail {

/// Throws: Error invalid_argument for a view that no tree was made for.
template <class View>
void check_tree(const char* function, const View& bvh) {
  if (bvh.nodes.empty()) {
    throw Error(ErrorCode::invalid_argument,
                std::string(function) + ": the tree has 0 nodes, even a tree without primitives has 1");
  }
}

}  // namespace copse::detail

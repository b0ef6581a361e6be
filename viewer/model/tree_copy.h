#pragma once

#include <memory>

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"
#include "viewer/model/host_copy.h"

namespace copse::viewer {

/// Copies of trees on the host. Wait.
std::unique_ptr<HostCopy> copy_tree(const Bvh& tree);
/// Node: of Bvh4, CompressedBvh4, CompressedBvh8.
template <class Node>
std::unique_ptr<HostCopy> copy_tree(const WideBvh<Node>& tree);

}  // namespace copse::viewer

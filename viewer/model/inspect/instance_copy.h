#pragma once

#include <memory>
#include <span>

#include "scene/instance.h"
#include "viewer/model/inspect/host_copy.h"

namespace copse::viewer {

/// The maximum number of nodes of a copy of two levels. Instances past it stay leaves.
inline constexpr u64 max_copied_nodes = 1'000'000;

/// Returns both levels as one tree: below the leaf of an instance stand the nodes of its mesh, whose boxes are moved
/// with it. A pick tests the triangles of the scene, so that its steps are those in the boxes of this tree.
///   top:             the tree over the instances
///   meshes:          a copy per mesh
///   first_triangles: per instance: its first triangle among those of all instances
std::unique_ptr<HostCopy> copy_instances(const TreeNodes& top, std::span<const std::unique_ptr<HostCopy>> meshes,
                                         const std::vector<Instance>& instances,
                                         const std::vector<u32>& first_triangles);

}  // namespace copse::viewer

#pragma once

// The tree over the boxes of instances, of a Scene and of a MotionScene.

#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "scene/scene.h"

namespace copse::detail {

/// Throws: Error invalid_argument unless `quality` is one of the three.
void check_quality(Quality quality);

/// Returns an empty tree with room for `capacity` instances.
CompressedBvh4 make_instance_tree(Context& context, u64 capacity);

/// Builds the tree over the boxes, with one instance per leaf. It also rebuilds `binary`, from which the tree is
/// collapsed.
void build_instance_tree(Context& context, BoxView boxes, Quality quality, Bvh& binary, CompressedBvh4& tree);

/// The bytes that build_instance_tree needs for a number of boxes.
struct InstanceTreeSizes {
  u64 binary_bytes;   ///< of the binary tree
  u64 tree_bytes;     ///< of the tree
  u64 scratch_bytes;  ///< of scratch memory, the maximum at any time
};

InstanceTreeSizes instance_tree_sizes(Context& context, u64 instance_count, Quality quality);

}  // namespace copse::detail

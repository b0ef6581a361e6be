#pragma once

// What all structures that are trees share: statistics, and the labels of leaves.

#include <utility>
#include <vector>

#include "trace/trace_rays.h"
#include "viewer/model/structures/leaf_depths.h"
#include "viewer/model/structures/leaf_labels.h"
#include "viewer/model/structures/statistics.h"

namespace copse::viewer {

/// Takes what stats() has measured of a binary or a wide tree.
template <class Measured>
void take_tree(Statistics& statistics, const Measured& measured) {
  statistics.primitive_count = measured.counts.primitive_count;
  statistics.invalid_count = measured.counts.invalid_count;
  if constexpr (requires { measured.leaf_count; }) {
    statistics.leaf_count = measured.leaf_count;
  } else {
    statistics.leaf_count = measured.counts.leaf_count;
  }
  statistics.bounds = measured.bounds;
  statistics.size_bytes = measured.size_bytes;
  statistics.node_count = measured.counts.node_count;
  statistics.depth = measured.depth;
  statistics.sah_cost = measured.sah_cost;
  statistics.leaf_histogram = measured.leaf_size_histogram;
}

/// Returns Statistics::leaf_depth_histogram of a tree with `place_count` places of primitives. Waits.
inline std::vector<u64> leaf_depths(Context& context, const TreeView& tree, u64 place_count) {
  Buffer<u32> leaves(context, place_count), depths(context, place_count);
  label_leaves_of_places(context, tree, LeafTint::id, leaves.span());
  label_leaves_of_places(context, tree, LeafTint::depth, depths.span());
  return leaves_by_depth(leaves.download(), depths.download());
}

/// The label of each primitive's leaf, kept for as long as the tree has the same leaves.
class LeafLabels {
 public:
  /// The tree has other leaves now.
  void forget() { are_made_ = false; }

  /// Stores the label of each surface's leaf.
  void label(Context& context, const TreeView& tree, u64 primitive_count, BufferSpan<const SurfaceHit> surfaces,
             LeafTint tint, BufferSpan<u32> labels) {
    if (!are_made_ || tint != tint_) {
      if (of_primitives_.size() != primitive_count) of_primitives_ = Buffer<u32>(context, primitive_count);
      label_leaves(context, tree, tint, of_primitives_.span());
      are_made_ = true;
      tint_ = tint;
    }
    look_up_labels(context, surfaces, of_primitives_.span(), labels);
  }

 private:
  Buffer<u32> of_primitives_;
  bool are_made_ = false;
  LeafTint tint_ = LeafTint::id;
};

}  // namespace copse::viewer

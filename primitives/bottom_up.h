#pragma once

// The walk from all leaves to the root, in bulk, by one launch for any depth. Written once for both backends.

#include "primitives/core/executor.h"
#include "primitives/tree_walk.h"

namespace copse {

namespace detail {

template <class Tree, class Leaf, class Visit>
struct WalkFromLeaf {
  Tree tree;
  Leaf leaf;
  Visit visit;
  u32* arrivals;

  COPSE_HD void operator()(u64 i) const {
    if (leaf(u32(i))) walk_up(tree, u32(i), arrivals, visit);
  }
};

}  // namespace detail

/// Finishes every leaf, and visits every inner node once, after all nodes below it.
///   tree:         as in tree_walk.h
///   node_count:   `leaf` is called for each node below it; may be 0. All leaves of all trees are below it
///   family_count: all families are below it
///   leaf:         bool operator()(u32 node) const, host+device: returns false if the node is not a leaf, else
///                 finishes it and returns true
///   visit:        void operator()(u32 node, u32 family) const, host+device, as in walk_up
/// Does not wait, allocates nothing once scratch is there, and may be captured. With few enough families (2^18 on
/// CUDA) nothing has to be cleared before the next walk.
/// Throws: Error cancelled, device_failure, out_of_memory.
/// Memory: bottom_up_scratch_bytes, at most 4 bytes per family.
template <class Executor, class Tree, class Leaf, class Visit>
void bottom_up(const Executor& ex, const char* label, u64 node_count, u64 family_count, const Tree& tree,
               const Leaf& leaf, const Visit& visit) {
  with_zeroed_words(ex, label, family_count, [&](u32* arrivals) {
    for_each(ex, label, node_count, detail::WalkFromLeaf<Tree, Leaf, Visit>{tree, leaf, visit, arrivals});
  });
}

template <class Executor>
u64 bottom_up_scratch_bytes(const Executor& ex, u64 family_count) {
  return zeroed_words_scratch_bytes(ex, family_count);
}

}  // namespace copse

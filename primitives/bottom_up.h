#pragma once

// The walk from all leaves to the root, in bulk: one launch, whatever the depth. Written once for both backends.

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
///   node_count:   leaf is asked for each node below it; there may be none
///   family_count: families are below it
///   leaf:         bool operator()(u32 node) const, host+device: false for a node that is none, else finishes it
///                 and returns true
///   visit:        void operator()(u32 node, u32 family) const, host+device, as in walk_up
/// Waits for nothing; once scratch is there, allocates nothing; may be captured, and leaves nothing to be cleared
/// before the next walk where the arrivals are few enough (2^18 on CUDA). All leaves of the tree, or trees, must
/// be below node_count. Throws: Error cancelled, device_failure, out_of_memory. Memory: bottom_up_scratch_bytes,
/// at most 4 bytes a family.
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

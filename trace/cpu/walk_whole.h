#pragma once

#include "trace/walk.h"

namespace copse::cpu {

/// Walks from the root of a tree that need not be a view's, by a stack that has no depth limit. Returns the limit
/// as it was left.
template <class Tree, class LeafTest>
float walk_whole(const Tree& tree, const Ray& ray, LeafTest& test) {
  copse::detail::StackEntry entries[default_stack_size];
  copse::detail::Walk<Tree, default_stack_size> walk(tree, entries);
  NoCounter counter;
  walk.begin(ray);
  copse::detail::walk_to_end(walk, test, counter);
  return walk.limit();
}

}  // namespace copse::cpu

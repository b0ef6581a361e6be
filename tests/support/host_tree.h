#pragma once

// Trees of all shapes on the host, in the layouts that tree walks read.

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "primitives/core/types.h"

namespace copse::test {

/// The root is node 0, and siblings are neighbours. All other numbers are shuffled, so a parent may stand behind
/// its children.
struct HostTree {
  std::vector<u32> parents;         // invalid_id at the root
  std::vector<u32> child_counts;    // 0 at a leaf
  std::vector<u32> first_children;  // only where a node has children
  std::vector<u32> order;           // each node stands behind its parent
  u64 leaf_count = 0;

  u64 size() const { return parents.size(); }
  bool is_leaf(u64 node) const { return child_counts[node] == 0; }

  /// Returns, for a binary tree, the parents of the pairs of siblings. A pair is nodes 2p + 1 and 2p + 2.
  std::vector<u32> pair_parents() const {
    std::vector<u32> pairs;
    for (u64 node = 1; node < size(); node += 2) pairs.push_back(parents[node]);
    return pairs;
  }
};

/// Returns the tree where node i of an unshuffled numbering has the parent `parent_of[i]`, which is below i.
/// parent_of[0] is not read.
inline HostTree make_tree(const std::vector<u32>& parent_of, u32 seed) {
  const u64 n = parent_of.size();
  std::vector<u32> counts(n, 0), inner, number(n, 0), next(n, 0);
  for (u64 i = 1; i < n; ++i) ++counts[parent_of[i]];
  for (u64 i = 0; i < n; ++i) {
    if (counts[i] > 0) inner.push_back(u32(i));
  }
  std::shuffle(inner.begin(), inner.end(), std::mt19937(seed));
  u32 place = 1;
  for (u32 parent : inner) {
    next[parent] = place;
    place += counts[parent];
  }
  HostTree tree{std::vector<u32>(n, invalid_id), std::vector<u32>(n, 0), std::vector<u32>(n, invalid_id), {}, 0};
  for (u64 i = 1; i < n; ++i) number[i] = next[parent_of[i]]++;
  for (u64 i = 0; i < n; ++i) {
    tree.order.push_back(number[i]);
    tree.child_counts[number[i]] = counts[i];
    if (counts[i] == 0) ++tree.leaf_count;
    if (i > 0) tree.parents[number[i]] = number[parent_of[i]];
  }
  for (u64 i = n; i-- > 1;) {
    const u32 parent = tree.parents[i];
    tree.first_children[parent] = std::min(tree.first_children[parent], u32(i));
  }
  return tree;
}

/// Each node is the only child of the node before it.
inline HostTree chain_tree(u64 n) {
  std::vector<u32> parent_of(n, 0);
  for (u64 i = 1; i < n; ++i) parent_of[i] = u32(i - 1);
  return make_tree(parent_of, 1);
}

/// All nodes but the root are children of the root.
inline HostTree star_tree(u64 n) {
  return make_tree(std::vector<u32>(n, 0), 2);
}

/// Each node is the child of a random node before it.
inline HostTree random_tree(u64 n, u32 seed) {
  std::mt19937 random(seed);
  std::vector<u32> parent_of(n, 0);
  for (u64 i = 1; i < n; ++i) parent_of[i] = u32(random() % i);
  return make_tree(parent_of, seed);
}

/// All inner nodes have `arity` children. The tree is as shallow as it can be.
inline HostTree complete_tree(u64 n, u32 arity) {
  std::vector<u32> parent_of(n, 0);
  for (u64 i = 1; i < n; ++i) parent_of[i] = u32((i - 1) / arity);
  return make_tree(parent_of, arity);
}

/// Returns a binary tree. `chosen(k)` says which of k leaves gets two children next.
inline HostTree binary_tree(u64 leaf_count, u32 seed, const std::function<u64(u64)>& chosen) {
  std::vector<u32> parent_of{0}, leaves{0};
  while (leaves.size() < leaf_count) {
    u32& leaf = leaves[chosen(leaves.size())];
    const u32 parent = leaf;
    leaf = u32(parent_of.size());
    leaves.push_back(leaf + 1);
    parent_of.insert(parent_of.end(), 2, parent);
  }
  return make_tree(parent_of, seed);
}

inline HostTree random_binary_tree(u64 leaf_count, u32 seed) {
  std::mt19937 random(seed);
  return binary_tree(leaf_count, seed, [&](u64 k) { return random() % k; });
}

/// Returns the deepest binary tree: each level below the root has one leaf.
inline HostTree comb_tree(u64 leaf_count) {
  return binary_tree(leaf_count, 3, [](u64 k) { return k - 1; });
}

}  // namespace copse::test

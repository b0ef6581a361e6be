#pragma once

// Checks of the indices of a tree: links to children and parents, and ids of primitives. They are safe for any
// content.

#include "builders/bvh/measure/measured.h"
#include "builders/bvh/wide/wide_encode.h"
#include "builders/bvh/wide/wide_tree.h"
#include "primitives/core/atomic.h"
#include "primitives/loops/zeroed_words.h"

namespace copse::detail {

COPSE_HD inline void count_fault(u64* fault) {
  fetch_add_relaxed(fault, u64{1});
}

/// Checks the links of a node, and counts the references to each child, or to each pair of children.
template <class View>
struct CheckNode;

template <>
struct CheckNode<BvhView> {
  BvhView bvh;
  BvhCounts counts;
  u32* references;  // [pair]: nodes that have it as children
  Faults* faults;

  COPSE_HD void operator()(u64 i) const {
    const BvhNode node = bvh.nodes.data()[i];
    if (node.is_leaf()) {
      if (node.first >= counts.primitive_count || node.count > counts.primitive_count - node.first) {
        count_fault(&faults->bad_indices);
      }
      return;
    }
    const bool in_range = node.first % 2 == 1 && node.first < counts.node_count - 1;
    if (!in_range || bvh.parents.data()[sibling_pair(node.first)] != i) {
      count_fault(&faults->bad_indices);
    }
    if (in_range) fetch_add_relaxed(&references[sibling_pair(node.first)], 1u);
  }
};

template <class Node>
struct CheckNode<WideBvhView<Node>> {
  WideBvhView<Node> tree;
  WideBvhCounts counts;
  u32* references;  // [node]: slots that have it as a child
  Faults* faults;

  COPSE_HD void operator()(u64 i) const {
    const Node& node = tree.nodes.data()[i];
    u32 child_count = 0;
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = node.child(slot);
      if (!is_consistent(node, slot) || !is_in_range(u32(i), child)) count_fault(&faults->bad_indices);
      child_count += child.is_nothing() ? 0 : 1;
    }
    if (child_count == 0) count_fault(&faults->bad_indices);
    const u32 parent = tree.parents.data()[i];
    if (i == 0 ? parent != invalid_id : parent >= counts.node_count) count_fault(&faults->bad_indices);
  }

  COPSE_HD bool is_in_range(u32 node, const WideChild& child) const {
    if (child.is_nothing()) return true;
    if (child.is_leaf()) {
      return child.first < counts.primitive_count && child.count <= counts.primitive_count - child.first;
    }
    if (child.first == 0 || child.first >= counts.node_count) return false;
    fetch_add_relaxed(&references[child.first], 1u);
    return tree.parents.data()[child.first] == node;
  }
};

/// Checks that every pair of a binary tree has one parent, and every node of a wide one but the root.
template <class View>
struct CheckReferences;

template <>
struct CheckReferences<BvhView> {
  BvhView bvh;
  BvhCounts counts;
  const u32* references;
  Faults* faults;
  COPSE_HD void operator()(u64 pair) const {
    if (references[pair] != 1) count_fault(&faults->wrong_references);
    if (bvh.parents.data()[pair] >= counts.node_count) count_fault(&faults->bad_indices);
  }
};

template <class Node>
struct CheckReferences<WideBvhView<Node>> {
  WideBvhView<Node> tree;
  WideBvhCounts counts;
  const u32* references;
  Faults* faults;
  COPSE_HD void operator()(u64 i) const {
    if (references[i] != (i == 0 ? 0 : 1)) count_fault(&faults->wrong_references);
  }
};

struct CheckPrimitiveIds {
  const u32* primitive_ids;
  u32 source_count;
  Faults* faults;
  COPSE_HD void operator()(u64 slot) const {
    if (primitive_ids[slot] >= source_count) count_fault(&faults->bad_indices);
  }
};

inline u64 reference_count(const BvhCounts& counts) {
  return counts.node_count / 2;
}
inline u64 reference_count(const WideBvhCounts& counts) {
  return counts.node_count;
}

template <class Executor, class View, class Counts>
void check_indices(const Executor& ex, const View& tree, const Counts& counts, u32 source_count, Faults* faults) {
  const u64 n = reference_count(counts);
  ScratchArena::Frame frame(ex.scratch);
  u32* references = frame.allocate<u32>(n);
  fill_bytes(ex, "validate: clear references", references, n, 0);
  for_each(ex, "validate: nodes", counts.node_count, CheckNode<View>{tree, counts, references, faults});
  for_each(ex, "validate: references", n, CheckReferences<View>{tree, counts, references, faults});
  for_each(ex, "validate: primitive ids", counts.primitive_count,
           CheckPrimitiveIds{tree.primitive_ids.data(), source_count, faults});
}

}  // namespace copse::detail

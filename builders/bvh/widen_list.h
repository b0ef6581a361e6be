#pragma once

// The nodes of a binary tree that became wide ones, listed in the order of the pairs that they have as children,
// and what their slots hold.

#include "builders/bvh/wide_encode.h"
#include "builders/bvh/wide_walk.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// wide[pair] = whether the pair's parent became a wide node. For for_each_stepped: some searches are long.
template <u32 width>
struct FindWideNodes {
  using Tree = CollapsedTree<width>;
  using Search = typename Tree::Search;

  struct Input {
    SlotChoice choice;
    u32 parent;
  };

  Tree tree;
  const BvhCounts* counts;
  u8* wide;

  COPSE_HD Input fetch(u64 i) const {
    if (i >= counts->node_count / 2) return {SlotChoice::of_leaf_alone<width>(), 0};
    return {tree.choices[i], tree.parents[i]};
  }
  COPSE_HD Search start(const Input& input) const { return Tree::begin(input.choice, input.parent); }
  COPSE_HD u32 step(u64 i, Search& search) const {
    constexpr u32 goes_on = 4;
    if (!Tree::is_settled(search)) {
      tree.climb(search);
      return goes_on;
    }
    wide[i] = Tree::is_wide(search) ? 1 : 0;
    return 0;
  }
};

struct ListPair {
  u32* pairs;
  COPSE_HD void operator()(u64 place, u64 pair) const { pairs[place] = u32(pair); }
};

/// What the slots of a wide node hold, before it has a place: the number of a leaf's primitives, or
///   nothing, inner
template <u32 width>
struct alignas(width) SlotKinds {
  static constexpr u8 nothing = 0, inner = 255;

  u8 of[width];

  /// What it takes of the arrays, as one number for sums.
  COPSE_HD u64 parts() const { return parts_before(width); }
  COPSE_HD u64 parts_before(u32 end) const {
    u32 nodes = 0, primitives = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      const u32 kind = slot < end ? of[slot] : nothing;
      nodes += kind == inner ? 1 : 0;
      primitives += kind == inner ? 0 : kind;
    }
    return u64(primitives) << 32 | nodes;
  }
  COPSE_HD u32 children_before(u32 end) const {
    u32 count = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) count += slot < end && of[slot] != nothing ? 1 : 0;
    return count;
  }
  /// Children stand together in the first slots of a node: where this one's comes to stand.
  COPSE_HD u32 slot_in_node(u32 slot) const {
    const u32 before = children_before(slot);
    return of[slot] != nothing ? before : children_before(width) + slot - before;
  }
  COPSE_HD u32 inner_mask() const {
    u32 mask = 0, child = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      mask |= of[slot] == inner ? 1u << child : 0;
      child += of[slot] != nothing ? 1 : 0;
    }
    return mask;
  }
};

COPSE_HD inline WidePlace place_of_parts(u64 parts) {
  return {u32(parts), u32(parts >> 32)};
}

/// The wide nodes in the order of their pairs, which is not yet that of their places.
template <u32 width>
struct WideList {
  const u64* count;
  const u32* pairs;         // of their children in the binary tree
  u32* children;            // [width * i + slot]: nodes of the binary tree, where there are any
  SlotKinds<width>* kinds;  // [i]
};

/// Works on `a_node` elements for each wide node, by `threads` threads. How many there are only the device knows.
template <class F>
struct ForListed {
  const u64* count;
  u32 a_node;
  u64 threads;
  F f;

  COPSE_HD void operator()(u64 i) const {
    const u64 n = *count * a_node;
    for (; i < n; i += threads) f(i);
  }
};

template <class Executor, u32 width, class F>
void for_listed(const Executor& ex, const char* label, u64 capacity, const WideList<width>& list, u32 a_node,
                const F& f) {
  constexpr u64 most_threads = u64{1} << 20;
  const u64 threads = smaller(capacity * a_node, most_threads);
  for_each(ex, label, threads, ForListed<F>{list.count, a_node, threads, f});
}

struct SumPrimitives {
  const BvhNode* nodes;
  u32* sum;
  COPSE_HD bool operator()(u32 node) const {
    *sum += nodes[node].count;
    return true;
  }
};

/// Finds what a slot of a listed wide node holds.
template <u32 width>
struct FindChild {
  CollapsedTree<width> tree;
  WideList<width> list;

  COPSE_HD void operator()(u64 i) const {
    const u32 slot = u32(i % width);
    const auto child = tree.child_at(list.pairs[i / width], slot);
    u32 kind = SlotKinds<width>::nothing;
    if (child.begin == slot) {
      list.children[i] = child.node;
      kind = child.is_leaf ? primitives_below(child.node) : SlotKinds<width>::inner;
    }
    list.kinds[i / width].of[slot] = u8(kind);
  }

  COPSE_HD u32 primitives_below(u32 node) const {
    u32 sum = 0;
    walk_down(BinaryTree{tree.nodes, tree.parents}, node, SumPrimitives{tree.nodes, &sum});
    return sum;
  }
};

template <u32 width>
struct PartsToSum {
  WideList<width> list;
  COPSE_HD u64 operator()(u64 i) const { return i < *list.count ? list.kinds[i].parts() : 0; }
};

}  // namespace copse::detail

#pragma once

// The pairs of primitives of one tree, of any layout, that overlap each other. For bodies: the executor's primitives
// must be included.
//
// Lists are made by count, scan and fill: the traversal of each primitive is done twice.

#include "primitives/inputs.h"
#include "queries/nearest/query_batch.h"
#include "queries/self_overlap.h"

namespace copse::detail {

/// Stores the leaf of each place of primitive_ids: a node of a binary tree, or the wide node that is the parent of
/// the leaf.
template <class Tree>
struct NoteLeaves {
  Tree bvh;
  u32* leaves;

  COPSE_HD void operator()(u64 i) const {
    if (i < bvh.counts.data()->node_count) note(bvh.nodes.data()[i], u32(i));
  }

 private:
  COPSE_HD void note(const BvhNode& node, u32 i) const {
    for (u32 k = 0; k < node.count; ++k) leaves[node.first + k] = i;
  }
  template <class Node>
  COPSE_HD void note(const Node& node, u32 i) const {
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = node.child(slot);
      for (u32 k = 0; k < child.count; ++k) leaves[child.first + k] = i;
    }
  }
};

struct CountPairs {
  u32 count = 0;
  COPSE_HD bool operator()(const PrimitivePair&) {
    ++count;
    return false;
  }
};

template <class Tree, class Shapes>
struct CountPairsAfter {
  Tree bvh;
  const u32* leaves;
  Shapes shapes;
  u32* counts;
  COPSE_HD void operator()(u64 place) const {
    CountPairs pairs;
    if (place < bvh.counts.data()->primitive_count) {
      for_each_pair_after(bvh, leaves[place], u32(place), shapes, pairs);
    }
    counts[place] = pairs.count;
  }
};

/// Stores pairs from a place on, up to the end of the buffer.
struct StorePairs {
  PrimitivePair* out;
  u64 at, end;
  COPSE_HD bool operator()(const PrimitivePair& pair) {
    out[at] = pair;
    return ++at >= end;
  }
};

template <class Tree, class Shapes>
struct StorePairsAfter {
  Tree bvh;
  const u32* leaves;
  Shapes shapes;
  const u64* offsets;
  BufferSpan<PrimitivePair> pairs;
  COPSE_HD void operator()(u64 place) const {
    const u64 end = smaller(offsets[place + 1], pairs.size());
    if (offsets[place] >= end) return;
    StorePairs store{pairs.data(), offsets[place], end};
    for_each_pair_after(bvh, leaves[place], u32(place), shapes, store);
  }
};

/// `n`: the number of places of the tree, here and below.
template <class Executor, class Tree>
const u32* note_leaves(const Executor& ex, ScratchArena::Frame& frame, const Tree& bvh, u64 n) {
  u32* leaves = frame.template allocate<u32>(n);
  for_each(ex, "self overlaps: leaves", bvh.nodes.size(), NoteLeaves<Tree>{bvh, leaves});
  return leaves;
}

template <class Executor, class Tree, class Shapes>
void place_pairs_of(const Executor& ex, const Tree& bvh, u64 n, const Shapes& shapes, u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  const u32* leaves = note_leaves(ex, frame, bvh, n);
  u32* counts = frame.template allocate<u32>(n);
  persistent_for_each(ex, "self overlaps: count", n, queries_at_once,
                      CountPairsAfter<Tree, Shapes>{bvh, leaves, shapes, counts});
  place_lists(ex, "self overlaps: place", counts, n, offsets);
}

template <class Executor, class Tree, class Shapes>
void store_pairs_of(const Executor& ex, const Tree& bvh, u64 n, const Shapes& shapes, const u64* offsets,
                    BufferSpan<PrimitivePair> pairs) {
  if (pairs.empty()) return;
  ScratchArena::Frame frame(ex.scratch);
  const u32* leaves = note_leaves(ex, frame, bvh, n);
  persistent_for_each(ex, "self overlaps: store", n, queries_at_once,
                      StorePairsAfter<Tree, Shapes>{bvh, leaves, shapes, offsets, pairs});
}

template <class Executor, class Tree, class Shapes>
void find_pairs_of(const Executor& ex, const Tree& bvh, u64 n, const Shapes& shapes,
                   BufferSpan<PrimitivePair> pairs, u64* total) {
  ScratchArena::Frame frame(ex.scratch);
  u64* offsets = frame.template allocate<u64>(n + 1);
  place_pairs_of(ex, bvh, n, shapes, offsets);
  store_pairs_of(ex, bvh, n, shapes, offsets, pairs);
  for_each(ex, "self overlaps: total", 1, CopyElements<u64>{offsets + n, total});
}

}  // namespace copse::detail

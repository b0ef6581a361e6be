#pragma once

// The primitives of a tree in Morton order, and the deltas of neighbours: LBVH and H-PLOC begin with them.
//
// Source: Morton, "A Computer Oriented Geodetic Data Base and a New Technique in File Sequencing", IBM, 1966, for
// the curve; Lauterbach, Garland, Sengupta, Luebke, Manocha, "Fast BVH Construction on GPUs", Eurographics 2009,
// for trees from it.

#include "builders/bvh/morton/leaf_hierarchy.h"
#include "builders/geometry/box_sources.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// The primitives of a tree in Morton order, in the memory of the executor.
struct MortonOrder {
  const u8* deltas;  // [i]: leading bits that the keys in slots i and i + 1 share (common_prefix); at most 96
  PrecomputedBounds precomputed;
};

/// Scratch of a Morton order: `kept_bytes` for as long as its frame lives, and `bytes` more while it is made.
struct MortonOrderScratch {
  u64 kept_bytes;
  u64 bytes;
};

// The body: morton_order.inl, for either executor. It is compiled once, for all builders.

/// Stores the primitives in Morton order as the primitive_ids of the tree, equal keys in the order of their ids,
/// the invalid primitives last. Stores the counts of the tree as if each valid primitive were a leaf, and the
/// empty root if there is none. The result is valid until `frame` ends.
///   boxes:           TriangleBoxes or CustomBoxes
///   morton_bits:     bits of a key, at most 63; 0 for as many as sort fast
///   from_last_order: whether the sort may begin with the order of the primitives in `bvh`, a tree that was built
///                    before; it changes no result
template <class Executor, class Boxes>
MortonOrder order_primitives(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                             u32 morton_bits, bool from_last_order, const BvhArrays& bvh);
template <class Executor>
MortonOrderScratch order_primitives_scratch(const Executor& ex, u64 n, bool of_triangles, u32 morton_bits,
                                            bool from_last_order);

/// Stores the slot where each leaf of at most max_leaf_size primitives begins, and behind them the end of the last
/// leaf. Stores the counts of the tree.
///   firsts: room for n + 1
template <class Executor>
void find_leaves(const Executor& ex, const u8* deltas, u64 n, u32 max_leaf_size, const BvhArrays& bvh,
                 u32* firsts);
template <class Executor>
u64 find_leaves_scratch_bytes(const Executor& ex, u64 n);

/// Finds the leaves of a tree whose primitives are in Morton order, stores its counts, and calls build(leaves)
/// with SingleLeaves or GroupedLeaves.
template <class Executor, class Build>
void with_leaves(const Executor& ex, const MortonOrder& order, u64 n, u32 max_leaf_size, const BvhArrays& bvh,
                 const Build& build) {
  if (max_leaf_size == 1) return build(SingleLeaves{});
  ScratchArena::Frame frame(ex.scratch);
  u32* firsts = frame.allocate<u32>(n + 1);
  find_leaves(ex, order.deltas, n, max_leaf_size, bvh, firsts);
  build(GroupedLeaves{firsts, max_leaf_size});
}

template <class Executor>
u64 leaf_groups_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u32>(n + 1) + find_leaves_scratch_bytes(ex, n);
}

}  // namespace copse::detail

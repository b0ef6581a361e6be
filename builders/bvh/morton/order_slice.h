#pragma once

// The Morton order of a slice: of primitives of a tree that are neighbours on the Morton curve through all of
// them.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/geometry/triangle_table.h"

namespace copse::detail {

/// The input of a slice's keys from the whole tree.
struct MortonSlice {
  Aabb bounds;         // of all primitives of the tree
  u32 morton_bits;     // 30 to 63
  u32 first_slot = 0;  // of the slice in the tree
};

// The body: morton_order.inl, for either executor.

/// Stores the primitives of a slice in Morton order as the primitive_ids of `bvh`, equal keys in the order of their
/// numbers. Stores the counts as if each primitive were a leaf, and the deltas, which are those of the tree.
///   n: at least 1
template <class Executor>
void order_slice(const Executor& ex, const CustomBoxes& boxes, u64 n, const MortonSlice& slice,
                 const BvhArrays& bvh);
template <class Executor>
u64 order_slice_scratch_bytes(const Executor& ex, u64 n, u32 morton_bits);

}  // namespace copse::detail

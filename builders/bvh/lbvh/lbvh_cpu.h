#pragma once

// Topology and boxes of an LBVH on the CPU, by walks from the leaves (reference.h).

#include "builders/bvh/lbvh/reference.h"
#include "builders/bvh/morton/morton_sort_cpu.h"
#include "primitives/loops/zeroed_words_cpu.h"

namespace copse::cpu {

/// Contract: builders/bvh/lbvh/lbvh.inl. The sort is a fifth of a build here, and sorting buckets took longer: so the
/// old order is not used.
template <class Boxes>
copse::detail::MortonOrder sort_from_last_order(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes,
                                                u64 n, u32 morton_bits, const copse::detail::BvhArrays& bvh) {
  return copse::detail::sort_by_morton_key(ex, frame, boxes, n, morton_bits, bvh);
}

inline copse::detail::MortonOrderScratch last_order_scratch(const Executor& ex, u64 n, bool of_triangles,
                                                            u32 morton_bits) {
  return copse::detail::morton_order_scratch(ex, n, of_triangles, morton_bits);
}

/// Contract: builders/bvh/lbvh/lbvh.inl.
template <class Boxes, class Leaves>
void join_leaves(const Executor& ex, const Boxes& boxes, const copse::detail::PrecomputedBounds&,
                 const Leaves& leaves, const u8* deltas, u64 n, const copse::detail::BvhArrays& bvh) {
  copse::detail::join_by_walks(ex, boxes, leaves, deltas, n, bvh);
}

inline u64 join_leaves_scratch_bytes(const Executor& ex, u64 n) {
  return copse::detail::join_by_walks_scratch_bytes(ex, n);
}

}  // namespace copse::cpu

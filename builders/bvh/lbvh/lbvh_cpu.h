#pragma once

// Topology and boxes of an LBVH on the CPU, by walks from the leaves (reference.h).

#include "builders/bvh/lbvh/reference.h"
#include "primitives/loops/zeroed_words_cpu.h"

namespace copse::cpu {

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

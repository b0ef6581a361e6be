#pragma once

#include "builders/bvh/bvh.h"

namespace copse::detail {

/// A tree's memory, as builders write it.
struct BvhArrays {
  BvhNode* nodes;
  u32* parents;
  u32* primitive_ids;
  BvhCounts* counts;
};

inline BvhArrays arrays_of(Bvh& bvh) {
  return {bvh.nodes.data(), bvh.parents.data(), bvh.primitive_ids.data(), bvh.counts.data()};
}

}  // namespace copse::detail

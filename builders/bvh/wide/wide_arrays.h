#pragma once

#include "builders/bvh/wide_bvh.h"

namespace copse::detail {

/// A wide tree's memory, as conversions and refits write it.
template <class Node>
struct WideArrays {
  Node* nodes;
  u32* parents;
  u32* primitive_ids;
  WideBvhCounts* counts;
};

template <class Node>
WideArrays<Node> arrays_of(WideBvh<Node>& tree) {
  return {tree.nodes.data(), tree.parents.data(), tree.primitive_ids.data(), tree.counts.data()};
}

}  // namespace copse::detail

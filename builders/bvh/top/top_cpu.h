#pragma once

// The cut of a tree on the CPU. Contract: builders/bvh/top/top.inl.

#include <algorithm>

#include "builders/bvh/top/top_cut.h"
#include "primitives/cpu/primitives.h"

namespace copse::cpu {

/// Contract: builders/bvh/top/top.inl.
inline void cut_top(const Executor& ex, const copse::detail::BvhArrays& bvh, const copse::detail::TopCut& cut) {
  using copse::detail::TopShape;
  throw_if_cancelled(ex);
  u32* now = cut.clusters;
  u32* next = cut.next_clusters;
  u32 count = bvh.counts->node_count == 0 ? 0 : 1, pair_count = 0, halvings = 0;
  if (count > 0) now[0] = 0;
  double threshold = copse::detail::first_threshold(bvh);
  const u32 enough = std::min(TopShape::enough_clusters, cut.capacity);
  while (count > 0 && count < enough && halvings < TopShape::max_halvings) {
    u32 gone = 0;
    for (u32 i = 0; i < count; ++i) gone += copse::detail::gives_way(bvh.nodes[now[i]], threshold) ? 1 : 0;
    if (count + gone > cut.capacity) break;
    if (gone == 0) {
      threshold /= 2;
      ++halvings;
      continue;
    }
    u32 next_count = 0;
    for (u32 i = 0; i < count; ++i) {
      const BvhNode& node = bvh.nodes[now[i]];
      if (!copse::detail::gives_way(node, threshold)) {
        next[next_count++] = now[i];
        continue;
      }
      cut.pairs[pair_count++] = node.first;
      next[next_count++] = node.first;
      next[next_count++] = node.first + 1;
    }
    std::swap(now, next);
    count = next_count;
  }
  if (now != cut.clusters) std::copy_n(now, count, cut.clusters);
  *cut.cluster_count = count;
}

}  // namespace copse::cpu

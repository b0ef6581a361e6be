#pragma once

// The cut of a tree on the CPU. Contract: builders/bvh/top/top.inl.

#include <algorithm>

#include "builders/bvh/top/top_cut.h"
#include "primitives/cpu/primitives.h"

namespace copse::cpu {

/// Contract: builders/bvh/top/top.inl.
inline void cut_top(const Executor& ex, const copse::detail::BvhArrays& bvh, const copse::detail::TopCut& cut) {
  using copse::detail::TopCluster;
  throw_if_cancelled(ex);
  TopCluster* now = cut.clusters;
  TopCluster* next = cut.next_clusters;
  u32 count = bvh.counts->node_count == 0 ? 0 : 1, pair_count = 0;
  if (count > 0) now[0] = TopCluster::of(bvh.nodes, 0);
  const u32 enough = smaller(copse::detail::TopShape::enough_clusters, cut.capacity);
  while (count > 0 && count < enough) {
    float largest = 0;
    u32 gone = 0;
    for (u32 i = 0; i < count; ++i) largest = max_number(largest, now[i].area);
    for (u32 i = 0; i < count; ++i) gone += now[i].gives_way(largest) ? 1 : 0;
    if (gone == 0 || count + gone > cut.capacity) break;
    u32 next_count = 0;
    for (u32 i = 0; i < count; ++i) {
      if (!now[i].gives_way(largest)) {
        next[next_count++] = now[i];
        continue;
      }
      cut.pairs[pair_count++] = now[i].children;
      next[next_count++] = TopCluster::of(bvh.nodes, now[i].children);
      next[next_count++] = TopCluster::of(bvh.nodes, now[i].children + 1);
    }
    std::swap(now, next);
    count = next_count;
  }
  if (now != cut.clusters) std::copy_n(now, count, cut.clusters);
  *cut.cluster_count = count;
}

}  // namespace copse::cpu

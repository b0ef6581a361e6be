// Measures of a tree, each node once.

#include "builders/bvh/measure/stats_body.h"
#include "primitives/bottom_up.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/reduce.h"

namespace copse::detail {

struct MeasureNode {
  BvhView bvh;

  COPSE_HD NodeSums operator()(u64 i) const {
    if (i >= bvh.counts.data()->node_count) return {0, 0, 0, 0};
    const BvhNode node = bvh.nodes.data()[i];
    const double area = half_area(node.box());
    if (node.is_leaf()) return {0, area * node.count, 0, node.count};
    const BvhNode* children = bvh.nodes.data() + node.first;
    return {area, 0, half_area(intersection(children[0].box(), children[1].box())), 0};
  }
};

struct MergeNodeSums {
  COPSE_HD NodeSums operator()(const NodeSums& a, const NodeSums& b) const {
    return {a.inner_area + b.inner_area, a.leaf_area + b.leaf_area, a.overlap + b.overlap,
            larger(a.largest_leaf, b.largest_leaf)};
  }
};

/// A node's height is one above its higher child's; a leaf's is 0.
struct RaiseHeight {
  u32* heights;
  COPSE_HD void operator()(u32 node, u32 pair) const {
    const u32 first_child = SiblingPairs::first_of(pair);
    heights[node] = 1 + larger(heights[first_child], heights[first_child + 1]);
  }
};

struct BeginAtLeaf {
  BvhView bvh;
  u32* heights;

  COPSE_HD bool operator()(u32 node) const {
    if (node >= bvh.counts.data()->node_count || !bvh.nodes.data()[node].is_leaf()) return false;
    heights[node] = 0;
    return true;
  }
};

struct WriteDepth {
  BvhView bvh;
  const u32* heights;
  u32* depth;
  COPSE_HD void operator()(u64) const { *depth = bvh.counts.data()->node_count == 0 ? 0 : heights[0]; }
};

template <class Executor>
void measure_tree(const Executor& ex, const BvhView& bvh, NodeSums* sums, u32* depth) {
  const u64 n = bvh.nodes.size();
  reduce(ex, "stats: areas", n, MeasureNode{bvh}, NodeSums{0, 0, 0, 0}, MergeNodeSums{}, sums);

  ScratchArena::Frame frame(ex.scratch);
  u32* heights = frame.allocate<u32>(n);
  bottom_up(ex, "stats: heights", n, bvh.parents.size(), SiblingPairs{bvh.parents.data()},
            BeginAtLeaf{bvh, heights}, RaiseHeight{heights});
  for_each(ex, "stats: depth", 1, WriteDepth{bvh, heights, depth});
}

struct CountLeafSizes {
  BvhView bvh;
  u64* histogram;
  u64 histogram_size;
  COPSE_HD void operator()(u64 i) const {
    if (i >= bvh.counts.data()->node_count) return;
    const u32 count = bvh.nodes.data()[i].count;
    if (count > 0 && count < histogram_size) fetch_add_relaxed(&histogram[count], u64{1});
  }
};

template <class Executor>
void count_leaf_sizes(const Executor& ex, const BvhView& bvh, u64* histogram, u64 histogram_size) {
  for_each(ex, "stats: leaf sizes", bvh.nodes.size(), CountLeafSizes{bvh, histogram, histogram_size});
}

template void measure_tree(const BodyExecutor&, const BvhView&, NodeSums*, u32*);
template void count_leaf_sizes(const BodyExecutor&, const BvhView&, u64*, u64);

}  // namespace copse::detail

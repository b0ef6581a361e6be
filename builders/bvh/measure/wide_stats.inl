// Measures of a wide tree, each node once.

#include "builders/bvh/measure/wide_stats_body.h"
#include "builders/bvh/wide/wide_tree.h"
#include "primitives/bottom_up.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/reduce.h"

namespace copse::detail {

/// Planes past the largest float are cut there, so that areas are numbers.
COPSE_HD inline Aabb cut_to_floats(const Aabb& box) {
  constexpr float most = 3.402823466e38f;
  return {upper_corner(box.lo, vec3(-most)), lower_corner(box.hi, vec3(most))};
}

template <class Node>
struct MeasureWideNode {
  WideBvhView<Node> tree;

  COPSE_HD WideSums operator()(u64 i) const {
    WideSums sums{0, 0, 0, 0};
    if (i >= tree.counts.data()->node_count) return sums;
    const Node& node = tree.nodes.data()[i];
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = node.child(slot);
      if (child.is_nothing()) continue;
      const double area = half_area(cut_to_floats(node.child_box(slot)));
      if (child.is_inner()) sums.inner_area += area;
      if (child.is_leaf()) {
        sums.leaf_area += area * child.count;
        ++sums.leaf_count;
        sums.largest_leaf = larger(sums.largest_leaf, child.count);
      }
    }
    return sums;
  }
};

struct MergeWideSums {
  COPSE_HD WideSums operator()(const WideSums& a, const WideSums& b) const {
    return {a.inner_area + b.inner_area, a.leaf_area + b.leaf_area, a.leaf_count + b.leaf_count,
            larger(a.largest_leaf, b.largest_leaf)};
  }
};

/// A node's height is one above its highest child's; a leaf's is 0.
template <class Node>
struct RaiseWideHeight {
  const Node* nodes;
  u32* heights;
  COPSE_HD void operator()(u32 node, u32) const {
    u32 height = 0;
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = nodes[node].child(slot);
      if (child.is_inner()) height = larger(height, heights[child.first]);
    }
    heights[node] = height + 1;
  }
};

template <class Node>
struct BeginAtLowest {
  WideBvhView<Node> tree;
  u32* heights;

  COPSE_HD bool operator()(u32 node) const {
    if (node >= tree.counts.data()->node_count || inner_child_count(tree.nodes.data()[node]) > 0) return false;
    heights[node] = 1;
    return true;
  }
};

template <class Node>
struct WriteDepthAndBounds {
  WideBvhView<Node> tree;
  const u32* heights;
  u32* depth;
  Aabb* bounds;
  COPSE_HD void operator()(u64) const {
    *depth = tree.counts.data()->node_count == 0 ? 0 : heights[0];
    const Node& root = tree.nodes.data()[0];
    Aabb box = Aabb::empty();
    for (u32 slot = 0; slot < Node::width; ++slot) {
      if (!root.child(slot).is_nothing() && !is_empty(root.child_box(slot)))
        box = merge(box, root.child_box(slot));
    }
    *bounds = is_empty(box) ? box : cut_to_floats(box);
  }
};

template <class Executor, class Node>
void measure_wide_tree(const Executor& ex, const WideBvhView<Node>& tree, WideSums* sums, u32* depth,
                       Aabb* bounds) {
  const u64 n = tree.nodes.size();
  reduce(ex, "stats: wide areas", n, MeasureWideNode<Node>{tree}, WideSums{0, 0, 0, 0}, MergeWideSums{}, sums);

  ScratchArena::Frame frame(ex.scratch);
  u32* heights = frame.allocate<u32>(n);
  bottom_up(ex, "stats: wide heights", n, n, WideTree<Node>{tree.nodes.data(), tree.parents.data()},
            BeginAtLowest<Node>{tree, heights}, RaiseWideHeight<Node>{tree.nodes.data(), heights});
  for_each(ex, "stats: depth", 1, WriteDepthAndBounds<Node>{tree, heights, depth, bounds});
}

template <class Node>
struct CountWideLeafSizes {
  WideBvhView<Node> tree;
  u64* histogram;
  u64 histogram_size;
  COPSE_HD void operator()(u64 i) const {
    if (i >= tree.counts.data()->node_count) return;
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const u32 count = tree.nodes.data()[i].child(slot).count;
      if (count > 0 && count < histogram_size) fetch_add_relaxed(&histogram[count], u64{1});
    }
  }
};

template <class Executor, class Node>
void count_wide_leaf_sizes(const Executor& ex, const WideBvhView<Node>& tree, u64* histogram, u64 histogram_size) {
  for_each(ex, "stats: leaf sizes", tree.nodes.size(), CountWideLeafSizes<Node>{tree, histogram, histogram_size});
}

#define COPSE_STATS(Node)                                                                                 \
  template void measure_wide_tree(const BodyExecutor&, const WideBvhView<Node>&, WideSums*, u32*, Aabb*); \
  template void count_wide_leaf_sizes(const BodyExecutor&, const WideBvhView<Node>&, u64*, u64);
COPSE_STATS(Bvh4Node)
COPSE_STATS(CompressedBvh4Node)
COPSE_STATS(CompressedBvh8Node)
#undef COPSE_STATS

}  // namespace copse::detail

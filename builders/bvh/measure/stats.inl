// Measures of a tree, binary or wide, each node once.

#include "builders/bvh/measure/measured.h"
#include "builders/bvh/measure/root_bounds.h"
#include "builders/bvh/wide/wide_tree.h"
#include "primitives/bottom_up.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/reduce.h"

namespace copse::detail {

COPSE_HD inline TreeSums sums_of(const BvhView& bvh, const BvhNode& node) {
  const double area = half_area(node.box());
  if (node.is_leaf()) return {0, area * node.count, 0, 1, node.count};
  const BvhNode* children = bvh.nodes.data() + node.first;
  return {area, 0, half_area(intersection(children[0].box(), children[1].box())), 0, 0};
}

template <class Node>
COPSE_HD TreeSums sums_of(const WideBvhView<Node>&, const Node& node) {
  TreeSums sums{0, 0, 0, 0, 0};
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

template <class View>
struct MeasureNode {
  View tree;
  COPSE_HD TreeSums operator()(u64 i) const {
    if (i >= tree.counts.data()->node_count) return {0, 0, 0, 0, 0};
    return sums_of(tree, tree.nodes.data()[i]);
  }
};

struct MergeTreeSums {
  COPSE_HD TreeSums operator()(const TreeSums& a, const TreeSums& b) const {
    return {a.inner_area + b.inner_area, a.leaf_area + b.leaf_area, a.overlap + b.overlap,
            a.leaf_count + b.leaf_count, larger(a.largest_leaf, b.largest_leaf)};
  }
};

/// The height of a node is one more than that of its highest child. A leaf has height 0, be it a node or a slot.
COPSE_HD inline u32 height_of(const BvhNode& node, const u32* heights) {
  return node.is_leaf() ? 0 : 1 + larger(heights[node.first], heights[node.first + 1]);
}

template <class Node>
COPSE_HD u32 height_of(const Node& node, const u32* heights) {
  u32 height = 0;
  for (u32 slot = 0; slot < Node::width; ++slot) {
    const WideChild child = node.child(slot);
    if (child.is_inner()) height = larger(height, heights[child.first]);
  }
  return height + 1;
}

COPSE_HD inline bool has_inner_children(const BvhNode& node) {
  return !node.is_leaf();
}
template <class Node>
COPSE_HD bool has_inner_children(const Node& node) {
  return inner_child_count(node) > 0;
}

template <class View>
struct RaiseHeight {
  View tree;
  u32* heights;
  COPSE_HD void operator()(u32 node, u32) const { heights[node] = height_of(tree.nodes.data()[node], heights); }
};

template <class View>
struct BeginAtLowest {
  View tree;
  u32* heights;
  COPSE_HD bool operator()(u32 node) const {
    if (node >= tree.counts.data()->node_count || has_inner_children(tree.nodes.data()[node])) return false;
    heights[node] = height_of(tree.nodes.data()[node], heights);
    return true;
  }
};

template <class View>
struct WriteDepthAndBounds {
  View tree;
  const u32* heights;
  u32* depth;
  Aabb* bounds;
  COPSE_HD void operator()(u64) const {
    *depth = tree.counts.data()->node_count == 0 ? 0 : heights[0];
    *bounds = bounds_of(tree.nodes.data()[0]);
  }
};

COPSE_HD inline SiblingPairs tree_upwards(const BvhView& tree) {
  return {tree.parents.data()};
}
template <class Node>
COPSE_HD WideFamilies<Node> tree_upwards(const WideBvhView<Node>& tree) {
  return {tree.nodes.data(), tree.parents.data()};
}

template <class Executor, class View>
void measure_tree(const Executor& ex, const View& tree, TreeSums* sums, u32* depth, Aabb* bounds) {
  const u64 n = tree.nodes.size();
  reduce(ex, "stats: areas", n, MeasureNode<View>{tree}, TreeSums{0, 0, 0, 0, 0}, MergeTreeSums{}, sums);

  ScratchArena::Frame frame(ex.scratch);
  u32* heights = frame.allocate<u32>(n);
  bottom_up(ex, "stats: heights", n, tree.parents.size(), tree_upwards(tree), BeginAtLowest<View>{tree, heights},
            RaiseHeight<View>{tree, heights});
  for_each(ex, "stats: depth", 1, WriteDepthAndBounds<View>{tree, heights, depth, bounds});
}

template <class View>
struct CountLeafSizes {
  View tree;
  u64* histogram;
  u64 histogram_size;

  COPSE_HD void operator()(u64 i) const {
    if (i < tree.counts.data()->node_count) count_leaves(tree.nodes.data()[i]);
  }

 private:
  COPSE_HD void count_leaves(const BvhNode& node) const { count(node.count); }
  template <class Node>
  COPSE_HD void count_leaves(const Node& node) const {
    for (u32 slot = 0; slot < Node::width; ++slot) count(node.child(slot).count);
  }
  COPSE_HD void count(u32 leaf_size) const {
    if (leaf_size > 0 && leaf_size < histogram_size) fetch_add_relaxed(&histogram[leaf_size], u64{1});
  }
};

template <class Executor, class View>
void count_leaf_sizes(const Executor& ex, const View& tree, u64* histogram, u64 histogram_size) {
  for_each(ex, "stats: leaf sizes", tree.nodes.size(), CountLeafSizes<View>{tree, histogram, histogram_size});
}

#define COPSE_STATS(View)                                                               \
  template void measure_tree(const BodyExecutor&, const View&, TreeSums*, u32*, Aabb*); \
  template void count_leaf_sizes(const BodyExecutor&, const View&, u64*, u64);
COPSE_STATS(BvhView)
COPSE_STATS(Bvh4View)
COPSE_STATS(CompressedBvh4View)
COPSE_STATS(CompressedBvh8View)
#undef COPSE_STATS

}  // namespace copse::detail

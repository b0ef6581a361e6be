#include "builders/grid/voxel_tree.h"

#include <algorithm>
#include <string>
#include <vector>

#include "builders/grid/tree/tree_build.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The bodies: octree.inl and dag.inl, for either executor.
template <class Executor>
void order_tree_bricks(const Executor& ex, const BrickArrays& bricks, u32 level_count, const TreeOrder& order,
                       TreeCounts* counts);
template <class Executor>
void write_octree(const Executor& ex, const BrickArrays& bricks, const TreeOrder& order, u32 level_count,
                  const TreeCounts& counts, u64* other_keys, const TreeMemory& tree);
template <class Executor>
void count_tree_voxels(const Executor& ex, const VoxelTreeView& tree, const TreeCounts& levels, u64* counts);
template <class Executor>
u64 octree_scratch_bytes(const Executor& ex, u64 n, u32 level_count);

template <class Executor>
void order_subtrees(const Executor& ex, const Subtrees& trees, const SubtreeOrder& order, u64* before,
                    DagCounts* counts);
template <class Executor>
void write_subtrees(const Executor& ex, const Subtrees& trees, const SubtreeOrder& order, const u64* before,
                    u32 first_number, u64 first_link, u32* new_number, const TreeMemory& dag, u32* links);
template <class Executor>
void copy_dag_words(const Executor& ex, const u32* from, u32* to, u64 count);
template <class Executor>
u64 dag_scratch_bytes(const Executor& ex, u64 n);

}  // namespace detail

namespace {

/// Returns the level of the root over so many bricks along the longest axis.
u32 levels_over(const uvec3& bricks) {
  u32 levels = 1;
  while ((1u << (levels - 1)) < std::max(bricks.x, std::max(bricks.y, bricks.z))) ++levels;
  return levels;
}

void check_count(u64 count, const char* things) {
  constexpr u64 most = 0xffffffff;
  if (count <= most) return;
  throw Error(ErrorCode::capacity,
              "octree: " + std::to_string(count) + " " + things + "; at most " + std::to_string(most) + " fit");
}

detail::TreeCounts counts_of(const VoxelTree& tree) {
  detail::TreeCounts counts{};
  std::copy(tree.level_nodes.begin(), tree.level_nodes.end(), counts.nodes);
  return counts;
}

/// Returns the first elements of a buffer, in a buffer of their size.
template <class T>
Buffer<T> shrunk(Context& context, Buffer<T> from, u64 count) {
  if (count == from.size()) return from;
  Buffer<T> to(context, count);
  dispatch(context, [&](const auto& ex) {
    detail::copy_dag_words(ex, reinterpret_cast<const u32*>(from.data()), reinterpret_cast<u32*>(to.data()),
                           count * (sizeof(T) / sizeof(u32)));
  });
  return to;
}

/// Merges the levels of an octree one after the other, from the leaves up.
class DagBuilder {
 public:
  DagBuilder(Context& context, const VoxelTree& octree) : context_(context), octree_(octree) {
    const u64 most =
        std::max(octree.leaves.size(), *std::max_element(octree.level_nodes.begin(), octree.level_nodes.end()));
    hashes_ = Buffer<u64>(context, most), before_ = Buffer<u64>(context, most);
    ids_ = Buffer<u32>(context, most), run_begin_ = Buffer<u32>(context, most);
    equals_ = Buffer<u32>(context, most), rank_ = Buffer<u32>(context, most);
    new_leaf_ = Buffer<u32>(context, octree.leaves.size());
    new_node_ = Buffer<u32>(context, octree.nodes.size());
    counts_ = Buffer<detail::DagCounts>(context, 1);
    nodes_ = Buffer<VoxelNode>(context, octree.nodes.size());
    links_ = Buffer<u32>(context, octree.nodes.size() + octree.leaves.size());
    leaves_ = Buffer<u64>(context, octree.leaves.size());
    context.reserve_scratch(
        dispatch(context, [&](const auto& ex) { return detail::dag_scratch_bytes(ex, most); }));
  }

  VoxelTree build() {
    VoxelTree dag;
    dag.shape = octree_.shape;
    dag.level_count = octree_.level_count;
    dag.octree_node_count = octree_.nodes.size();
    dag.octree_leaf_count = octree_.leaves.size();
    const u64 leaf_count = merge({octree_.view(), 0, octree_.leaves.size(), nullptr}, 0, 0, new_leaf_).count;
    u64 first = 0, node_count = 0, link_count = 0;
    for (u32 level = 0; level < octree_.level_count; ++level) {
      const u64 n = octree_.level_nodes[level];
      const u32* const children = level == 0 ? new_leaf_.data() : new_node_.data();
      const detail::DagCounts merged =
          merge({octree_.view(), first, n, children}, u32(node_count), link_count, new_node_);
      dag.level_nodes[level] = merged.count;
      first += n, node_count += merged.count, link_count += merged.links;
    }
    dag.nodes = shrunk(context_, std::move(nodes_), node_count);
    dag.links = shrunk(context_, std::move(links_), link_count);
    dag.leaves = shrunk(context_, std::move(leaves_), leaf_count);
    return dag;
  }

 private:
  detail::DagCounts merge(const detail::Subtrees& trees, u32 first_number, u64 first_link,
                          Buffer<u32>& new_number) {
    if (trees.count == 0) return {0, 0};
    const detail::SubtreeOrder order{hashes_.data(), ids_.data(), run_begin_.data(), equals_.data(), rank_.data()};
    dispatch(context_,
             [&](const auto& ex) { detail::order_subtrees(ex, trees, order, before_.data(), counts_.data()); });
    const detail::DagCounts counts = counts_.download()[0];
    dispatch(context_, [&](const auto& ex) {
      detail::write_subtrees(ex, trees, order, before_.data(), first_number, first_link, new_number.data(),
                             {nodes_.data(), leaves_.data()}, links_.data());
    });
    return counts;
  }

  Context& context_;
  const VoxelTree& octree_;
  Buffer<u64> hashes_, before_, leaves_;
  Buffer<u32> ids_, run_begin_, equals_, rank_, new_leaf_, new_node_, links_;
  Buffer<detail::DagCounts> counts_;
  Buffer<VoxelNode> nodes_;
};

}  // namespace

VoxelTree build_octree(Context& context, const Bricks& bricks) {
  if (bricks.counts.empty()) detail::refuse("octree", "the bricks were never made");
  const u64 n = bricks.counts.download()[0].stored_count;
  VoxelTree tree;
  tree.shape = bricks.shape;
  tree.level_count = levels_over(bricks.brick_shape().resolution);
  if (n == 0) return tree;

  const detail::BrickArrays input{bricks.brick_shape(), bricks.keys.data(), bricks.words.data(), n};
  Buffer<u64> keys(context, n), other_keys(context, n), leaves_before(context, n);
  Buffer<u32> ids(context, n);
  Buffer<detail::TreeCounts> counts_buffer(context, std::vector<detail::TreeCounts>(1));
  const detail::TreeOrder order{keys.data(), ids.data(), leaves_before.data()};
  context.reserve_scratch(
      dispatch(context, [&](const auto& ex) { return detail::octree_scratch_bytes(ex, n, tree.level_count); }));
  ProfileScope scope(context.profile(), "octree");
  dispatch(context, [&](const auto& ex) {
    detail::order_tree_bricks(ex, input, tree.level_count, order, counts_buffer.data());
  });
  const detail::TreeCounts counts = counts_buffer.download()[0];
  u64 node_count = 0;
  for (u32 level = 0; level < tree.level_count; ++level) {
    tree.level_nodes[level] = counts.nodes[level];
    node_count += counts.nodes[level];
  }
  check_count(node_count, "nodes");
  check_count(counts.leaves, "leaves");
  tree.octree_node_count = node_count;
  tree.octree_leaf_count = counts.leaves;
  tree.nodes = Buffer<VoxelNode>(context, node_count);
  tree.leaves = Buffer<u64>(context, counts.leaves);
  dispatch(context, [&](const auto& ex) {
    detail::write_octree(ex, input, order, tree.level_count, counts, other_keys.data(),
                         {tree.nodes.data(), tree.leaves.data()});
  });
  return tree;
}

VoxelTree build_dag(Context& context, const VoxelTree& octree) {
  if (!octree.links.empty()) detail::refuse("dag", "the tree is a DAG; it can be an octree");
  ProfileScope scope(context.profile(), "dag");
  return DagBuilder(context, octree).build();
}

u64 count_voxels(Context& context, const VoxelTree& tree) {
  if (tree.nodes.empty()) return 0;
  Buffer<u64> counts(context, tree.nodes.size());
  dispatch(context,
           [&](const auto& ex) { detail::count_tree_voxels(ex, tree.view(), counts_of(tree), counts.data()); });
  u64 root = 0;
  context.device().download(&root, counts.data() + tree.nodes.size() - 1, sizeof root);
  return root;
}

}  // namespace copse

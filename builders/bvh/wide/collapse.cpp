#include "builders/bvh/collapse.h"

#include <cmath>
#include <type_traits>

#include "builders/bvh/splits.h"
#include "builders/bvh/wide/wide_slots.h"
#include "builders/bvh/wide/wide_tree.h"
#include "builders/geometry/primitive_set.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: collapse.inl, for either executor.

/// Collapses a tree that was built over `n` primitives.
template <class Executor, class Node>
void collapse_tree(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                   const WideArrays<Node>& wide);

template <class Node, class Executor>
u64 collapse_scratch_bytes(const Executor& ex, u64 n);

}  // namespace detail

namespace {

template <class Tree>
constexpr u32 max_leaf_primitives() {
  return std::is_same_v<Tree, CompressedBvh8> ? CompressedBvh8Node::max_leaf_primitives : 32;
}

void check_cost(const char* name, double cost) {
  if (cost >= 0 && cost <= 1e6) return;
  throw Error(ErrorCode::invalid_argument,
              std::string("costs.") + name + " is " + std::to_string(cost) + "; it can be 0 to 1000000");
}

template <class Tree>
void check_options(const CollapseOptions& options) {
  detail::check_option("max_leaf_size", options.max_leaf_size, 1, max_leaf_primitives<Tree>());
  check_cost("traversal", options.costs.traversal);
  check_cost("intersection", options.costs.intersection);
}

template <class Tree>
void check_leaves(const Bvh& bvh) {
  if (bvh.max_leaf_size <= max_leaf_primitives<Tree>()) return;
  detail::refuse("collapse", "leaves of the binary tree have up to " + std::to_string(bvh.max_leaf_size) +
                                 " primitives, but those of this layout at most " +
                                 std::to_string(max_leaf_primitives<Tree>()));
}

template <class Tree>
void check_wide_room(const Tree& wide, u64 primitive_count) {
  if (wide.nodes.size() >= wide_node_capacity(primitive_count) && wide.parents.size() >= wide.nodes.size() &&
      wide.primitive_ids.size() >= primitive_count && wide.counts.size() == 1) {
    return;
  }
  detail::refuse("collapse", detail::counted(primitive_count, "primitives") + " may need " +
                                 detail::counted(wide_node_capacity(primitive_count), "nodes") +
                                 ", but the wide tree has room for " +
                                 detail::counted(wide.primitive_ids.size(), "primitives") + " and " +
                                 detail::counted(wide.nodes.size(), "nodes"));
}

template <class Tree>
Tree make_wide_bvh(Context& context, u64 node_count, u64 primitive_count) {
  Tree tree;
  tree.nodes = Buffer<typename Tree::Node>(context, node_count);
  tree.parents = Buffer<u32>(context, node_count);
  tree.primitive_ids = Buffer<u32>(context, primitive_count);
  tree.counts = Buffer<WideBvhCounts>(context, 1);
  return tree;
}

}  // namespace

template <class Tree>
BuildSizes collapse_sizes(Context& context, u64 primitive_count, const CollapseOptions& options) {
  check_options<Tree>(options);
  detail::check_primitive_count(primitive_count);
  BuildSizes sizes;
  sizes.result_bytes = wide_bvh_bytes<Tree>(wide_node_capacity(primitive_count), primitive_count);
  sizes.scratch_bytes = dispatch(context, [&](const auto& ex) {
    return detail::collapse_scratch_bytes<typename Tree::Node>(ex, primitive_count);
  });
  return sizes;
}

template <class Tree>
void collapse(Context& context, Tree& wide, const Bvh& bvh, const CollapseOptions& options) {
  const u64 places = bvh.place_count();
  const BuildSizes sizes = collapse_sizes<Tree>(context, places, options);
  check_leaves<Tree>(bvh);
  check_wide_room(wide, places);
  context.reserve_scratch(sizes.scratch_bytes);
  ProfileScope scope(context.profile(), "collapse");
  const detail::CollapseCosts costs{float(options.costs.traversal), float(options.costs.intersection),
                                    options.max_leaf_size};
  dispatch(context,
           [&](const auto& ex) { detail::collapse_tree(ex, bvh.view(), places, costs, detail::arrays_of(wide)); });
  wide.source_count = bvh.source_count;
  wide.reference_count = bvh.reference_count;
  detail::make_room_for_repeats(context, wide);
  detail::link_repeats(context, wide);
}

template <class Tree>
Tree collapse(Context& context, const Bvh& bvh, const CollapseOptions& options) {
  check_options<Tree>(options);
  check_leaves<Tree>(bvh);
  Tree wide = make_wide_bvh<Tree>(context, wide_node_capacity(bvh.place_count()), bvh.place_count());
  collapse(context, wide, bvh, options);
  return wide;
}

#define COPSE_WIDE_TREE(Tree)                                                                \
  template COPSE_API BuildSizes collapse_sizes<Tree>(Context&, u64, const CollapseOptions&); \
  template COPSE_API void collapse(Context&, Tree&, const Bvh&, const CollapseOptions&);     \
  template COPSE_API Tree collapse<Tree>(Context&, const Bvh&, const CollapseOptions&);
COPSE_WIDE_TREE(Bvh4)
COPSE_WIDE_TREE(CompressedBvh4)
COPSE_WIDE_TREE(CompressedBvh8)
#undef COPSE_WIDE_TREE

}  // namespace copse

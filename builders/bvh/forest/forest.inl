// A forest: the primitives of all trees in one order (forest_order.h), H-PLOC or LBVH over all of them, which stops at
// the ends of trees (ForestLeaves), reinsertion in each (forest_reinsert.h), and one collapse (forest_collapse.h).
//
// In the order of the whole forest, tree t has slots begins[t] to begins[t + 1] - 1. So the slots of a tree are
// those of a build of this tree alone, plus its begin. The decisions of H-PLOC depend only on boxes, and on the
// sizes and places of ranges inside of a tree; those of LBVH depend only on deltas. So both make the same merges
// as alone, and the same nodes plus the begin.
//
// The cooperative stages, forest_cpu.h and forest.cuh:
//
//   order_small_trees(ex, build)
//     Brings the primitives of all trees in order, if all trees are small enough for it. Returns whether they are.
//   bound_trees(ex, build, bounds)
//     bounds[tree] = the box around the boxes of its primitives
//   cluster_forest(ex, build, clusters, arrivals)
//     Does what cluster_leaves does (hploc.inl), for all trees, with the radius of HplocOptions.
//   choose_in_forest(ex, build, costs, slot_costs, chosen)
//     Does what choose_upwards does (collapse.inl), for all trees.
//   choose_in_forest_scratch_bytes(ex, n)
//   write_forest_nodes(ex, write)
//     Writes all slots of all places of wide nodes that are there (WriteForestNode).
//   fit_forest_nodes(ex, fit, moved)
//     Calls `fit` for all nodes of the trees that have moved, children before their parents. Its scratch is that
//     of bottom_up.
//
// On CUDA alone, small_trees.cuh, where these stages would take longer:
//
//   trees_left(ex, shape, options)
//     Returns the part of a forest that build_small_trees leaves to the stages above: its first trees, all or none.
//   build_small_trees(ex, shape, options, primitives, max_leaf_size, out)
//     Builds all other trees without those stages.
//       primitives: StoredBoxes, or another type with its members
//   small_trees_scratch_bytes<Primitives>(ex, shape, options)

#include "builders/bvh/forest/forest_collapse.h"
#include "builders/bvh/forest/forest_join.h"
#include "builders/bvh/forest/forest_order.h"
#include "builders/bvh/forest/forest_refit.h"
#include "builders/bvh/forest/forest_reinsert.h"
#include "primitives/bottom_up.h"
#include "primitives/compact.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"

namespace copse::detail {

namespace {

/// Stores the tree of eight primitives in a row.
struct NumberForestTrees {
  static constexpr u32 at_once = 8;

  const u32* begins;
  u32 tree_count;
  u32 primitive_count;
  u32* tree_of;

  COPSE_HD void operator()(u64 i) const {
    const u32 first = u32(i) * at_once, end = smaller(first + at_once, primitive_count);
    // The last tree that begins at or before the primitive.
    u32 tree = 0;
    for (u32 count = tree_count; count > 1;) {
      const u32 half = count / 2;
      if (begins[tree + half] <= first) tree += half;
      count -= half;
    }
    for (u32 primitive = first; primitive < end; ++primitive) {
      while (begins[tree + 1] <= primitive) ++tree;
      tree_of[primitive] = tree;
    }
  }
};

}  // namespace

template <class Executor>
void number_trees(const Executor& ex, const u32* begins, u32 tree_count, u32 primitive_count, u32* tree_of) {
  const u64 count = divide_rounding_up(u64{primitive_count}, u64{NumberForestTrees::at_once});
  for_each(ex, "forest: trees of primitives", count,
           NumberForestTrees{begins, tree_count, primitive_count, tree_of});
}

template <class Executor>
void build_trees(const Executor& ex, const ForestShape& shape, const ForestOptions& options, const Aabb* boxes,
                 u32 max_leaf_size, const ForestArrays& out) {
  ForestShape rest = shape;
  if constexpr (body_backend == Backend::cuda) {
    build_small_trees(ex, shape, options, StoredBoxes{boxes}, max_leaf_size, out);
    rest = trees_left(ex, shape, options);
    if (rest.tree_count == 0) return;
  }
  const u64 n = rest.primitive_count, trees = rest.tree_count;
  ScratchArena::Frame frame(ex.scratch);
  const ForestBuild build{rest,
                          boxes,
                          frame.allocate<MortonGrid>(trees),
                          frame.allocate<u32>(trees),
                          {frame.allocate<BvhNode>(2 * n), frame.allocate<u32>(n), frame.allocate<u32>(n),
                           frame.allocate<BvhCounts>(1), nullptr, nullptr, nullptr},
                          frame.allocate<u8>(n)};
  if (!order_small_trees(ex, build)) {
    ScratchArena::Frame ordering(ex.scratch);
    auto* const bounds = ordering.allocate<Aabb>(trees);
    bound_trees(ex, build, bounds);
    for_each(ex, "forest: grids", trees, PrepareTree{build, bounds});
    order_forest(ex, build);
  }
  if (options.builder == ForestBuilder::lbvh) {
    join_forest(ex, build);
  } else {
    ScratchArena::Frame clustering(ex.scratch);
    auto* const clusters = clustering.allocate<Cluster>(n);
    u32* const arrivals = clustering.allocate<u32>(n);
    fill_bytes(ex, "forest: clear arrivals", arrivals, n, 0xff);
    cluster_forest(ex, build, clusters, arrivals);
  }
  if (options.reinsertion.passes > 0) reinsert_in_forest(ex, build, options.reinsertion);
  collapse_forest(ex, build, forest_costs(max_leaf_size), out);
}

template <class Executor>
u64 build_trees_scratch_bytes(const Executor& ex, const ForestShape& shape, const ForestOptions& options) {
  ForestShape rest = shape;
  u64 small = 0;
  if constexpr (body_backend == Backend::cuda) {
    small = small_trees_scratch_bytes<StoredBoxes>(ex, shape, options);
    rest = trees_left(ex, shape, options);
    if (rest.tree_count == 0) return small;
  }
  const u64 n = rest.primitive_count, trees = rest.tree_count;
  const u64 kept = ScratchArena::bytes_for<MortonGrid>(trees) + ScratchArena::bytes_for<u32>(trees) +
                   ScratchArena::bytes_for<BvhNode>(2 * n) + 2 * ScratchArena::bytes_for<u32>(n) +
                   ScratchArena::bytes_for<BvhCounts>(1) + ScratchArena::bytes_for<u8>(n);
  const u64 bounding = ScratchArena::bytes_for<Aabb>(trees);
  const u64 joining = options.builder == ForestBuilder::lbvh
                          ? u64(join_forest_scratch_bytes(ex, n))
                          : ScratchArena::bytes_for<Cluster>(n) + ScratchArena::bytes_for<u32>(n);
  const u64 reinserting = options.reinsertion.passes > 0 ? reinsert_in_forest_scratch_bytes(ex, rest) : 0;
  const u64 stages = larger(larger(bounding + order_forest_scratch_bytes(ex, rest), joining),
                            larger(reinserting, collapse_forest_scratch_bytes(ex, n)));
  return larger(small, kept + stages);
}

template <class Executor>
void refit_trees(const Executor& ex, const ForestShape& shape, const ForestArrays& trees, const Aabb* boxes,
                 const u32* moved) {
  fit_forest(ex, shape, trees, boxes, moved);
}

template <class Executor>
u64 refit_trees_scratch_bytes(const Executor& ex, u64 primitive_count) {
  return fit_forest_scratch_bytes(ex, primitive_count);
}

template void number_trees(const BodyExecutor&, const u32*, u32, u32, u32*);
template void build_trees(const BodyExecutor&, const ForestShape&, const ForestOptions&, const Aabb*, u32,
                          const ForestArrays&);
template u64 build_trees_scratch_bytes(const BodyExecutor&, const ForestShape&, const ForestOptions&);
template void refit_trees(const BodyExecutor&, const ForestShape&, const ForestArrays&, const Aabb*, const u32*);
template u64 refit_trees_scratch_bytes(const BodyExecutor&, u64);

}  // namespace copse::detail

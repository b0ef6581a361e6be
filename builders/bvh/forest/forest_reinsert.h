#pragma once

// Reinsertion in all trees of a forest at once: what reinsert.inl does for one tree. For bodies that include
// primitives/scan.h, compact.h and bottom_up.h.
//
// A search never leaves its tree, and moves conflict only inside of a tree. Of two moves with the same gain, that
// of the higher node wins, as in a single tree. So the same moves win as in each tree alone. Two values are kept
// for each tree: the area of its inner nodes, and whether its pass is undone. Areas are integers, so one prefix
// sum over the pairs of all trees gives the sum of each tree as a difference, even if it wraps.

#include "builders/bvh/forest/forest_order.h"
#include "builders/bvh/refit/fit_nodes.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/reinsert/inner_area.h"
#include "builders/bvh/reinsert/reinsert_moves.h"

namespace copse::detail {

/// The area of the parent of a pair, in the units of InnerArea of its tree alone.
struct ForestInnerArea {
  ForestBuild build;

  COPSE_HD u64 operator()(u64 i) const {
    const u32 node = build.binary.parents[i];
    if (node == invalid_id) return 0;  // a pair that no tree has
    const u32 tree = build.shape.tree_of[node / 2], root = 2 * build.shape.begins[tree];
    const AreaUnit unit = AreaUnit::of(2 * u64{build.shape.size(tree)} - 1);  // as many nodes as it has room for
    return unit(AreaScale::of(build.binary.nodes[root].box()), build.binary.nodes[node].box());
  }
};

/// Stores the area of each tree: before the first pass, or after the moves of a pass, which it judges.
struct StoreForestAreas {
  ForestBuild build;
  const u64* sums;  // [pair, and one more]: of the areas of all pairs before
  bool is_first;
  PassOutcome* outcomes;  // [tree]

  COPSE_HD void operator()(u64 tree) const {
    PassOutcome& outcome = outcomes[tree];
    const u64 area = sums[build.shape.begins[tree + 1]] - sums[build.shape.begins[tree]];
    if (is_first) {
      outcome = {area, area, 0};
    } else {
      outcome.area_moved = area;
      outcome.judge();
    }
  }
};

/// Marks the pairs whose nodes a pass tries to move: those of a large enough parent.
struct MarkLargeForestParents {
  ForestInnerArea area_of;
  const PassOutcome* outcomes;
  float min_parent_area;  // in mean areas of the inner nodes of the tree
  u8* marks;              // [pair]

  COPSE_HD void operator()(u64 pair) const {
    const ForestBuild& build = area_of.build;
    marks[pair] = 0;
    if (build.binary.parents[pair] == invalid_id) return;
    const u32 tree = build.shape.tree_of[pair + 1];
    marks[pair] = outcomes[tree].is_large(area_of(pair), build.valid_counts[tree] - 1, min_parent_area) ? 1 : 0;
  }
};

struct IsMarkedInForest {
  const u8* marks;
  COPSE_HD bool operator()(u64 pair) const { return marks[pair] != 0; }
};

/// Begins walks at the leaves of all trees, or of those whose pass is undone.
struct BeginAtForestLeaf {
  ForestBuild build;
  const PassOutcome* outcomes;  // null: all trees

  COPSE_HD bool operator()(u32 node) const {
    if (!build.binary.nodes[node].is_leaf()) return false;
    return outcomes == nullptr || outcomes[build.shape.tree_of[node / 2]].is_undone != 0;
  }
};

template <class Executor>
void fit_forest_pairs(const Executor& ex, const ForestBuild& build, const PassOutcome* outcomes) {
  const u64 n = build.shape.primitive_count;
  bottom_up(ex, "forest: boxes", 2 * n, n, ForestPairs{build}, BeginAtForestLeaf{build, outcomes},
            FitInnerNode{build.binary.nodes});
}

template <class Executor>
void sum_forest_areas(const Executor& ex, const StoreForestAreas& store, u64* sums) {
  const u64 n = store.build.shape.primitive_count;
  exclusive_scan(ex, "forest: areas", n, ForestInnerArea{store.build}, u64{0}, Plus{}, sums, sums + n);
  for_each(ex, "forest: areas of trees", store.build.shape.tree_count, store);
}

/// Reinserts the nodes of all trees.
template <class Executor>
void reinsert_in_forest(const Executor& ex, const ForestBuild& build, const ReinsertOptions& options) {
  const u64 n = build.shape.primitive_count;
  ScratchArena::Frame frame(ex.scratch);
  ReinsertionPass pass{build.binary,
                       frame.allocate<Reinsertion>(2 * n),
                       frame.allocate<u64>(2 * n),
                       {},
                       {build.shape.begins, build.shape.tree_of}};
  auto* const outcomes = frame.allocate<PassOutcome>(build.shape.tree_count);
  u64* const sums = frame.allocate<u64>(n + 1);
  u32* const pairs = frame.allocate<u32>(n);
  u64* const pair_count = frame.allocate<u64>(1);
  sum_forest_areas(ex, StoreForestAreas{build, sums, true, outcomes}, sums);
  for (u32 k = 0; k < options.passes; ++k) {
    if (options.min_parent_area > 0) {
      auto* const marks = reinterpret_cast<u8*>(pass.claims);  // which a pass clears before it uses them
      for_each(ex, "forest: mark", n,
               MarkLargeForestParents{ForestInnerArea{build}, outcomes, options.min_parent_area, marks});
      compact(ex, "forest: choose pairs", n, IsMarkedInForest{marks}, Index{}, pairs, pair_count);
      pass.moving = {pairs, pair_count};
    }
    make_moves(ex, 2 * n, pass);
    fit_forest_pairs(ex, build, nullptr);
    sum_forest_areas(ex, StoreForestAreas{build, sums, false, outcomes}, sums);
    for_each(ex, "forest: move back", 2 * n, MoveNodeBack{pass, outcomes});
    fit_forest_pairs(ex, build, outcomes);
  }
}

template <class Executor>
u64 reinsert_in_forest_scratch_bytes(const Executor& ex, const ForestShape& shape) {
  const u64 n = shape.primitive_count;
  const u64 steps = larger(larger(u64(scan_scratch_bytes<u64>(ex, n)), u64(compact_scratch_bytes<u32>(ex, n))),
                           bottom_up_scratch_bytes(ex, n));
  return ScratchArena::bytes_for<Reinsertion>(2 * n) + ScratchArena::bytes_for<u64>(2 * n) +
         ScratchArena::bytes_for<PassOutcome>(shape.tree_count) + ScratchArena::bytes_for<u64>(n + 1) +
         ScratchArena::bytes_for<u32>(n) + ScratchArena::bytes_for<u64>(1) + steps;
}

}  // namespace copse::detail

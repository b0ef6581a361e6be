#pragma once

// The stages of a forest on the CPU. Contract: builders/bvh/forest/forest.inl.

#include "builders/bvh/forest/forest_collapse.h"
#include "builders/bvh/forest/forest_refit.h"
#include "builders/bvh/hploc/hploc_cpu.h"
#include "primitives/bottom_up.h"
#include "primitives/loops/zeroed_words_cpu.h"

namespace copse::cpu {

namespace detail {

using copse::detail::AreaScale;
using copse::detail::ChosenPairs;
using copse::detail::forest_width;
using copse::detail::load_whole;
using copse::detail::PairChoice;
using copse::detail::PairLinks;
using copse::detail::SlotCosts;
using copse::detail::store_whole;

struct WriteWholeForestNode {
  copse::detail::WriteForestNode write;

  void operator()(u64 i) const {
    if (!write.has_node(i)) return;
    for (u32 slot = 0; slot < forest_width; ++slot) write.write_slot(i, slot, write.out.nodes[i]);
  }
};

struct BoundTree {
  copse::detail::ForestBuild build;
  Aabb* bounds;

  void operator()(u64 tree) const {
    Aabb box = Aabb::empty();
    for (u32 i = build.shape.begins[tree]; i < build.shape.begins[tree + 1]; ++i) box = merge(box, build.boxes[i]);
    bounds[tree] = box;
  }
};

struct IsForestLeaf {
  const BvhNode* nodes;
  bool operator()(u32 node) const { return nodes[node].is_leaf(); }
};

/// Chooses for an inner node, once its children have.
struct ChooseForestSlots {
  copse::detail::ForestBuild build;
  copse::detail::CollapseCosts costs;
  SlotCosts<forest_width>* slot_costs;  // [pair]: of the pair's parent
  ChosenPairs<forest_width> chosen_pairs;

  SlotCosts<forest_width> costs_of(const AreaScale& scale, const BvhNode& node) const {
    if (!node.is_leaf()) return load_whole(slot_costs + sibling_pair(node.first));
    return SlotCosts<forest_width>::of_leaf(costs.of_leaf(scale.area(node.box()), node.count), node.count);
  }
  void operator()(u32 node, u32 pair) const {
    const u32 root = 2 * build.shape.begins[build.shape.tree_of[pair + 1]];
    const BvhNode left = load_whole(build.binary.nodes + 2 * pair + 1);
    const BvhNode right = load_whole(build.binary.nodes + 2 * pair + 2);
    const AreaScale scale = AreaScale::of(load_whole(build.binary.nodes + root).box());
    const auto left_costs = costs_of(scale, left), right_costs = costs_of(scale, right);
    const auto chosen =
        choose_slots(costs, left_costs, right_costs, scale.area(merge(left.box(), right.box())), node == root);
    store_whole(chosen.costs, slot_costs + pair);
    chosen_pairs.choices[pair] = PairChoice<forest_width>::of(chosen.choice, left_costs, right_costs);
    chosen_pairs.links[pair] = PairLinks::of(left, right);
  }
};

}  // namespace detail

/// Contract: builders/bvh/forest/forest.inl. One sort of all trees is as fast here.
inline bool order_small_trees(const Executor&, const copse::detail::ForestBuild&) {
  return false;
}

/// Contract: builders/bvh/forest/forest.inl.
inline void bound_trees(const Executor& ex, const copse::detail::ForestBuild& build, Aabb* bounds) {
  for_each(ex, "forest: bounds", build.shape.tree_count, detail::BoundTree{build, bounds});
}

/// Contract: builders/bvh/forest/forest.inl.
inline void cluster_forest(const Executor& ex, const copse::detail::ForestBuild& build,
                           copse::detail::Cluster* clusters, u32* arrivals) {
  cluster_leaves(ex, copse::detail::ForestBoxes{build.boxes}, {}, copse::detail::ForestLeaves{}, build.deltas,
                 build.shape.primitive_count, HplocOptions{}.radius, clusters, arrivals, build.binary);
}

inline u64 choose_in_forest_scratch_bytes(const Executor& ex, u64 n) {
  return bottom_up_scratch_bytes(ex, n);
}

/// Contract: builders/bvh/forest/forest.inl. By walks up from all leaves.
inline void choose_in_forest(const Executor& ex, const copse::detail::ForestBuild& build,
                             const copse::detail::CollapseCosts& costs,
                             copse::detail::SlotCosts<copse::detail::forest_width>* slot_costs,
                             const copse::detail::ChosenPairs<copse::detail::forest_width>& chosen) {
  const u64 n = build.shape.primitive_count;
  bottom_up(ex, "forest: choose", 2 * n, n, copse::detail::ForestPairs{build},
            detail::IsForestLeaf{build.binary.nodes}, detail::ChooseForestSlots{build, costs, slot_costs, chosen});
}

/// Contract: builders/bvh/forest/forest.inl.
inline void write_forest_nodes(const Executor& ex, const copse::detail::WriteForestNode& write) {
  for_each(ex, "forest: write nodes", write.build.shape.primitive_count, detail::WriteWholeForestNode{write});
}

/// Contract: builders/bvh/forest/forest.inl. By walks up from the lowest nodes.
inline void fit_forest_nodes(const Executor& ex, const copse::detail::FitForestNode& fit, const u32* moved) {
  const u64 n = fit.shape.primitive_count;
  bottom_up(ex, "forest: refit", n, n, copse::detail::ForestFamilies{fit.shape, fit.trees},
            copse::detail::FitLowestForestNode{fit, moved, 0}, fit);
}

}  // namespace copse::cpu

#pragma once

// Choosing slots on the CPU, by the walk from all leaves. Contract: builders/bvh/widen.inl.

#include "builders/bvh/wide_slots.h"
#include "primitives/bottom_up.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/zeroed_words.h"

namespace copse::cpu {

namespace detail {

using copse::detail::AreaScale;
using copse::detail::ChosenSlots;
using copse::detail::CollapseCosts;
using copse::detail::SlotChoice;
using copse::detail::SlotCosts;

/// Chooses for an inner node, once its children have.
template <u32 width>
struct ChooseSlots {
  const BvhNode* nodes;
  CollapseCosts costs;
  SlotCosts<width>* slot_costs;  // [pair]: of the pair's parent
  SlotChoice* choices;           // [pair]

  SlotCosts<width> costs_of(const AreaScale& scale, const BvhNode& node) const {
    if (!node.is_leaf()) return slot_costs[sibling_pair(node.first)];
    return SlotCosts<width>::of_leaf(costs.of_leaf(scale.area(node.box()), node.count), node.count);
  }
  void operator()(u32 node, u32 pair) const {
    const AreaScale scale = AreaScale::of(nodes[0].box());
    const BvhNode &left = nodes[2 * pair + 1], &right = nodes[2 * pair + 2];
    const ChosenSlots<width> chosen = choose_slots(costs, costs_of(scale, left), costs_of(scale, right),
                                                   scale.area(merge(left.box(), right.box())), node == 0);
    slot_costs[pair] = chosen.costs;
    choices[pair] = chosen.choice;
  }
};

struct IsBinaryLeaf {
  const BvhNode* nodes;
  const BvhCounts* counts;
  bool operator()(u32 node) const { return node < counts->node_count && nodes[node].is_leaf(); }
};

}  // namespace detail

/// Contract: builders/bvh/widen.inl.
template <u32 width>
void choose_upwards(const Executor& ex, const BvhView& bvh, u64 n, const copse::detail::CollapseCosts& costs,
                    copse::detail::SlotCosts<width>* slot_costs, copse::detail::SlotChoice* choices) {
  bottom_up(ex, "widen: choose", node_capacity(n), pair_capacity(n), SiblingPairs{bvh.parents.data()},
            detail::IsBinaryLeaf{bvh.nodes.data(), bvh.counts.data()},
            detail::ChooseSlots<width>{bvh.nodes.data(), costs, slot_costs, choices});
}

inline u64 choose_upwards_scratch_bytes(const Executor& ex, u64 n) {
  return bottom_up_scratch_bytes(ex, pair_capacity(n));
}

}  // namespace copse::cpu

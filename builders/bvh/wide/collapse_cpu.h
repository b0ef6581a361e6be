#pragma once

// The collapse on the CPU: slots are chosen by walks up from all leaves, wide nodes are placed one pair at a time.
// Contract: builders/bvh/wide/collapse.inl.

#include "builders/bvh/wide/wide_record.h"
#include "builders/bvh/wide_bvh.h"
#include "primitives/bottom_up.h"
#include "primitives/cpu/for_each.h"
#include "primitives/cpu/scan.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words_cpu.h"

namespace copse::cpu {

namespace detail {

using copse::detail::AreaScale;
using copse::detail::ChosenPairs;
using copse::detail::ChosenSlots;
using copse::detail::CollapseCosts;
using copse::detail::CollapsedTree;
using copse::detail::kind_of;
using copse::detail::pair_below;
using copse::detail::PairArrays;
using copse::detail::PairChoice;
using copse::detail::PairLinks;
using copse::detail::place_of_parts;
using copse::detail::SlotCosts;
using copse::detail::SlotKinds;
using copse::detail::WideRecord;

/// Chooses for an inner node, once its children have.
template <u32 width>
struct ChooseSlots {
  const BvhNode* nodes;
  CollapseCosts costs;
  SlotCosts<width>* slot_costs;  // [pair]: of the pair's parent
  ChosenPairs<width> chosen_pairs;

  SlotCosts<width> costs_of(const AreaScale& scale, const BvhNode& node) const {
    if (!node.is_leaf()) return slot_costs[sibling_pair(node.first)];
    return SlotCosts<width>::of_leaf(costs.of_leaf(scale.area(node.box()), node.count), node.count);
  }
  void operator()(u32 node, u32 pair) const {
    const AreaScale scale = AreaScale::of(nodes[0].box());
    const BvhNode &left = nodes[2 * pair + 1], &right = nodes[2 * pair + 2];
    const SlotCosts<width> left_costs = costs_of(scale, left), right_costs = costs_of(scale, right);
    const ChosenSlots<width> chosen =
        choose_slots(costs, left_costs, right_costs, scale.area(merge(left.box(), right.box())), node == 0);
    slot_costs[pair] = chosen.costs;
    chosen_pairs.choices[pair] = PairChoice<width>::of(chosen.choice, left_costs, right_costs);
    chosen_pairs.links[pair] = PairLinks::of(left, right);
  }
};

struct IsBinaryLeaf {
  const BvhNode* nodes;
  const BvhCounts* counts;
  bool operator()(u32 node) const { return node < counts->node_count && nodes[node].is_leaf(); }
};

/// Records the parent of a pair if it becomes a wide node. parts[pair] = the room that its children take, else 0.
template <u32 width>
struct RecordWideNode {
  CollapsedTree<width> tree;
  const BvhCounts* counts;
  WideRecord<width>* records;
  u64* parts;

  void operator()(u64 i) const {
    parts[i] = 0;
    if (i >= counts->node_count / 2) return;
    const u32 pair = u32(i), node = tree.pairs.parent(pair);
    auto search = tree.begin_at(tree.pairs.choice(pair).choice(), node);
    while (!tree.is_settled(search)) tree.climb(search);
    if (!tree.is_wide(search)) return;

    WideRecord<width> record{};
    record.head.node = node;
    for (u32 slot = 0; slot < width; ++slot) {
      const auto child = tree.child_at(pair, slot);
      record.head.kinds.of[slot] = kind_of<width>(child, slot);
      record.children[slot] = child.node;
    }
    records[pair] = record;
    parts[pair] = record.head.kinds.parts();
  }
};

/// Stores the pair of each inner child of a wide node at the place of the child.
template <u32 width>
struct PlaceChildren {
  PairArrays<width> pairs;
  const WideRecord<width>* records;
  const u64* parts;
  const u64* first_parts;
  u32* pair_at;  // [place]

  void operator()(u64 pair) const {
    if (parts[pair] == 0) return;
    const WideRecord<width>& record = records[pair];
    if (record.head.node == 0) pair_at[0] = u32(pair);
    u32 place = place_of_parts(first_parts[pair]).node;
    for (u32 slot = 0; slot < width; ++slot) {
      if (record.head.kinds.of[slot] == SlotKinds<width>::inner) {
        pair_at[place++] = pair_below(pairs, record.children[slot]);
      }
    }
  }
};

template <class Write>
struct WriteWideNode {
  Write write;
  const WideRecord<Write::width>* records;
  const u64* first_parts;
  const u32* pair_at;
  const BvhCounts* counts;
  const u64* parts;

  void operator()(u64 place) const {
    if (counts->leaf_count < 2 || place >= place_of_parts(*parts).node) return;
    const u32 pair = pair_at[place];
    const WideRecord<Write::width>& record = records[pair];
    for (u32 slot = 0; slot < Write::width; ++slot) {
      const bool is_there = record.head.kinds.at(slot) != SlotKinds<Write::width>::nothing;
      const BvhNode& child = write.nodes[is_there ? record.child(slot) : 0];
      write(record, first_parts[pair], u32(place), slot, child, write.wide.nodes[place]);
    }
  }
};

/// Calls write_counts for one of `threads` that share the work.
template <class WriteCounts>
struct WriteCountsByThreads {
  WriteCounts write_counts;
  u64 threads;

  void operator()(u64 i) const { write_counts(i, threads); }
};

}  // namespace detail

/// Contract: builders/bvh/wide/collapse.inl.
template <u32 width>
void choose_upwards(const Executor& ex, const BvhView& bvh, u64 n, const copse::detail::CollapseCosts& costs,
                    copse::detail::SlotCosts<width>* slot_costs, const copse::detail::ChosenPairs<width>& chosen) {
  bottom_up(ex, "collapse: choose", node_capacity(n), pair_capacity(n), SiblingPairs{bvh.parents.data()},
            detail::IsBinaryLeaf{bvh.nodes.data(), bvh.counts.data()},
            detail::ChooseSlots<width>{bvh.nodes.data(), costs, slot_costs, chosen});
}

inline u64 choose_upwards_scratch_bytes(const Executor& ex, u64 n) {
  return bottom_up_scratch_bytes(ex, pair_capacity(n));
}

/// Contract: builders/bvh/wide/collapse.inl.
template <class Write, class WriteCounts>
void write_wide_nodes(const Executor& ex, const copse::detail::PairArrays<Write::width>& pairs,
                      const BvhCounts* counts, u64 n, const Write& write, const WriteCounts& write_counts,
                      u64* parts) {
  constexpr u32 width = Write::width;
  const u64 pair_count = pair_capacity(n);
  ScratchArena::Frame frame(ex.scratch);
  auto* records = frame.allocate<detail::WideRecord<width>>(pair_count);
  u64* parts_of = frame.allocate<u64>(pair_count);
  u64* first_parts = frame.allocate<u64>(pair_count);
  u32* pair_at = frame.allocate<u32>(pair_count);
  for_each(ex, "collapse: find wide nodes", pair_count,
           detail::RecordWideNode<width>{{pairs}, counts, records, parts_of});
  exclusive_scan(ex, "collapse: places", pair_count, Elements<u64>{parts_of}, u64{1}, Plus{}, first_parts, parts);
  for_each(ex, "collapse: place nodes", pair_count,
           detail::PlaceChildren<width>{pairs, records, parts_of, first_parts, pair_at});
  for_each(ex, "collapse: write nodes", wide_node_capacity(n),
           detail::WriteWideNode<Write>{write, records, first_parts, pair_at, counts, parts});
  constexpr u64 max_threads = u64{1} << 16;
  const u64 threads = larger(u64{1}, smaller(n, max_threads));
  for_each(ex, "collapse: counts", threads, detail::WriteCountsByThreads<WriteCounts>{write_counts, threads});
}

template <u32 width>
u64 write_wide_nodes_scratch_bytes(const Executor& ex, u64 n) {
  const u64 pair_count = pair_capacity(n);
  return ScratchArena::bytes_for<detail::WideRecord<width>>(pair_count) +
         2 * ScratchArena::bytes_for<u64>(pair_count) + ScratchArena::bytes_for<u32>(pair_count) +
         scan_scratch_bytes<u64>(ex, pair_count);
}

}  // namespace copse::cpu

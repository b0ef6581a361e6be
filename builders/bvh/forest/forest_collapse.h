#pragma once

// The collapse of the binary trees of a forest: what collapse.inl does for one tree. Slots are chosen from the
// leaves up. One scan over the pairs of all trees gives places, and each tree takes those from its own begin on.

#include "builders/bvh/collapse.h"
#include "builders/bvh/forest/forest_order.h"
#include "builders/bvh/wide/collapse_write.h"
#include "builders/bvh/wide/wide_record.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

inline constexpr u32 forest_width = CompressedBvh4Node::width;

/// The costs by which the trees of a forest collapse.
inline CollapseCosts forest_costs(u32 max_leaf_size) {
  const CollapseOptions collapse;
  return {float(collapse.costs.traversal), float(collapse.costs.intersection), max_leaf_size};
}

/// The record of each pair in the collapse of a forest.
struct ForestRecords {
  PairArrays<forest_width> pairs;
  WideRecord<forest_width>* records;
  u64* parts;        // the room of its children if the parent of the pair becomes a wide node, else 0
  u64* first_parts;  // [pair, and one more]: of all pairs before
};

/// Records the parent of a pair if it becomes a wide node.
struct RecordForestNode {
  ForestBuild build;
  ForestRecords out;

  COPSE_HD void operator()(u64 i) const {
    out.parts[i] = 0;
    const u32 pair = u32(i);
    if (pair + 1 >= build.shape.primitive_count) return;
    const u32 node = out.pairs.parent(pair);
    if (node == invalid_id) return;
    const CollapsedTree<forest_width> tree{out.pairs};
    auto search = tree.begin_at(out.pairs.choice(pair).choice(), node);
    while (!tree.is_settled(search) && !build.is_root(search.node)) tree.climb(search);
    if (!tree.is_wide(search)) return;

    WideRecord<forest_width> record{};
    record.head.node = node;
#pragma unroll
    for (u32 slot = 0; slot < forest_width; ++slot) {
      const auto child = tree.child_at(pair, slot);
      record.head.kinds.of[slot] = kind_of<forest_width>(child, slot);
      record.children[slot] = child.node;
    }
    store_whole(record, out.records + pair);
    out.parts[pair] = record.head.kinds.parts();
  }
};

/// Stores the pair of each inner child of a wide node at the place of the child.
struct PlaceForestChildren {
  ForestBuild build;
  ForestRecords in;
  u32* pair_at;  // [begin of the tree + place]

  COPSE_HD void operator()(u64 i) const {
    if (in.parts[i] == 0) return;
    const u32 pair = u32(i), begin = build.shape.begins[build.shape.tree_of[pair + 1]];
    const WideRecord<forest_width> record = load_whole(in.records + pair);
    if (record.head.node == 2 * begin) pair_at[begin] = pair;
    u32 place = begin + 1 + place_of_parts(in.first_parts[pair] - in.first_parts[begin]).node;
#pragma unroll
    for (u32 slot = 0; slot < forest_width; ++slot) {
      if (record.head.kinds.of[slot] == SlotKinds<forest_width>::inner) {
        pair_at[place++] = pair_below(in.pairs, record.children[slot]);
      }
    }
  }
};

/// Writes the wide nodes, and the ids of the primitives in their leaves.
struct WriteForestNode {
  ForestBuild build;
  ForestRecords in;
  const u32* pair_at;
  ForestArrays out;

  /// Returns the arrays of the tree that begins at a place.
  COPSE_HD WideArrays<CompressedBvh4Node> arrays_from(u32 begin, WideBvhCounts* counts) const {
    return {out.nodes + begin, out.parents + begin, out.primitive_ids + begin, counts};
  }
  /// Returns whether a wide node stands at place i of all trees.
  COPSE_HD bool has_node(u64 i) const {
    const u32 tree = build.shape.tree_of[i], begin = build.shape.begins[tree];
    const u64 parts = in.first_parts[build.shape.begins[tree + 1]] - in.first_parts[begin];
    return build.valid_counts[tree] >= 2 && u32(i) - begin <= place_of_parts(parts).node;
  }
  /// Writes a slot of the node at place i, which is there, to `made`.
  COPSE_HD void write_slot(u64 i, u32 slot, CompressedBvh4Node& made) const {
    const u32 begin = build.shape.begins[build.shape.tree_of[i]], pair = pair_at[i];
    const WideRecord<forest_width> record = load_whole(in.records + pair);
    const WriteSlot<CompressedBvh4Node> write{
        build.binary.nodes, {in.pairs, build.binary.primitive_ids}, arrays_from(begin, nullptr)};
    const bool is_there = record.head.kinds.at(slot) != SlotKinds<forest_width>::nothing;
    const BvhNode child = load_whole(build.binary.nodes + (is_there ? record.child(slot) : 2 * begin));
    write(record, 1 + in.first_parts[pair] - in.first_parts[begin], u32(i) - begin, slot, child, made);
  }
};

/// Writes the counts of each tree, and the roots of trees of one leaf or none. One tree past the last is the root
/// that all trees without primitives share.
struct WriteForestCounts {
  WriteForestNode nodes;

  COPSE_HD void operator()(u64 i) const {
    const ForestBuild& build = nodes.build;
    const bool is_shared = i == build.shape.tree_count;
    const u32 begin = build.shape.begins[i], end = is_shared ? begin : build.shape.begins[i + 1];
    if (!is_shared && begin == end) {
      nodes.out.counts[i] = {0, 0, 0};
      return;
    }
    const u32 valid = is_shared ? 0 : build.valid_counts[i];
    const BvhCounts counts{valid == 0 ? 0 : 2 * valid - 1, valid, valid, end - begin - valid};
    const u64 parts = 1 + nodes.in.first_parts[end] - nodes.in.first_parts[begin];
    WideBvhCounts written;
    const WriteCounts<CompressedBvh4Node> write{
        build.binary.nodes + (is_shared ? 0 : 2 * begin),
        build.binary.primitive_ids,
        &counts,
        &parts,
        0,
        nodes.arrays_from(is_shared ? build.shape.empty_root : begin, &written)};
    write(0, 1);
    if (!is_shared) nodes.out.counts[i] = written;
  }
};

/// Makes ids relative to the begin of their tree. The primitives in no leaf come after the others.
struct LocaliseForestIds {
  ForestBuild build;
  u32* ids;

  COPSE_HD void operator()(u64 i) const {
    const u32 tree = build.shape.tree_of[i], begin = build.shape.begins[tree];
    const bool is_valid = u32(i) - begin < build.valid_counts[tree];
    ids[i] = (is_valid ? ids[i] : build.binary.primitive_ids[i]) - begin;
  }
};

/// Collapses the binary trees of a forest.
template <class Executor>
void collapse_forest(const Executor& ex, const ForestBuild& build, const CollapseCosts& costs,
                     const ForestArrays& out) {
  const u64 n = build.shape.primitive_count;
  ScratchArena::Frame frame(ex.scratch);
  const ChosenPairs<forest_width> chosen{frame.allocate<PairChoice<forest_width>>(n),
                                         frame.allocate<PairLinks>(n)};
  {
    ScratchArena::Frame choosing(ex.scratch);
    auto* slot_costs = choosing.allocate<SlotCosts<forest_width>>(n);
    choose_in_forest(ex, build, costs, slot_costs, chosen);
  }
  const ForestRecords records{{chosen.choices, chosen.links, build.binary.parents},
                              frame.allocate<WideRecord<forest_width>>(n),
                              frame.allocate<u64>(n),
                              frame.allocate<u64>(n + 1)};
  u32* const pair_at = frame.allocate<u32>(n);
  for_each(ex, "forest: find wide nodes", n, RecordForestNode{build, records});
  exclusive_scan(ex, "forest: places", n, Elements<u64>{records.parts}, u64{0}, Plus{}, records.first_parts,
                 records.first_parts + n);
  for_each(ex, "forest: place nodes", n, PlaceForestChildren{build, records, pair_at});
  const WriteForestNode write{build, records, pair_at, out};
  write_forest_nodes(ex, write);
  for_each(ex, "forest: counts", build.shape.tree_count + 1, WriteForestCounts{write});
  for_each(ex, "forest: ids", n, LocaliseForestIds{build, out.primitive_ids});
}

template <class Executor>
u64 collapse_forest_scratch_bytes(const Executor& ex, u64 n) {
  const u64 chosen = ScratchArena::bytes_for<PairChoice<forest_width>>(n) + ScratchArena::bytes_for<PairLinks>(n);
  const u64 choosing = ScratchArena::bytes_for<SlotCosts<forest_width>>(n) + choose_in_forest_scratch_bytes(ex, n);
  const u64 writing = ScratchArena::bytes_for<WideRecord<forest_width>>(n) + ScratchArena::bytes_for<u64>(n) +
                      ScratchArena::bytes_for<u64>(n + 1) + ScratchArena::bytes_for<u32>(n) +
                      scan_scratch_bytes<u64>(ex, n);
  return chosen + larger(choosing, writing);
}

}  // namespace copse::detail

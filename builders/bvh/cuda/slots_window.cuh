#pragma once

// The inner nodes of a window of neighbouring pairs, for which a block chooses in shared memory, children before
// parents. A node goes by the pair of its children, counted from the window's first.

#include "builders/bvh/wide_links.h"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::AreaScale;
using copse::detail::choose_slots;
using copse::detail::ChosenPairs;
using copse::detail::ChosenSlots;
using copse::detail::CollapseCosts;
using copse::detail::load_whole;
using copse::detail::PairCounts;
using copse::detail::PairLinks;
using copse::detail::SlotCosts;

template <u32 width>
struct ChooseInput {
  BvhView bvh;
  CollapseCosts costs;
  SlotCosts<width>* slot_costs;
  ChosenPairs chosen;
  u32* arrivals;

  __device__ SlotCosts<width> leaf_costs(const AreaScale& scale, const BvhNode& leaf) const {
    return SlotCosts<width>::of_leaf(costs.of_leaf(scale.area(leaf.box()), leaf.count), leaf.count);
  }
};

inline constexpr u32 window_pairs = 512;
inline constexpr u32 window_threads = 128;
inline constexpr u32 window_blocks = 9;  // on a multiprocessor

template <u32 width>
class SlotsWindow {
 public:
  /// Loads the pairs [begin, begin + count), and lists those that only have leaves.
  __device__ void load(const ChooseInput<width>& in, const AreaScale& scale, u32 begin, u32 count) {
    if (threadIdx.x == 0) ready_count_ = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += window_threads) {
      const u32 pair = begin + i, parent = in.bvh.parents.data()[pair];
      const BvhNode left = load_whole(in.bvh.nodes.data() + 2 * pair + 1);
      const BvhNode right = load_whole(in.bvh.nodes.data() + 2 * pair + 2);
      in.chosen.links[pair] = PairLinks::of(left, right);
      const u32 above = sibling_pair(parent) - begin;
      parents_[i] = u16(parent == 0 ? root : above < count ? above : outside);
      areas_[i] = scale.area(merge(left.box(), right.box()));
      const u32 waits_for_left = load_child(in, scale, left, 0, i, begin, count);
      const u32 waits_for_right = load_child(in, scale, right, 1, i, begin, count);
      pending_[i] = waits_for_left + waits_for_right;
      if (pending_[i] == 0) make_ready(i);
    }
  }

  /// Chooses for all nodes whose subtrees lie in the window.
  __device__ void choose(const ChooseInput<width>& in, u32 begin) {
    for (u32 first = 0;;) {
      __syncthreads();
      const u32 end = ready_count_;
      __syncthreads();
      if (first == end) return;
      for (u32 k = first + threadIdx.x; k < end; k += window_threads) choose_one(in, begin, ready_[k]);
      first = end;
    }
  }

  /// The nodes that were chosen for, in any order.
  __device__ u32 chosen_count() const { return ready_count_; }
  __device__ u32 chosen(u32 k) const { return ready_[k]; }

  /// Whether a node that was chosen for has a parent that was not.
  __device__ bool has_open_parent(u32 i) const {
    return parents_[i] != root && (parents_[i] == outside || pending_[parents_[i]] > 0);
  }

  __device__ SlotCosts<width> costs(u32 i) const {
    SlotCosts<width> costs;
#pragma unroll
    for (u32 k = 0; k < width - 1; ++k) costs.of[k] = costs_[k][i];
    costs.primitive_count = counts_[i];
    costs.chain = chains_[i];
    return costs;
  }

 private:
  static constexpr u16 outside = 0xffff, root = 0xfffe;  // parents
  static constexpr u16 leaf = 0xffff;                    // a child
  static constexpr u32 forever = 0x10000;                // what a node waits for that another window has

  /// Returns what the node waits for there.
  __device__ u32 load_child(const ChooseInput<width>& in, const AreaScale& scale, const BvhNode& child, u32 side,
                            u32 i, u32 begin, u32 count) {
    if (child.is_leaf()) {
      children_[side][i] = leaf;
      costs_[side][i] = in.costs.of_leaf(scale.area(child.box()), child.count);
      leaf_counts_[side][i] = u8(smaller(child.count, SlotCosts<width>::many));
      return 0;
    }
    const u32 pair = sibling_pair(child.first) - begin;
    children_[side][i] = u16(pair);
    return pair < count ? 1 : forever;
  }

  __device__ SlotCosts<width> child_costs(u32 side, u32 i) const {
    const u32 child = children_[side][i];
    return child == leaf ? SlotCosts<width>::of_leaf(costs_[side][i], leaf_counts_[side][i]) : costs(child);
  }

  __device__ void choose_one(const ChooseInput<width>& in, u32 begin, u32 i) {
    const SlotCosts<width> left = child_costs(0, i), right = child_costs(1, i);
    const ChosenSlots<width> chosen = choose_slots(in.costs, left, right, areas_[i], parents_[i] == root);
    in.chosen.choices[begin + i] = chosen.choice;
    in.chosen.counts[begin + i] = PairCounts::of_children(left, right);
#pragma unroll
    for (u32 k = 0; k < width - 1; ++k) costs_[k][i] = chosen.costs.of[k];
    counts_[i] = u8(chosen.costs.primitive_count);
    chains_[i] = u8(chosen.costs.chain);
    const u32 parent = parents_[i];
    if (parent < root && atomicSub(&pending_[parent], 1u) == 1) make_ready(parent);
  }

  __device__ void make_ready(u32 i) {
    ready_[atomicAdd(&ready_count_, 1u)] = u16(i);
  }

  float costs_[width - 1][window_pairs];  // before: of the leaves among the two children, at their sides
  float areas_[window_pairs];
  u32 pending_[window_pairs];  // children that were not chosen for yet
  u16 children_[2][window_pairs];
  u16 parents_[window_pairs];
  u16 ready_[window_pairs];
  u8 leaf_counts_[2][window_pairs];
  u8 counts_[window_pairs];
  u8 chains_[window_pairs];
  u32 ready_count_;
};

}  // namespace detail

}  // namespace copse::cuda

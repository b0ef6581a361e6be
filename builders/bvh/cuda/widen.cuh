#pragma once

// Widening on CUDA. Contract: builders/bvh/widen.inl. Here: choosing slots; wide_records.cuh, wide_write.cuh: the
// rest.
//
// One launch. A block takes a window of neighbouring pairs and chooses in shared memory for all whose subtrees lie
// within it. Pairs stand by the splits of the leaves between them, so these are nearly all: 97 of 100 in trees of
// H-PLOC. What is left climbs on in global memory, a thread a subtree: of two siblings the one that arrives second
// goes on with the parent.

#include "builders/bvh/cuda/meet_sibling.cuh"
#include "builders/bvh/cuda/slots_window.cuh"
#include "builders/bvh/cuda/wide_records.cuh"
#include "builders/bvh/cuda/wide_write.cuh"
#include "primitives/cuda/zeroed_words.cuh"

namespace copse::cuda {

namespace detail {

template <u32 width>
__device__ void swap_costs(SlotCosts<width>& a, SlotCosts<width>& b) {
  const SlotCosts<width> before = a;
  a = b;
  b = before;
}

/// Chooses for the ancestors of a node that was chosen for, as long as the sibling was here before.
template <u32 width>
__device__ void climb_with_slots(const ChooseInput<width>& in, const AreaScale& scale, u32 pair,
                                 SlotCosts<width> costs) {
  const BvhNode* nodes = in.bvh.nodes.data();
  const u32* parents = in.bvh.parents.data();
  for (u32 node = parents[pair]; node != 0;) {
    // All that is known of the family before the sibling is waited for.
    const u32 above = sibling_pair(node), parent = parents[above];
    const BvhNode own = load_whole(nodes + node), other = load_whole(nodes + sibling(node));
    const float area = scale.area(merge(own.box(), other.box()));
    SlotCosts<width> left = costs, right = in.leaf_costs(scale, other);
    if (!other.is_leaf()) {
      if (!sibling_was_here(&in.arrivals[above])) {
        in.slot_costs[pair] = costs;
        if (leave_to_sibling(&in.arrivals[above])) return;
      }
      right = in.slot_costs[sibling_pair(other.first)];
    }
    if (node == 2 * above + 2) swap_costs(left, right);
    const ChosenSlots<width> chosen = choose_slots(in.costs, left, right, area, parent == 0);
    in.chosen.choices[above] = chosen.choice;
    in.chosen.counts[above] = PairCounts::of_children(left, right);
    costs = chosen.costs;
    pair = above;
    node = parent;
  }
}

template <u32 width>
__global__ void __launch_bounds__(window_threads, window_blocks) choose_slots_kernel(const ChooseInput<width> in) {
  __shared__ SlotsWindow<width> window;
  overlap_launches();
  const u32 pair_count = in.bvh.counts.data()->node_count / 2;
  const u32 begin = blockIdx.x * window_pairs;
  if (begin >= pair_count) return;
  const AreaScale scale = AreaScale::of(in.bvh.nodes.data()[0].box());

  window.load(in, scale, begin, smaller(window_pairs, pair_count - begin));
  window.choose(in, begin);
  for (u32 k = threadIdx.x; k < window.chosen_count(); k += window_threads) {
    const u32 i = window.chosen(k);
    if (window.has_open_parent(i)) climb_with_slots(in, scale, begin + i, window.costs(i));
  }
}

}  // namespace detail

inline u64 choose_upwards_scratch_bytes(const Executor& ex, u64 n) {
  return zeroed_words_scratch_bytes(ex, pair_capacity(n));
}

/// Contract: builders/bvh/widen.inl.
template <u32 width>
void choose_upwards(const Executor& ex, const BvhView& bvh, u64 n, const copse::detail::CollapseCosts& costs,
                    copse::detail::SlotCosts<width>* slot_costs, const copse::detail::ChosenPairs& chosen) {
  with_zeroed_words(ex, "widen: clear arrivals", pair_capacity(n), [&](u32* arrivals) {
    launch(ex, "widen: choose", detail::choose_slots_kernel<width>,
           {.blocks = divide_rounding_up(pair_capacity(n), detail::window_pairs),
            .threads = detail::window_threads,
            .overlaps_earlier_launch = true},
           detail::ChooseInput<width>{bvh, costs, slot_costs, chosen, arrivals});
  });
}

}  // namespace copse::cuda

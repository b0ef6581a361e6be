#pragma once

// The collapse on CUDA. Contract: builders/bvh/wide/collapse.inl. This file chooses slots; wide_records.cuh and
// wide_write.cuh do the rest.
//
// A block takes a window of neighbouring pairs and chooses in shared memory for every node whose subtree lies in
// the window (slots_window.cuh). The order of the pairs is that of the splits between leaves, so these are nearly
// all nodes: 97 of 100 in trees of H-PLOC. For the others, climbs in global memory choose, in a launch of their
// own: in the first launch they would hold the shared memory of the windows twice as long.

#include "builders/bvh/wide/slots_window.cuh"
#include "builders/bvh/wide/wide_records.cuh"
#include "builders/bvh/wide/wide_write.cuh"
#include "primitives/core/warp_atomic.h"
#include "primitives/cuda/block.cuh"

namespace copse::cuda {

namespace detail {

/// The scale of the areas of one tree.
struct OneScale {
  AreaScale scale;
  __device__ AreaScale operator()(u32) const { return scale; }
};

template <u32 width>
__device__ OneScale scales_of(const ChooseInput<width>& in) {
  return {AreaScale::of(load_whole(in.bvh.nodes.data()).box())};
}

template <class Input>
__global__ void __launch_bounds__(window_threads, window_blocks) choose_slots_kernel(const Input in) {
  __shared__ SlotsWindow<Input::width> window;
  overlap_launches();
  constexpr u32 pairs = window_pairs<Input::width>;
  const auto scale_of = scales_of(in);
  const u32 pair_count = in.bvh.counts.data()->node_count / 2;
  const u32 begin = blockIdx.x * pairs;
  if (begin >= pair_count) return;
  const u32 count = smaller(pairs, pair_count - begin);
  window.load(in, scale_of, begin, count);
  window.choose(in);
  window.store(in, begin, count);
}

// Climbs: each thread takes a subtree and climbs from node to node. Of two siblings, the second to arrive goes on
// with their parent.
//
// The costs of a sibling arrive as a message in 8-byte pieces. Until a piece is written, it holds a bit pattern
// that no cost has. So one load both tests for the message and reads it, and no fence is needed. Meanwhile the
// climber loads the nodes one level higher.

/// A node of a climb, and its sibling.
struct ClimbedNode {
  u32 node;    // a root has no sibling
  u32 parent;  // of it and its sibling
  BvhNode own, other;

  template <class Input>
  __device__ static ClimbedNode load(const Input& in, u32 node) {
    const BvhView& bvh = in.bvh;
    ClimbedNode climbed{};
    climbed.node = node;
    if (in.is_root(node)) return climbed;
    climbed.parent = bvh.parents.data()[sibling_pair(node)];
    climbed.own = load_whole(bvh.nodes.data() + node);
    climbed.other = load_whole(bvh.nodes.data() + sibling(node));
    return climbed;
  }
  __device__ u32 pair() const { return sibling_pair(node); }
  __device__ bool is_right() const { return node == 2 * pair() + 2; }
};

/// Marks that a child arrived at a node for which no choice is made yet. Returns whether it is the first child.
template <class Input>
__device__ bool comes_first(const Input& in, u32 pair) {
  const u32 bit = 1u << pair % 32;
  return (fetch_or_relaxed(in.deferred.arrivals + pair / 32, bit) & bit) == 0;
}

template <class Input>
__device__ SlotCosts<Input::width> wait_for_costs(const Input& in, u32 pair) {
  SlotCosts<Input::width> costs;
  for (SpinWait wait; !CostsMessage<Input::width>::receive(in.slot_costs + pair, costs);) wait();
  return costs;
}

/// Chooses for the ancestors of a node that a window left open, as long as it arrives second.
template <class Input>
__device__ void climb_with_slots(const Input& in, const AreaScale& scale, u32 pair) {
  constexpr u32 width = Input::width;
  SlotCosts<width> costs = load_whole(in.slot_costs + pair);
  ClimbedNode at = ClimbedNode::load(in, in.bvh.parents.data()[pair]);
  // The window has sent the message of this node, so the order of arrival decides, without a check for the message
  // of the sibling.
  const bool is_first = comes_first(in, at.pair());
  if (is_first && !at.other.is_leaf()) return;
  for (bool is_sent = true; !in.is_root(at.node); is_sent = false) {
    const ClimbedNode next = ClimbedNode::load(in, at.parent);
    SlotCosts<width> left = costs, right = in.leaf_costs(scale, at.other);
    if (!at.other.is_leaf()) {
      const u32 beside = sibling_pair(at.other.first);
      if (is_sent) {
        right = wait_for_costs(in, beside);
      } else if (!CostsMessage<width>::receive(in.slot_costs + beside, right)) {
        CostsMessage<width>::send(costs, in.slot_costs + pair);
        if (comes_first(in, at.pair())) return;
        right = wait_for_costs(in, beside);
      }
    }
    if (at.is_right()) swap_costs(left, right);
    const float area = scale.area(merge(at.own.box(), at.other.box()));
    const ChosenSlots<width> chosen = choose_slots(in.costs, left, right, area, in.is_root(at.parent));
    in.chosen.choices[at.pair()] = PairChoice<width>::of(chosen.choice, left, right);
    costs = chosen.costs;
    pair = at.pair();
    at = next;
  }
}

inline constexpr u32 climb_threads = 128;
inline constexpr u32 climb_pairs = climb_threads * 32;

/// A block takes the open nodes of neighbouring windows, a word of bits per thread, and deals them to its threads.
template <class Input>
__global__ void __launch_bounds__(climb_threads) climb_with_slots_kernel(const Input in) {
  __shared__ u16 listed[climb_pairs];
  __shared__ BlockStorage<u32, climb_threads> sums;
  overlap_launches();
  const auto scale_of = scales_of(in);
  const u32 pair_count = in.bvh.counts.data()->node_count / 2, begin = blockIdx.x * climb_pairs;
  const u32 first = begin + 32 * threadIdx.x;
  const u32 open = first < pair_count ? in.deferred.open[first / 32] : 0;

  const BlockScan<u32> scan = block_inclusive_scan<climb_threads>(u32(__popc(open)), Plus{}, sums);
  u32 place = scan.inclusive - u32(__popc(open));
  for (u32 rest = open; rest != 0; rest &= rest - 1) {
    listed[place++] = u16(32 * threadIdx.x + u32(__ffs(int(rest))) - 1);
  }
  __syncthreads();
  for (u32 k = threadIdx.x; k < scan.total; k += climb_threads) {
    const u32 pair = begin + listed[k];
    climb_with_slots(in, scale_of(pair), pair);
  }
}

/// Returns the words that hold one bit per pair, for whole windows.
inline u64 pair_bit_words(u64 n) {
  constexpr u32 largest = window_pairs<4>;
  static_assert(largest % window_pairs<8> == 0 && window_pairs<8> % warp_size == 0);
  return divide_rounding_up(pair_capacity(n), u64{largest}) * (largest / warp_size);
}

}  // namespace detail

inline u64 choose_upwards_scratch_bytes(const Executor&, u64 n) {
  return 2 * ScratchArena::bytes_for<u32>(detail::pair_bit_words(n));
}

/// Contract: builders/bvh/wide/collapse.inl.
template <u32 width>
void choose_upwards(const Executor& ex, const BvhView& bvh, u64 n, const copse::detail::CollapseCosts& costs,
                    copse::detail::SlotCosts<width>* slot_costs, const copse::detail::ChosenPairs<width>& chosen) {
  const u64 pair_count = pair_capacity(n), words = detail::pair_bit_words(n);
  ScratchArena::Frame frame(ex.scratch);
  const detail::DeferredPairs deferred{frame.allocate<u32>(words), frame.allocate<u32>(words)};
  const detail::ChooseInput<width> in{bvh, costs, slot_costs, chosen, deferred};
  using Input = detail::ChooseInput<width>;
  launch(ex, "collapse: choose", detail::choose_slots_kernel<Input>,
         {.blocks = divide_rounding_up(pair_count, u64{detail::window_pairs<width>}),
          .threads = detail::window_threads,
          .overlaps_earlier_launch = true},
         in);
  launch(ex, "collapse: choose above", detail::climb_with_slots_kernel<Input>,
         {.blocks = divide_rounding_up(pair_count, u64{detail::climb_pairs}),
          .threads = detail::climb_threads,
          .overlaps_earlier_launch = n < detail::large_tree},
         in);
}

}  // namespace copse::cuda

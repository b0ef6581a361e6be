#pragma once

// The collapse on CUDA. Contract: builders/bvh/wide/collapse.inl. Here: choosing slots; wide_records.cuh and
// wide_write.cuh do the rest.
//
// A block takes a window of neighbouring pairs and chooses in shared memory for all whose subtrees lie within it
// (slots_window.cuh). Pairs stand by the splits of the leaves between them, so these are nearly all: 97 of 100 in
// trees of H-PLOC. What is left climbs on in global memory, in a launch of its own (slots_climb.cuh): in that of
// the windows it would hold their shared memory as long again as they need it.

#include "builders/bvh/wide/slots_climb.cuh"
#include "builders/bvh/wide/slots_window.cuh"
#include "builders/bvh/wide/wide_records.cuh"
#include "builders/bvh/wide/wide_write.cuh"

namespace copse::cuda {

namespace detail {

template <u32 width>
__global__ void __launch_bounds__(window_threads, window_blocks) choose_slots_kernel(const ChooseInput<width> in) {
  __shared__ SlotsWindow<width> window;
  overlap_launches();
  constexpr u32 pairs = window_pairs<width>;
  const BvhNode root = load_whole(in.bvh.nodes.data());
  const u32 pair_count = in.bvh.counts.data()->node_count / 2;
  const u32 begin = blockIdx.x * pairs;
  if (begin >= pair_count) return;
  const u32 count = smaller(pairs, pair_count - begin);
  window.load(in, AreaScale::of(root.box()), begin, count);
  window.choose(in);
  window.store(in, begin, count);
}

/// Words of a bit a pair, for whole windows.
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
  launch(ex, "collapse: choose", detail::choose_slots_kernel<width>,
         {.blocks = divide_rounding_up(pair_count, u64{detail::window_pairs<width>}),
          .threads = detail::window_threads,
          .overlaps_earlier_launch = true},
         in);
  launch(ex, "collapse: choose above", detail::climb_with_slots_kernel<width>,
         {.blocks = divide_rounding_up(pair_count, u64{detail::climb_pairs}),
          .threads = detail::climb_threads,
          .overlaps_earlier_launch = n < detail::large_tree},
         in);
}

}  // namespace copse::cuda

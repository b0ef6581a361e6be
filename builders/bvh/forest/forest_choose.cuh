#pragma once

// Slots for the binary trees of a forest on CUDA, by the windows and climbs of one tree (wide/collapse.cuh). A
// window may have pairs of several trees, and the pairs between trees, which have no parent.

#include "builders/bvh/forest/forest_collapse.h"
#include "builders/bvh/wide/collapse.cuh"

namespace copse::cuda {

namespace detail {

/// The trees of a forest as input of the kernels.
struct ForestChooseInput : ChooseInput<copse::detail::forest_width> {
  copse::detail::ForestBuild build;

  __device__ bool is_root(u32 node) const { return build.is_root(node); }
  __device__ bool is_used(u32 parent) const { return parent != invalid_id; }
};

/// The scales of the areas of each tree.
struct ForestScales {
  copse::detail::ForestBuild build;

  __device__ AreaScale operator()(u32 pair) const {
    const u32 root = 2 * build.shape.begins[build.shape.tree_of[pair + 1]];
    return AreaScale::of(load_whole(build.binary.nodes + root).box());
  }
};

__device__ inline ForestScales scales_of(const ForestChooseInput& in) {
  return {in.build};
}

}  // namespace detail

inline u64 choose_in_forest_scratch_bytes(const Executor& ex, u64 n) {
  return choose_upwards_scratch_bytes(ex, n + 1);
}

/// Contract: builders/bvh/forest/forest.inl.
inline void choose_in_forest(const Executor& ex, const copse::detail::ForestBuild& build,
                             const copse::detail::CollapseCosts& costs,
                             copse::detail::SlotCosts<copse::detail::forest_width>* slot_costs,
                             const copse::detail::ChosenPairs<copse::detail::forest_width>& chosen) {
  using Input = detail::ForestChooseInput;
  constexpr u32 width = Input::width;
  const u64 n = build.shape.primitive_count, words = detail::pair_bit_words(n + 1);
  ScratchArena::Frame frame(ex.scratch);
  const detail::DeferredPairs deferred{frame.allocate<u32>(words), frame.allocate<u32>(words)};
  const BvhView view{{build.binary.nodes, 2 * n}, {build.binary.parents, n}, {}, {build.binary.counts, 1}};
  const Input in{{view, costs, slot_costs, chosen, deferred}, build};
  launch(ex, "forest: choose", detail::choose_slots_kernel<Input>,
         {.blocks = divide_rounding_up(n, u64{detail::window_pairs<width>}),
          .threads = detail::window_threads,
          .overlaps_earlier_launch = true},
         in);
  launch(ex, "forest: choose above", detail::climb_with_slots_kernel<Input>,
         {.blocks = divide_rounding_up(n, u64{detail::climb_pairs}),
          .threads = detail::climb_threads,
          .overlaps_earlier_launch = n < detail::large_tree},
         in);
}

}  // namespace copse::cuda

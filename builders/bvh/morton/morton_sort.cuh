#pragma once

// The sort along the curve on CUDA: by prefixes, and those with equal prefixes by whole keys. Contract:
// builders/bvh/morton/morton_order.h.
//
// Keys are made where the sort counts digits, so that it need not read them again for that. Of equal prefixes,
//
//   runs of at most 32   by counting, a thread a primitive (morton_tie_break.cuh)
//   of at most 256       by a warp, in its registers (morton_runs.cuh)
//   of at most 8704      by a block
//   longer               by a radix sort over all, in the same launch (morton_resort.cuh); such keys come from
//                        scenes with most primitives in a thousandth of their extent

#include <type_traits>

#include "builders/bvh/morton/morton_runs.cuh"
#include "builders/bvh/morton/morton_tie_break.cuh"
#include "builders/geometry/gathered_boxes.h"
#include "primitives/cuda/primitives.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::KeyWord;

template <class KeyOf>
void sort_key_words(const Executor& ex, u64 n, const KeyOf& key_of, const KeyWords& keys, u64* sorted_words) {
  radix_sort_keys_read_once(ex, "Morton order: sort", n, KeyWord<KeyOf>{key_of, keys}, keys.prefix, sorted_words,
                            keys.shape.sorted);
}

}  // namespace detail

template <class Boxes>
void sort_by_prefix(const Executor& ex, u64 n, const copse::detail::MortonKeyOf<Boxes>& key_of,
                    const copse::detail::KeyWords& keys, u64* sorted_words) {
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    using GatheredBoxes = copse::detail::GatheredBoxes<copse::detail::TripleLoad::singly>;
    if (GatheredBoxes::takes(key_of.boxes)) {
      const copse::detail::MortonKeyOf<GatheredBoxes> gathered{GatheredBoxes::of(key_of.boxes), key_of.bounds,
                                                               key_of.precomputed};
      return detail::sort_key_words(ex, n, gathered, keys, sorted_words);
    }
  }
  detail::sort_key_words(ex, n, key_of, keys, sorted_words);
}

inline void order_equal_prefixes(const Executor& ex, const copse::detail::KeyWords& keys,
                                 const copse::detail::SortedPrefixes& sorted,
                                 const copse::detail::MortonOrderOutput& order) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 blocks = detail::run_blocks(ex);
  const detail::RunList runs = detail::allocate_run_list(frame, keys.n, blocks);
  ZeroedMemory::Scope zeroed(ex.zeroed);
  auto* state = static_cast<detail::RunState*>(zeroed.data());
  detail::order_short_runs(ex, keys, sorted, runs, state, order);
  detail::order_long_runs(ex, blocks, keys, sorted, runs, state, order);
  zeroed.leaves_zero();
}

inline u64 order_equal_prefixes_scratch_bytes(const Executor& ex, u64 n) {
  return detail::run_list_scratch_bytes(n, detail::run_blocks(ex));
}

inline bool gains_by_precomputed_bounds(const Executor&) {
  return true;
}

}  // namespace copse::cuda

#pragma once

// The sort of primitives by whole Morton keys. For bodies: include the executor's primitives before.
//
// A key has up to 63 bits. As many of them as fit, the prefix, stand in a word beside the number of the primitive.
// A radix sort of these words takes half the passes and two thirds of the bytes of a sort by whole keys, and it
// brings most primitives to their final slots. If keys have more bits, primitives with equal prefixes, which are
// neighbours now, are put in order after. The cooperative stages, morton_sort_cpu.h and morton_sort.cuh:
//
//   sort_by_prefix(ex, n, key_of, keys, sorted_words)
//     Stores the words of all primitives in keys.prefix, and the same words sorted by prefix in sorted_words.
//     key_of makes the key of a primitive (MortonKeyOf). Its scratch is that of radix_sort_keys.
//   order_equal_prefixes(ex, keys, sorted, order)
//     Stores the order of the primitives by whole keys, equal keys in input order, and the deltas and the counts.
//     May change keys.prefix.
//   order_equal_prefixes_scratch_bytes(ex, n)
//   gains_by_precomputed_bounds(ex)
//     Returns whether later passes on the executor may gain from PrecomputedBounds.

#include <type_traits>

#include "builders/bvh/morton/morton_keys.h"
#include "builders/bvh/morton/morton_order.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/core/bits.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// Returns room for precomputed bounds; none if they cannot pay.
template <class Boxes, class Executor>
PrecomputedBounds choose_precomputed_bounds(const Executor& ex, ScratchArena::Frame& frame, u64 n) {
  if (!may_precompute_bounds<Boxes>(n) || !gains_by_precomputed_bounds(ex)) return {};
  return {frame.allocate<PrecomputedBox>(n), frame.allocate<u32>(1)};
}

/// Returns the bits of a key: `morton_bits`, or as many as sort fast if it is 0.
inline u32 key_bits_or_fast(u64 n, u32 morton_bits) {
  return morton_bits == 0 ? fast_key_bits(n) : morton_bits;
}

/// Stores the bounds of all primitives and, if there is room for precomputed bounds, whether they pay.
///   bounds: room for two, see KeyGrid
template <class Executor, class Boxes>
void bound_for_keys(const Executor& ex, const Boxes& boxes, u64 n, const PrecomputedBounds& precomputed,
                    Aabb* bounds) {
  bound_primitives(ex, boxes, n, bounds);
  if constexpr (std::is_same_v<Boxes, CustomBoxes>) {
    if (boxes.splits_off_outliers) {
      const MiddleOfSamples middle(boxes, n, bounds + 1);
      for_each(ex, "Morton order: outliers", middle.item_count(), middle);
    }
  }
  if (precomputed.boxes != nullptr) {
    reduce(ex, "Morton order: neighbours", PrecomputedBounds::sample_count, IsFarFromNext<Boxes>{boxes, bounds, n},
           u32{0}, Plus{}, precomputed.far_count);
  }
}

/// Sorts the keys of all primitives, at least one, and stores their order.
template <class Executor, class Boxes>
void sort_all_keys(const Executor& ex, const MortonKeyOf<Boxes>& key_of, u64 n, u32 morton_bits,
                   const MortonOrderOutput& order) {
  ScratchArena::Frame frame(ex.scratch);
  const KeyShape shape(n, key_bits_or_fast(n, morton_bits));
  const KeyWords keys{n, frame.allocate<u64>(n), shape.prefix_is_all() ? nullptr : frame.allocate<u32>(n), shape};
  u64* const sorted_words = frame.allocate<u64>(n);
  sort_by_prefix(ex, n, key_of, keys, sorted_words);

  const SortedPrefixes sorted{n, sorted_words, shape.prefix_mask};
  if (shape.prefix_is_all()) {
    const StorePrefixOrder take{sorted, order};
    for_each(ex, "Morton order: deltas", take.input_count(), take);
  } else {
    order_equal_prefixes(ex, keys, sorted, order);
  }
}

/// Does what order_primitives does (morton_order.h), from any order.
template <class Executor, class Boxes>
MortonOrder sort_by_morton_key(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                               u32 morton_bits, const BvhArrays& bvh) {
  const MortonOrderOutput order{bvh, bvh.deltas, u32(n)};
  if (n == 0) {
    for_each(ex, "Morton order: none", 1, StoreEmptyOrder{order});
    return {order.deltas, {}};
  }
  const PrecomputedBounds precomputed = choose_precomputed_bounds<Boxes>(ex, frame, n);
  ScratchArena::Frame sort_frame(ex.scratch);
  auto* bounds = sort_frame.allocate<Aabb>(2);
  bound_for_keys(ex, boxes, n, precomputed, bounds);
  sort_all_keys(ex, MortonKeyOf<Boxes>{boxes, bounds, precomputed}, n, morton_bits, order);
  return {order.deltas, precomputed};
}

template <class Executor>
MortonOrderScratch sort_by_morton_key_scratch(const Executor& ex, u64 n, bool of_triangles, u32 morton_bits) {
  const bool has_precomputed_bounds =
      of_triangles && may_precompute_bounds<TriangleBoxes>(n) && gains_by_precomputed_bounds(ex);
  const u64 kept_bytes =
      has_precomputed_bounds ? ScratchArena::bytes_for<PrecomputedBox>(n) + ScratchArena::bytes_for<u32>(1) : 0;
  if (n == 0) return {kept_bytes, 0};
  const KeyShape shape(n, key_bits_or_fast(n, morton_bits));
  const u64 sort_bytes = radix_sort_keys_scratch_bytes<u64>(ex, n, shape.sorted);
  const u64 words_bytes =
      2 * ScratchArena::bytes_for<u64>(n) + (shape.prefix_is_all() ? 0 : ScratchArena::bytes_for<u32>(n)) +
      larger(sort_bytes, shape.prefix_is_all() ? 0 : order_equal_prefixes_scratch_bytes(ex, n));
  return {kept_bytes, ScratchArena::bytes_for<Aabb>(2) +
                          larger(larger(bound_primitives_scratch_bytes(ex, n),
                                        u64(reduce_scratch_bytes<u32>(ex, PrecomputedBounds::sample_count))),
                                 words_bytes)};
}

}  // namespace copse::detail

#pragma once

// The primitives of a tree in Morton order, and the deltas of neighbours: LBVH and H-PLOC begin with them. For
// bodies: include the executor's primitives before.
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
//     Changes keys.prefix and sorted.
//   order_equal_prefixes_scratch_bytes(ex, n)
//   gains_by_precomputed_bounds(ex)
//     Returns whether later passes on the executor may gain from PrecomputedBounds.
//
// Source: Morton, "A Computer Oriented Geodetic Data Base and a New Technique in File Sequencing", IBM, 1966, for
// the curve; Lauterbach, Garland, Sengupta, Luebke, Manocha, "Fast BVH Construction on GPUs", Eurographics 2009,
// for trees from it.

#include "builders/bvh/morton/morton_keys.h"
#include "builders/geometry/box_sources.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// The primitives of a tree in Morton order, in the memory of the executor.
struct MortonOrder {
  const u8* deltas;  // [i]: leading bits that the keys in slots i and i + 1 share (common_prefix); at most 96
  PrecomputedBounds precomputed;
};

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

/// Stores the primitives in Morton order as the primitive_ids of the tree, equal keys in the order of their ids,
/// the invalid primitives last. Stores the counts of the tree as if each valid primitive were a leaf, and the
/// empty root if there is none. The result is valid until `frame` ends.
///   morton_bits: bits of a key, at most 63; 0 for as many as sort fast
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
  auto* bounds = sort_frame.allocate<Aabb>(1);
  bound_primitives(ex, boxes, n, bounds);
  if (precomputed.boxes != nullptr) {
    reduce(ex, "Morton order: neighbours", PrecomputedBounds::sample_count, IsFarFromNext<Boxes>{boxes, bounds, n},
           u32{0}, Plus{}, precomputed.far_count);
  }

  const KeyShape shape(n, key_bits_or_fast(n, morton_bits));
  const KeyWords keys{n, sort_frame.allocate<u64>(n),
                      shape.prefix_is_all() ? nullptr : sort_frame.allocate<u32>(n), shape};
  u64* const sorted_words = sort_frame.allocate<u64>(n);
  sort_by_prefix(ex, n, MortonKeyOf<Boxes>{boxes, bounds, precomputed}, keys, sorted_words);

  const SortedPrefixes sorted{n, sorted_words, shape.prefix_mask};
  if (shape.prefix_is_all()) {
    const StorePrefixOrder take{sorted, order};
    for_each(ex, "Morton order: deltas", take.input_count(), take);
  } else {
    order_equal_prefixes(ex, keys, sorted, order);
  }
  return {order.deltas, precomputed};
}

/// Scratch of a Morton order: `kept_bytes` for as long as its frame lives, and `bytes` more while it is made.
struct MortonOrderScratch {
  u64 kept_bytes;
  u64 bytes;
};

template <class Executor>
MortonOrderScratch morton_order_scratch(const Executor& ex, u64 n, bool of_triangles, u32 morton_bits) {
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
  return {kept_bytes, ScratchArena::bytes_for<Aabb>(1) +
                          larger(larger(bound_primitives_scratch_bytes(ex, n),
                                        u64(reduce_scratch_bytes<u32>(ex, PrecomputedBounds::sample_count))),
                                 words_bytes)};
}

}  // namespace copse::detail

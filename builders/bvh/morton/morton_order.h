#pragma once

// The primitives of a tree in the order of the Morton curve, and how close neighbours are there: what LBVH and
// H-PLOC begin with. For bodies: the executor's primitives must be included.
//
// A key has up to 63 bits. As many of them as fit stand in a word beside the primitive's number, and a radix sort
// of these words, in half the passes and two thirds of the bytes of one by whole keys, leaves most primitives
// where they belong. Where keys have more bits, those with equal fronts, which now stand side by side, are put in
// order after. The cooperative stages, morton_sort_cpu.h and morton_sort.cuh:
//
//   sort_by_fronts(ex, n, key_of, keys, sorted_words)
//     Stores the words of all primitives, of the keys key_of(number) (see CurveKey), and the same words by their
//     fronts. Its scratch is that of radix_sort_keys.
//   order_equal_fronts(ex, keys, sorted, order)
//     Stores the order of the primitives by whole keys, equal keys by their number, the deltas and the counts.
//     Changes keys.front and sorted.
//   order_equal_fronts_scratch_bytes(ex, n)
//   gains_by_boxes_ahead(ex)
//     Whether the executor's later passes may gain by precomputed_bounds.h.
//
// Source: Morton, "A Computer Oriented Geodetic Data Base and a New Technique in File Sequencing", IBM, 1966, for
// the curve; Lauterbach, Garland, Sengupta, Luebke, Manocha, "Fast BVH Construction on GPUs", Eurographics 2009,
// for trees from it.

#include "builders/bvh/morton/morton_keys.h"
#include "builders/bvh/morton/precomputed_bounds.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// What is known of primitives in Morton order, in the executor's memory.
struct MortonOrder {
  const u8* deltas;  // [i]: how close the primitives in slots i and i + 1 are, the larger the closer; at most 96
  BoxesAhead boxes_ahead;
};

/// Room for boxes ahead, and whether they are made; none where that cannot pay.
template <class Boxes, class Executor>
BoxesAhead choose_boxes_ahead(const Executor& ex, ScratchArena::Frame& frame, u64 n) {
  if (!may_make_boxes_ahead<Boxes>(n) || !gains_by_boxes_ahead(ex)) return {};
  return {frame.allocate<BoxAhead>(n), frame.allocate<u32>(1)};
}

/// The bits of a key, where none are asked for as many as sort fast.
inline u32 key_bits_or_fast(u64 n, u32 morton_bits) {
  return morton_bits == 0 ? fast_key_bits(n) : morton_bits;
}

/// Stores the primitives along the Morton curve, the invalid ones behind all others, as the tree's primitive_ids;
/// equal keys in the order of their ids. And the tree's counts, as if each valid primitive were a leaf, with the
/// empty root where there is none. What it returns is good until `frame` ends.
///   morton_bits: of a key, at most 63; 0 for as many as sort fast
template <class Executor, class Boxes>
MortonOrder sort_along_curve(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                             u32 morton_bits, const BvhArrays& bvh) {
  const CurveOrder order{bvh, bvh.deltas, u32(n)};
  if (n == 0) {
    for_each(ex, "Morton order: none", 1, StoreNoOrder{order});
    return {order.deltas, {}};
  }
  const BoxesAhead ahead = choose_boxes_ahead<Boxes>(ex, frame, n);

  ScratchArena::Frame sort_frame(ex.scratch);
  auto* bounds = sort_frame.allocate<Aabb>(1);
  bound_primitives(ex, boxes, n, bounds);
  if (ahead.boxes != nullptr) {
    reduce(ex, "Morton order: neighbours", BoxesAhead::sample_count, IsFarFromNext<Boxes>{boxes, bounds, n},
           u32{0}, Plus{}, ahead.far_count);
  }

  const KeyShape shape(n, key_bits_or_fast(n, morton_bits));
  const KeyWords keys{n, sort_frame.allocate<u64>(n), shape.front_is_all() ? nullptr : sort_frame.allocate<u32>(n),
                      shape};
  u64* const sorted_words = sort_frame.allocate<u64>(n);
  sort_by_fronts(ex, n, CurveKey<Boxes>{boxes, bounds, ahead}, keys, sorted_words);

  const SortedFronts sorted{n, sorted_words, shape.front_mask};
  if (shape.front_is_all()) {
    const TakeFrontOrder take{sorted, order};
    for_each(ex, "Morton order: deltas", take.input_count(), take);
  } else {
    order_equal_fronts(ex, keys, sorted, order);
  }
  return {order.deltas, ahead};
}

/// Scratch of a Morton order of triangles or boxes: `kept_bytes` for as long as its frame lives, `bytes` more
/// while it is made.
struct MortonOrderScratch {
  u64 kept_bytes;
  u64 bytes;
};

template <class Executor>
MortonOrderScratch morton_order_scratch(const Executor& ex, u64 n, bool of_triangles, u32 morton_bits) {
  const bool has_boxes_ahead = of_triangles && may_make_boxes_ahead<TriangleBoxes>(n) && gains_by_boxes_ahead(ex);
  const u64 kept_bytes =
      has_boxes_ahead ? ScratchArena::bytes_for<BoxAhead>(n) + ScratchArena::bytes_for<u32>(1) : 0;
  if (n == 0) return {kept_bytes, 0};
  const KeyShape shape(n, key_bits_or_fast(n, morton_bits));
  const u64 sort_bytes = radix_sort_keys_scratch_bytes<u64>(ex, n, shape.sorted);
  const u64 words_bytes = 2 * ScratchArena::bytes_for<u64>(n) +
                          (shape.front_is_all() ? 0 : ScratchArena::bytes_for<u32>(n)) +
                          larger(sort_bytes, shape.front_is_all() ? 0 : order_equal_fronts_scratch_bytes(ex, n));
  return {kept_bytes, ScratchArena::bytes_for<Aabb>(1) +
                          larger(larger(bound_primitives_scratch_bytes(ex, n),
                                        u64(reduce_scratch_bytes<u32>(ex, BoxesAhead::sample_count))),
                                 words_bytes)};
}

}  // namespace copse::detail

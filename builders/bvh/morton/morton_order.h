#pragma once

// The primitives of a tree in Morton order, and the deltas of neighbours: LBVH and H-PLOC begin with them.
// Then the leaves in that order, and the ranges of leaves that nodes of an LBVH cover. For bodies: include the
// executor's primitives before.
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

#include <type_traits>

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/morton/morton_keys.h"
#include "builders/geometry/box_sources.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/core/bits.h"
#include "primitives/core/executor.h"
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

/// Stores the bounds of all primitives and, if there is room for precomputed bounds, whether they pay.
template <class Executor, class Boxes>
void bound_for_keys(const Executor& ex, const Boxes& boxes, u64 n, const PrecomputedBounds& precomputed,
                    Aabb* bounds) {
  bound_primitives(ex, boxes, n, bounds);
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
  bound_for_keys(ex, boxes, n, precomputed, bounds);
  sort_all_keys(ex, MortonKeyOf<Boxes>{boxes, bounds, precomputed}, n, morton_bits, order);
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

// Leaves. A subtree of the LBVH of at most max_leaf_size primitives becomes one leaf if its parent has more. Its
// range is found from the deltas around it, before any node is built.

/// Leaves of one primitive each.
struct SingleLeaves {
  static constexpr bool are_primitives = true;
  COPSE_HD u32 first(u32 leaf) const { return leaf; }
};

/// Leaf i holds slots firsts[i] to firsts[i + 1] - 1.
struct GroupedLeaves {
  static constexpr bool are_primitives = false;
  const u32* firsts;
  u32 max_size;
  COPSE_HD u32 first(u32 leaf) const { return firsts[leaf]; }
};

/// The same for many trees side by side (builders/bvh/forest.h). The delta behind the last leaf of a tree, and
/// behind a slot without a leaf, is `behind_tree`.
struct ForestLeaves {
  static constexpr bool are_primitives = true;
  static constexpr u8 behind_tree = 255;
  COPSE_HD u32 first(u32 leaf) const { return leaf; }
};

/// Returns leaf number `leaf` as a node.
template <class Boxes, class Leaves>
COPSE_HD BvhNode make_leaf(const Boxes& boxes, const Leaves& leaves, const u32* primitive_ids, u32 leaf) {
  const u32 first = leaves.first(leaf), count = leaves.first(leaf + 1) - first;
  return BvhNode::leaf(box_of_slots(boxes, primitive_ids, first, count), first, count);
}

/// Leaves `first` to `last`, both included.
struct LeafRange {
  u32 first;
  u32 last;

  COPSE_HD u32 size() const { return last - first + 1; }
};

/// The deltas at the ends of ranges of leaves, from which the whole hierarchy follows. The parent of a range
/// splits at the end with the higher delta (Apetrei, "Fast and Simple Agglomerative LBVH Construction", CGVC
/// 2014).
///
/// These deltas are one more than the stored ones, so that 0 can stand for "no leaf is there", where Karras has
/// -1. No two deltas at the ends of a range are equal, but for the range of all leaves, which has 0 at both.
template <class Leaves>
struct LeafHierarchy {
  static constexpr bool are_many = std::is_same_v<Leaves, ForestLeaves>;

  Leaves leaves;
  const u8* deltas;  // between slots, see MortonOrder
  u32 leaf_count;

  /// The delta between a leaf and the leaf before it, and between a leaf and the leaf after it. Behind the last
  /// leaf of a tree in a forest, the sum wraps to 0.
  COPSE_HD u32 delta_left(u32 leaf) const {
    if (leaf == 0) return 0;
    const u32 delta = 1 + deltas[leaves.first(leaf) - 1];
    if constexpr (are_many) return u8(delta);
    return delta;
  }
  COPSE_HD u32 delta_right(u32 leaf) const { return leaf + 1 == leaf_count ? 0 : delta_left(leaf + 1); }

  /// Whether the range has all leaves of its tree.
  COPSE_HD bool is_whole(const LeafRange& range) const {
    if constexpr (are_many) return delta_left(range.first) == 0 && delta_right(range.last) == 0;
    return range.size() == leaf_count;
  }
};

/// Where the node over a range of leaves stands in an LBVH: the children of split s, which lies behind leaf s,
/// stand at 2s + 1 and 2s + 2.
///   delta_left, delta_right: at the ends of the range, see LeafHierarchy
struct SubtreePlace {
  u32 node;

  COPSE_HD SubtreePlace(const LeafRange& range, u32 delta_left, u32 delta_right)
      : node(delta_left > delta_right   ? 2 * range.first
             : delta_left < delta_right ? 2 * range.last + 1
                                        : 0) {}

  /// Not for the root.
  COPSE_HD bool is_right_child() const { return (node & 1) == 0; }
};

/// Whether a leaf begins in slot i: whether the node that splits right before the slot has more than max_leaf_size
/// primitives. That node reaches to both sides over all splits with higher deltas than its own.
struct StartsLeaf {
  const u8* deltas;
  const u32* slot_count;
  u32 max_leaf_size;

  COPSE_HD bool operator()(u64 i) const {
    const u32 count = *slot_count;
    if (i >= count) return false;
    if (i == 0) return true;
    const u8 own = deltas[i - 1];
    u32 left = u32(i) - 1, right = u32(i);
    while (right - left < max_leaf_size && left > 0 && deltas[left - 1] > own) --left;
    while (right - left < max_leaf_size && right + 1 < count && deltas[right] > own) ++right;
    return right - left >= max_leaf_size;
  }
};

/// Stores the slot where leaf k begins.
struct WriteLeafStart {
  u32* firsts;
  COPSE_HD void operator()(u64 k, u64 i) const { firsts[k] = u32(i); }
};

/// Stores the end of the last leaf, and the counts of a tree whose leaves hold several primitives.
struct StoreLeafCount {
  const u64* leaf_count;
  u32* firsts;
  u32 source_count;
  BvhArrays bvh;

  COPSE_HD void operator()(u64) const {
    const u32 primitive_count = bvh.counts->primitive_count;
    firsts[*leaf_count] = primitive_count;
    store_counts(bvh, u32(*leaf_count), primitive_count, source_count);
  }
};

/// Finds the leaves of a tree whose primitives are in Morton order, stores its counts, and calls build(leaves)
/// with SingleLeaves or GroupedLeaves.
template <class Executor, class Build>
void with_leaves(const Executor& ex, const MortonOrder& order, u64 n, u32 max_leaf_size, const BvhArrays& bvh,
                 const Build& build) {
  if (max_leaf_size == 1) return build(SingleLeaves{});
  ScratchArena::Frame frame(ex.scratch);
  u32* firsts = frame.allocate<u32>(n + 1);
  u64* leaf_count = frame.allocate<u64>(1);
  compact_each(ex, "leaves: begin", n, StartsLeaf{order.deltas, &bvh.counts->primitive_count, max_leaf_size},
               WriteLeafStart{firsts}, leaf_count);
  for_each(ex, "leaves: counts", 1, StoreLeafCount{leaf_count, firsts, u32(n), bvh});
  build(GroupedLeaves{firsts, max_leaf_size});
}

template <class Executor>
u64 leaf_groups_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u32>(n + 1) + ScratchArena::bytes_for<u64>(1) + compact_scratch_bytes<u32>(ex, n);
}

}  // namespace copse::detail

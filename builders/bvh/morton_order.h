#pragma once

// The primitives of a tree in the order of the Morton curve, and how close neighbours are there: what LBVH and
// H-PLOC begin with. For bodies: the executor's primitives must be included.
//
// Source: Morton, "A Computer Oriented Geodetic Data Base and a New Technique in File Sequencing", IBM, 1966, for
// the curve; Lauterbach, Garland, Sengupta, Luebke, Manocha, "Fast BVH Construction on GPUs", Eurographics 2009,
// for trees from it.

#include "builders/geometry/aabb.h"
#include "builders/geometry/morton.h"
#include "primitives/core/executor.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

/// The box around the centroids of valid primitives, and how many they are.
struct CentroidBounds {
  Aabb box;
  u32 valid_count;
};

template <class Boxes>
struct CentroidOf {
  Boxes boxes;
  COPSE_HD CentroidBounds operator()(u64 i) const {
    const Aabb box = boxes(u32(i));
    if (is_empty(box)) return {box, 0};
    const vec3 c = clean_point(centroid(box));
    return {{c, c}, 1};
  }
};

struct MergeCentroidBounds {
  COPSE_HD CentroidBounds operator()(const CentroidBounds& a, const CentroidBounds& b) const {
    return {merge(a.box, b.box), a.valid_count + b.valid_count};
  }
};

template <class Key, class Boxes>
struct MortonKeys {
  Boxes boxes;
  const CentroidBounds* bounds;
  Key* keys;
  COPSE_HD void operator()(u64 i) const {
    const Aabb box = boxes(u32(i));
    keys[i] = is_empty(box) ? MortonKey<Key>::invalid : morton_key<Key>(clean_point(centroid(box)), bounds->box);
  }
};

/// gaps[i] = how close the primitives in slots i and i + 1 are.
template <class Key>
struct GapPrefixes {
  const Key* keys;
  const CentroidBounds* bounds;
  u8* gaps;
  COPSE_HD void operator()(u64 i) const {
    if (i + 1 < bounds->valid_count) gaps[i] = u8(common_prefix(keys[i], keys[i + 1], u32(i)));
  }
};

/// What is known of primitives in Morton order, in the executor's memory.
struct MortonOrder {
  const CentroidBounds* bounds;
  const u8* gaps;  // [i]: how close the primitives in slots i and i + 1 are, the larger the closer; at most 96

  COPSE_HD const u32* valid_count() const { return &bounds->valid_count; }
};

template <class Key>
inline constexpr BitRange sorted_bits{0, MortonKey<Key>::bits + 1};

/// primitive_ids[slot] = the primitives along the Morton curve, the invalid ones behind all others; equal keys in
/// the order of their ids. What it returns is good until `frame` ends.
template <class Key, class Executor, class Boxes>
MortonOrder sort_along_curve(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                             u32* primitive_ids) {
  auto* bounds = frame.allocate<CentroidBounds>(1);
  u8* gaps = frame.allocate<u8>(n);
  reduce(ex, "Morton order: centroid bounds", n, CentroidOf<Boxes>{boxes}, CentroidBounds{Aabb::empty(), 0},
         MergeCentroidBounds{}, bounds);

  ScratchArena::Frame sort_frame(ex.scratch);
  Key* keys = sort_frame.allocate<Key>(n);
  Key* sorted_keys = sort_frame.allocate<Key>(n);
  for_each(ex, "Morton order: keys", n, MortonKeys<Key, Boxes>{boxes, bounds, keys});
  radix_sort_pairs(ex, "Morton order: sort", n, Elements<Key>{keys}, Index{}, sorted_keys, primitive_ids,
                   sorted_bits<Key>);
  for_each(ex, "Morton order: gaps", n, GapPrefixes<Key>{sorted_keys, bounds, gaps});
  return {bounds, gaps};
}

/// The same with keys of 30 or 63 bits.
template <class Executor, class Boxes>
MortonOrder sort_along_curve(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                             u32 morton_bits, u32* primitive_ids) {
  return morton_bits == 30 ? sort_along_curve<u32>(ex, frame, boxes, n, primitive_ids)
                           : sort_along_curve<u64>(ex, frame, boxes, n, primitive_ids);
}

/// Scratch of a Morton order: `kept_bytes` for as long as its frame lives, `bytes` more while it is made.
struct MortonOrderScratch {
  u64 kept_bytes;
  u64 bytes;
};

template <class Key, class Executor>
MortonOrderScratch morton_order_scratch(const Executor& ex, u64 n) {
  const u64 sort_bytes =
      2 * ScratchArena::bytes_for<Key>(n) + radix_sort_pairs_scratch_bytes<Key, u32>(ex, n, sorted_bits<Key>);
  return {ScratchArena::bytes_for<CentroidBounds>(1) + ScratchArena::bytes_for<u8>(n),
          larger(u64(reduce_scratch_bytes<CentroidBounds>(ex, n)), sort_bytes)};
}

template <class Executor>
MortonOrderScratch morton_order_scratch(const Executor& ex, u64 n, u32 morton_bits) {
  return morton_bits == 30 ? morton_order_scratch<u32>(ex, n) : morton_order_scratch<u64>(ex, n);
}

}  // namespace copse::detail

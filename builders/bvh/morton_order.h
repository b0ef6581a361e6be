#pragma once

// The primitives of a tree in the order of the Morton curve, and how close neighbours are there: what LBVH and
// H-PLOC begin with. For bodies: the executor's primitives must be included.
//
// Source: Morton, "A Computer Oriented Geodetic Data Base and a New Technique in File Sequencing", IBM, 1966, for
// the curve; Lauterbach, Garland, Sengupta, Luebke, Manocha, "Fast BVH Construction on GPUs", Eurographics 2009,
// for trees from it.

#include "builders/bvh/curve_gaps.h"
#include "builders/geometry/morton.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/core/executor.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

/// The key of a primitive.
template <class Key, class Boxes>
struct CurveKey {
  Boxes boxes;
  const Aabb* bounds;
  COPSE_HD Key operator()(u64 i) const {
    const Aabb box = boxes(u32(i));
    return is_empty(box) ? MortonKey<Key>::invalid : morton_key<Key>(clean_point(centroid(box)), *bounds);
  }
};

/// What is known of primitives in Morton order, in the executor's memory.
struct MortonOrder {
  const u32* valid_count;
  const u8* gaps;  // [i]: how close the primitives in slots i and i + 1 are, the larger the closer; at most 96
};

/// primitive_ids[slot] = the primitives along the Morton curve, by keys of 30 or 63 bits, the invalid ones behind
/// all others; equal keys in the order of their ids. What it returns is good until `frame` ends.
template <class Executor, class Boxes>
MortonOrder sort_along_curve(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                             u32 morton_bits, u32* primitive_ids) {
  u32* valid_count = frame.allocate<u32>(1);
  const CurveOrder order{primitive_ids, frame.allocate<u8>(n), valid_count};

  ScratchArena::Frame sort_frame(ex.scratch);
  auto* bounds = sort_frame.allocate<Aabb>(1);
  bound_primitives(ex, boxes, n, bounds);
  if (morton_bits == 30) {
    sort_whole_keys<u32>(ex, n, CurveKey<u32, Boxes>{boxes, bounds}, order);
  } else {
    sort_long_keys(ex, n, CurveKey<u64, Boxes>{boxes, bounds}, order);
  }
  return {valid_count, order.gaps};
}

/// Scratch of a Morton order: `kept_bytes` for as long as its frame lives, `bytes` more while it is made.
struct MortonOrderScratch {
  u64 kept_bytes;
  u64 bytes;
};

template <class Executor>
MortonOrderScratch morton_order_scratch(const Executor& ex, u64 n, u32 morton_bits) {
  const u64 sort_bytes =
      morton_bits == 30 ? sort_whole_keys_scratch_bytes<u32>(ex, n) : sort_long_keys_scratch_bytes(ex, n);
  return {ScratchArena::bytes_for<u32>(1) + ScratchArena::bytes_for<u8>(n),
          ScratchArena::bytes_for<Aabb>(1) + larger(bound_primitives_scratch_bytes(ex, n), sort_bytes)};
}

}  // namespace copse::detail

#pragma once

// The first half of a sliced build: decides which triangles are in which slice of the Morton curve.
//
// The order of a tree is cut into slices of equal size: slice k has the slots from k * size on. So a triangle's slice
// can be known before its slot. The triangles are sorted only until each is in its slice: by the highest bits of the
// keys, and then by more bits in groups of equal bits that cross a border. This ends when no group crosses a border,
// or when all keys of such a group are equal. Equal keys keep the order of their ids, so a border may be between
// them.

#include <vector>

#include "builders/bvh/morton/morton_keys.h"
#include "builders/bvh/morton/order_slice.h"
#include "builders/geometry/primitive_set.h"
#include "builders/geometry/triangle_records.h"
#include "builders/geometry/triangle_table.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// The boxes of triangles in host memory: those of a table, or those of records, if there are any.
struct HostTriangleBoxes {
  TriangleTable table;
  const TriangleRecords* records = nullptr;

  Aabb operator()(u32 id) const { return bounds(records != nullptr ? records->triangle(id) : table.triangle(id)); }
};

/// The keys of triangles, with the bits that a build of the whole tree computes.
template <class Boxes>
struct CurveKeys {
  PreparedMortonKey<Boxes> key_of;
  u64 key_mask;

  CurveKeys(const Boxes& boxes, const MortonSlice& curve)
      : key_of{boxes, {MortonGrid::of(curve.bounds)}, nullptr},
        key_mask(~u64{0} << (morton_key_bits - curve.morton_bits)) {}

  COPSE_HD Aabb box(u32 id) const { return key_of.start(id); }
  COPSE_HD u64 operator()(u32 id) const { return key_of.finish(id, box(id)) & key_mask; }
};

/// Keys of triangles in the memory of an executor.
using TriangleKeys = CurveKeys<TriangleBoxes>;
/// Keys of triangles in host memory, in a table or in records.
using HostTriangleKeys = CurveKeys<HostTriangleBoxes>;

/// Stores the ids of triangles so that each is in its slice, and equal keys are in the order of their ids. Triangles
/// without a key, which cannot be in a tree, come last.
///   slice_size: slots of each slice but the last
///   words:      room for all keys during the sort
///   ids:        room for all triangles
/// Returns the number of triangles with a key.
u64 sort_into_slices(const cpu::Executor& ex, const HostTriangleKeys& keys, u64 triangle_count, u64 slice_size,
                     u64* words, u32* ids);

}  // namespace copse::detail

#pragma once

// The first half of a sliced build: which triangles are in which slice of the Morton curve.
//
// The order of a tree is cut into slices of equal size. Its slots are known before its order is: slice k has the slots
// from k * size on. So the triangles are sorted just far enough that each of them stands in some slot of its slice:
// by the highest bits of the keys, then by more bits where a group of equal bits lies across a border, until no group
// does, or the keys of the group are equal. Equal keys keep the order of their ids, so a border may lie among them.

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

/// The keys of triangles, as a build of the whole tree makes them.
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

/// Those of triangles in the memory of an executor.
using TriangleKeys = CurveKeys<TriangleBoxes>;
/// Those of triangles in host memory, in a table or in records.
using HostTriangleKeys = CurveKeys<HostTriangleBoxes>;

/// Stores the ids of triangles so that each is in its slice, and equal keys are in the order of their ids. Triangles
/// without a key, which cannot be in a tree, come last.
///   slice_size: slots of each slice but the last
///   words:      room for all keys, while it sorts
///   ids:        room for all triangles
/// Returns the number of triangles with a key.
u64 sort_into_slices(const cpu::Executor& ex, const HostTriangleKeys& keys, u64 triangle_count, u64 slice_size,
                     u64* words, u32* ids);

}  // namespace copse::detail

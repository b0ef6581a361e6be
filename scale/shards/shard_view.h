#pragma once

#include <algorithm>
#include <string>

#include "builders/geometry/primitive_set.h"
#include "primitives/core/check.h"
#include "scale/sharded_build.h"

namespace copse::detail {

/// Returns a view of the triangles of a shard, in the order of its leaves, for builds and refits.
inline TriangleView triangles_of(const ShardedBvh& shard) {
  // Corner k of triangle i is the first 12 bytes of its 16-byte part k.
  constexpr u64 part_bytes = sizeof(PackedTriangle) / 3;
  const Buffer<PackedTriangle>& triangles = shard.triangles.triangles;
  const auto* const corners = reinterpret_cast<const vec3*>(triangles.data());
  return {.positions = PositionSpan(corners, 3 * triangles.size(), part_bytes)};
}

/// Returns true if some view has a mask without all bits.
inline bool any_has_mask(const TriangleViews& triangles) {
  return std::any_of(triangles.views().begin(), triangles.views().end(),
                     [](const TriangleView& view) { return view.mask != ~u32{0}; });
}

/// Throws if the shard was built by another number of ranks.
inline void check_ranks(const char* function, const Communicator& comm, const ShardedBvh& shard) {
  const u64 count = shard.first_slots.empty() ? 0 : shard.first_slots.size() - 1;
  if (count == comm.size()) return;
  refuse(function,
         "the tree was built by " + counted(count, "ranks") + ", but there are " + std::to_string(comm.size()));
}

}  // namespace copse::detail

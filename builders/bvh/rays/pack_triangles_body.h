#pragma once

#include <span>

#include "builders/geometry/packed_triangle.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// What packing needs of a tree of any layout.
struct LeafOrder {
  BufferSpan<const u32> primitive_ids;
  const u32* primitive_count;  // of those in use, on the device
};

/// `masks`: null, or what gets those of the triangles' views.
template <class Executor>
void pack_triangles(const Executor& ex, const LeafOrder& leaves, std::span<const TriangleView> views,
                    PackedTriangle* packed, u32* masks);

}  // namespace copse::detail

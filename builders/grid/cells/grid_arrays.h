#pragma once

// The memory that builders of grids write, and the primitives that they read.

#include <span>

#include "builders/geometry/triangle.h"
#include "builders/grid/layout.h"

namespace copse::detail {

/// A grid's memory, as the builder writes it.
struct GridArrays {
  GridShape* shape;
  u32* cell_begins;
  u64 cell_capacity;
  u32* primitive_ids;
  u64 reference_capacity;
  GridCounts* counts;
};

/// The primitives of a build: views, or boxes if there are no views.
struct GridSource {
  std::span<const TriangleView> views;
  const Aabb* boxes;
  u64 count;
};

}  // namespace copse::detail

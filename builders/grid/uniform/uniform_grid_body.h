#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "builders/grid/grid.h"
#include "builders/grid/grid_shape.h"
#include "primitives/core/executor.h"

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

/// The primitives of a build: views, or boxes where there are no views.
struct GridSource {
  std::span<const TriangleView> views;
  const Aabb* boxes;
  u64 count;
};

template <class Executor>
void build_cells(const Executor& ex, const GridSource& source, const GridRequest& request, const GridArrays& grid);

/// Stores how many parts the primitives have, and how many references those below `part_capacity` need.
template <class Executor>
void count_cells(const Executor& ex, const GridSource& source, const GridRequest& request, u64 part_capacity,
                 u64* part_count, u64* reference_count);

template <class Executor>
u64 grid_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 cell_capacity, u64 reference_capacity);

}  // namespace copse::detail

#pragma once

#include "builders/grid/frustum/frustum_shape.h"
#include "builders/grid/measure/faults.h"
#include "builders/grid/uniform/uniform_grid_body.h"

namespace copse::detail {

template <class Executor>
void build_frustum_cells(const Executor& ex, std::span<const TriangleView> views, u64 triangle_count,
                         const FrustumRequest& request, FrustumShape* shape, const GridArrays& grid);

/// Stores how many parts the triangles have, and how many references those below `part_capacity` need.
template <class Executor>
void count_frustum_cells(const Executor& ex, std::span<const TriangleView> views, u64 triangle_count,
                         const FrustumRequest& request, u64 part_capacity, u64* part_count, u64* reference_count);

template <class Executor>
u64 frustum_grid_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 cell_capacity,
                               u64 reference_capacity);

/// Counts the faults of a grid whose lists follow each other.
template <class Executor>
void check_frustum_references(const Executor& ex, std::span<const TriangleView> views, u64 triangle_count,
                              const FrustumShape* shape, const GridView& grid, u64 cell_count, CellFaults* faults);

}  // namespace copse::detail

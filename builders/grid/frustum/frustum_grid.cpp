#include "builders/grid/frustum_grid.h"

#include "builders/geometry/triangle_check.h"
#include "builders/grid/cells/grid_arrays.h"
#include "builders/grid/frustum/frustum_shape.h"
#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"

namespace copse {

namespace detail {

// The body: frustum_grid.inl, for either executor.
template <class Executor>
void build_frustum_cells(const Executor& ex, std::span<const TriangleView> views, u64 triangle_count,
                         const FrustumRequest& request, FrustumShape* shape, const GridArrays& grid);

/// Stores how many parts the triangles have, and how many references the parts below `part_capacity` need.
template <class Executor>
void count_frustum_cells(const Executor& ex, std::span<const TriangleView> views, u64 triangle_count,
                         const FrustumRequest& request, u64 part_capacity, u64* part_count, u64* reference_count);

template <class Executor>
u64 frustum_grid_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 cell_capacity,
                               u64 reference_capacity);

}  // namespace detail

namespace {

u64 cell_count(const uvec3& resolution) {
  return u64{resolution.x} * resolution.y * resolution.z;
}

detail::GridArrays arrays_of(FrustumGrid& grid) {
  Grid& cells = grid.cells;
  return {cells.shape.data(),         cells.cell_begins.data(),   cells.cell_capacity(),
          cells.primitive_ids.data(), cells.reference_capacity(), cells.counts.data()};
}

u64 scratch_bytes(Context& context, u64 n, u64 view_count, u64 cells, u64 references) {
  return dispatch(context, [&](const auto& ex) {
    return detail::frustum_grid_scratch_bytes(ex, n, view_count, cells, references);
  });
}

}  // namespace

FrustumGrid make_frustum_grid(Context& context, const uvec3& resolution, u64 reference_capacity) {
  detail::check_frustum_resolution(resolution);
  FrustumGrid grid;
  grid.cells = make_grid(context, cell_count(resolution), reference_capacity);
  grid.shape = Buffer<FrustumShape>(context, 1);
  grid.resolution = resolution;
  return grid;
}

BuildSizes frustum_grid_sizes(Context& context, u64 triangle_count, const FrustumGridOptions& options,
                              u64 view_count) {
  detail::check_primitive_count(triangle_count);
  detail::check_frustum_resolution(options.resolution);
  if (options.reference_capacity == 0) {
    detail::refuse("frustum_grid_sizes", "reference_capacity is 0; it must be given");
  }
  const u64 cells = cell_count(options.resolution);
  return {grid_bytes(cells, options.reference_capacity) + sizeof(FrustumShape),
          scratch_bytes(context, triangle_count, view_count, cells, options.reference_capacity)};
}

u64 count_references(Context& context, const TriangleViews& triangles, const ViewFrustum& frustum,
                     const FrustumGridOptions& options) {
  const u64 n = triangles.primitive_count();
  detail::check_primitive_count(n);
  const detail::FrustumRequest request = detail::request_frustum(frustum, options.resolution);
  Buffer<u64> totals(context, 2);
  const auto run = [&](u64 part_capacity) {
    dispatch(context, [&](const auto& ex) {
      detail::count_frustum_cells(ex, triangles.views(), n, request, part_capacity, totals.data(),
                                  totals.data() + 1);
    });
    return totals.download();
  };
  return run(run(0)[0])[1];
}

void rebuild_frustum_grid(Context& context, FrustumGrid& grid, const TriangleViews& triangles,
                          const ViewFrustum& frustum) {
  const u64 n = triangles.primitive_count();
  detail::check_primitive_count(n);
  detail::validate_triangles(context, "rebuild_frustum_grid", triangles);
  const detail::FrustumRequest request = detail::request_frustum(frustum, grid.resolution);
  context.reserve_scratch(
      scratch_bytes(context, n, triangles.views().size(), grid.cells.cell_capacity(), grid.reference_capacity()));
  ProfileScope scope(context.profile(), "frustum grid");
  dispatch(context, [&](const auto& ex) {
    detail::build_frustum_cells(ex, triangles.views(), n, request, grid.shape.data(), arrays_of(grid));
  });
  grid.frustum = frustum;
  grid.cells.source_count = n;
}

FrustumGrid build_frustum_grid(Context& context, const TriangleViews& triangles, const ViewFrustum& frustum,
                               const FrustumGridOptions& options) {
  detail::validate_triangles(context, "build_frustum_grid", triangles);
  const u64 capacity = options.reference_capacity > 0 ? options.reference_capacity
                                                      : count_references(context, triangles, frustum, options);
  FrustumGrid grid = make_frustum_grid(context, options.resolution, capacity);
  rebuild_frustum_grid(context, grid, triangles, frustum);
  return grid;
}

}  // namespace copse

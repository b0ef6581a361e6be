// Frustum grid: find the depths of the visible triangles, then the cells of triangles as for a uniform grid.

#include "builders/geometry/make_triangle_table.h"
#include "builders/grid/cells/cell_lists.h"
#include "builders/grid/frustum/frustum_cells.h"
#include "primitives/expand.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"

namespace copse::detail {

/// A sample of this many triangles is enough to place the slabs.
inline constexpr u64 depth_samples = u64{1} << 15;

/// Returns the depth of the first vertex of a sample, if that is on screen.
struct DepthOnScreen {
  TriangleTable table;
  FrustumShape frustum;
  u64 triangle_count, sample_count;
  COPSE_HD DepthRange operator()(u64 i) const {
    const vec3 p = table.triangle(u32(i * triangle_count / sample_count)).a;
    if (!is_finite(p)) return {double(infinity), -double(infinity)};
    const dvec3 seen = frustum.to_camera(p);
    if (!(seen.z > 0 && CameraTriangle::is_on_screen(seen))) return {double(infinity), -double(infinity)};
    return {seen.z, seen.z};
  }
};

struct MergeDepths {
  COPSE_HD DepthRange operator()(const DepthRange& a, const DepthRange& b) const {
    return {smaller(a.lo, b.lo), larger(a.hi, b.hi)};
  }
};

struct StoreFrustum {
  FrustumRequest request;
  const DepthRange* seen;  // null if the request gives both depths
  FrustumShape* frustum;
  GridShape* cells;
  COPSE_HD void operator()(u64) const {
    make_frustum_shape(request, seen == nullptr ? DepthRange{1, 0} : *seen, *frustum, *cells);
  }
};

/// Stores the shape of the frustum and the shape of its cells.
template <class Executor>
void shape_frustum(const Executor& ex, const TriangleTable& table, u64 n, const FrustumRequest& request,
                   FrustumShape* frustum, GridShape* cells) {
  ScratchArena::Frame frame(ex.scratch);
  DepthRange* seen = nullptr;
  if (request.nearest == 0 || request.farthest == 0) {
    seen = frame.allocate<DepthRange>(1);
    const u64 sample_count = smaller(n, depth_samples);
    reduce(ex, "frustum: depths", sample_count, DepthOnScreen{table, request.shape, n, sample_count},
           DepthRange{double(infinity), -double(infinity)}, MergeDepths{}, seen);
  }
  for_each(ex, "frustum: shape", 1, StoreFrustum{request, seen, frustum, cells});
}

template <class Executor>
void build_frustum_cells(const Executor& ex, std::span<const TriangleView> views, u64 triangle_count,
                         const FrustumRequest& request, FrustumShape* shape, const GridArrays& grid) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable table = make_triangle_table(ex, frame, views);
  shape_frustum(ex, table, triangle_count, request, shape, grid.shape);
  list_cells(ex, CellsOfFrustum{table, shape, grid.shape}, triangle_count, grid);
}

template <class Executor>
void count_frustum_cells(const Executor& ex, std::span<const TriangleView> views, u64 triangle_count,
                         const FrustumRequest& request, u64 part_capacity, u64* part_count, u64* reference_count) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable table = make_triangle_table(ex, frame, views);
  auto* frustum = frame.allocate<FrustumShape>(1);
  auto* shape = frame.allocate<GridShape>(1);
  const GridParts parts = allocate_parts(frame, triangle_count, part_capacity, part_count);
  shape_frustum(ex, table, triangle_count, request, frustum, shape);
  count_cell_pairs(ex, CellsOfFrustum{table, frustum, shape}, triangle_count, parts, reference_count);
}

template <class Executor>
u64 frustum_grid_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 cell_capacity,
                               u64 reference_capacity) {
  const u64 depths =
      ScratchArena::bytes_for<DepthRange>(1) + reduce_scratch_bytes<DepthRange>(ex, smaller(n, depth_samples));
  return triangle_table_scratch_bytes(view_count) +
         larger(depths, list_cells_scratch_bytes(ex, n, cell_capacity, reference_capacity));
}

template void build_frustum_cells(const BodyExecutor&, std::span<const TriangleView>, u64, const FrustumRequest&,
                                  FrustumShape*, const GridArrays&);
template void count_frustum_cells(const BodyExecutor&, std::span<const TriangleView>, u64, const FrustumRequest&,
                                  u64, u64*, u64*);
template u64 frustum_grid_scratch_bytes(const BodyExecutor&, u64, u64, u64, u64);

}  // namespace copse::detail

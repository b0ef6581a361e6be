// Uniform grid: count, scan, emit, sort.
//
// Sources: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009, section 5.2: a record of
// (cell, primitive) for each cell that a primitive touches, and a split by the cell. Kalojanov, Slusallek, "A
// Parallel Algorithm for Construction of Uniform Grids", HPG 2009: the same by a sort; cells begin where keys
// change. Where we differ: primitives are cut into parts of about equal work, so that a triangle over all cells
// does not hold up one thread; and each cell searches for its list in the sorted keys, so that no thread has to
// fill a long row of empty ones.

#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/primitive_bounds.h"
#include "builders/grid/cells/cell_lists.h"
#include "builders/grid/uniform/grid_shape.h"
#include "primitives/expand.h"
#include "primitives/radix_sort.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"

namespace copse::detail {

struct StoreGridShape {
  const Aabb* box;
  GridRequest request;
  GridShape* shape;
  COPSE_HD void operator()(u64) const { *shape = make_grid_shape(*box, request); }
};

/// Stores the shape of the grid over the box of the primitives, and calls work(cells) with their cells in it.
template <class Executor, class Work>
void with_cells(const Executor& ex, const GridSource& source, const GridRequest& request, GridShape* shape,
                const Work& work) {
  ScratchArena::Frame frame(ex.scratch);
  auto* box = frame.allocate<Aabb>(1);
  if (source.boxes != nullptr) {
    const CustomBoxes boxes{source.boxes};
    bound_primitives(ex, boxes, source.count, box);
    for_each(ex, "grid: shape", 1, StoreGridShape{box, request, shape});
    work(CellsOfBoxes{boxes, shape});
  } else {
    const TriangleTable table = make_triangle_table(ex, frame, source.views);
    bound_primitives(ex, TriangleBoxes{table}, source.count, box);
    for_each(ex, "grid: shape", 1, StoreGridShape{box, request, shape});
    work(CellsOfTriangles{table, shape, grid_units()});
  }
}

template <class Executor>
void build_cells(const Executor& ex, const GridSource& source, const GridRequest& request,
                 const GridArrays& grid) {
  with_cells(ex, source, request, grid.shape,
             [&](const auto& cells) { list_cells(ex, cells, source.count, grid); });
}

template <class Executor>
void count_cells(const Executor& ex, const GridSource& source, const GridRequest& request, u64 part_capacity,
                 u64* part_count, u64* reference_count) {
  ScratchArena::Frame frame(ex.scratch);
  auto* shape = frame.allocate<GridShape>(1);
  const GridParts parts = allocate_parts(frame, source.count, part_capacity, part_count);
  with_cells(ex, source, request, shape,
             [&](const auto& cells) { count_cell_pairs(ex, cells, source.count, parts, reference_count); });
}

template <class Executor>
u64 grid_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 cell_capacity, u64 reference_capacity) {
  return triangle_table_scratch_bytes(view_count) + ScratchArena::bytes_for<Aabb>(1) +
         larger(list_cells_scratch_bytes(ex, n, cell_capacity, reference_capacity),
                u64(bound_primitives_scratch_bytes(ex, n)));
}

template void build_cells(const BodyExecutor&, const GridSource&, const GridRequest&, const GridArrays&);
template void count_cells(const BodyExecutor&, const GridSource&, const GridRequest&, u64, u64*, u64*);
template u64 grid_scratch_bytes(const BodyExecutor&, u64, u64, u64, u64);

}  // namespace copse::detail

// Uniform grid: count, scan, emit, sort.
//
// Sources: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009, section 5.2: a record of
// (cell, primitive) for each cell that a primitive touches, and a split by the cell. Kalojanov, Slusallek, "A
// Parallel Algorithm for Construction of Uniform Grids", HPG 2009: the same by a sort, cells found by where keys
// change. Where we differ: primitives are shared out in parts of about equal work, so that a triangle over all
// cells does not keep the others waiting; and cells look for their lists in the sorted keys, so that no thread has
// to fill a long row of empty ones.

#include "builders/geometry/primitive_bounds.h"
#include "builders/grid/cell_parts.h"
#include "builders/grid/uniform_grid_body.h"

namespace copse::detail {

struct StoreGridShape {
  const Aabb* box;
  GridRequest request;
  GridShape* shape;
  COPSE_HD void operator()(u64) const { *shape = make_grid_shape(*box, request); }
};

template <class Cells>
struct CountParts {
  Cells cells;
  COPSE_HD u32 operator()(u64 i) const { return cells.part_count(u32(i)); }
};

struct GridPart {
  u32 primitive, part;
};

struct StorePart {
  GridPart* parts;
  COPSE_HD void operator()(u64 i, u64 k, u64 slot) const { parts[slot] = {u32(i), u32(k)}; }
};

/// The parts that there is room for, of those that there are, and how many cells each has.
struct GridParts {
  GridPart* data;
  u32* cell_counts;
  u64 capacity;
  u64* count;
  COPSE_HD bool has(u64 i) const { return i < *count; }
};

struct SumCells {
  u32 count = 0;
  COPSE_HD void operator()(const CellRun& run) { count += run.count; }
};

template <class Cells>
struct CountReferences {
  Cells cells;
  GridParts parts;
  COPSE_HD void operator()(u64 i) const {
    SumCells sum;
    if (parts.has(i)) cells.visit_part(parts.data[i].primitive, parts.data[i].part, sum);
    parts.cell_counts[i] = sum.count;
  }
};

struct CellCountOfPart {
  const u32* cell_counts;
  COPSE_HD u64 operator()(u64 i) const { return cell_counts[i]; }
};

struct GridReference {
  u32 cell, primitive;
};

struct WriteCells {
  GridReference* out;
  u64 slot, capacity;
  u32 primitive;
  COPSE_HD void operator()(const CellRun& run) {
    u32 id = run.id;
    for (u32 k = 0; k < run.count && slot < capacity; ++k, ++slot, id += run.stride) out[slot] = {id, primitive};
  }
};

template <class Cells>
struct WriteReferences {
  Cells cells;
  GridParts parts;
  const u64* offsets;
  GridReference* out;
  u64 capacity;
  COPSE_HD void operator()(u64 i) const {
    if (!parts.has(i)) return;
    const GridPart part = parts.data[i];
    WriteCells write{out, offsets[i], capacity, part.primitive};
    cells.visit_part(part.primitive, part.part, write);
  }
};

/// What the cells need, and what is stored. With too many parts the references of the first ones alone are known;
/// each part has one at least.
struct StoreCounts {
  const u64* part_count;
  const u64* reference_count;
  u64 capacity;
  GridCounts* counts;
  COPSE_HD void operator()(u64) const {
    *counts = {larger(*part_count, *reference_count), smaller(*reference_count, capacity)};
  }
};

/// The cell of a reference; behind the last, a number past all cells.
struct CellOfReference {
  const GridReference* references;
  const GridCounts* counts;
  u32 past_cells;
  COPSE_HD u32 operator()(u64 i) const { return i < counts->stored_count ? references[i].cell : past_cells; }
};

struct PrimitiveOfReference {
  const GridReference* references;
  const GridCounts* counts;
  COPSE_HD u32 operator()(u64 i) const { return i < counts->stored_count ? references[i].primitive : invalid_id; }
};

/// Where the list of a cell begins: before the first key that is not less. Cells past those of the grid begin
/// where all lists end.
struct FindCellBegin {
  const u32* cells;
  const GridCounts* counts;
  u32* begins;
  COPSE_HD void operator()(u64 cell) const {
    u64 begin = 0, end = counts->stored_count;
    while (begin < end) {
      const u64 middle = (begin + end) / 2;
      if (cells[middle] < cell) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    begins[cell] = u32(begin);
  }
};

inline BitRange bits_of_cells(u64 cell_capacity) {
  return {0, 64 - leading_zeros(cell_capacity)};
}

/// Calls work(cells) with the cells of the source's primitives over the grid of their box, which it stores.
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
    work(CellsOfTriangles{table, shape});
  }
}

inline GridParts allocate_parts(ScratchArena::Frame& frame, u64 capacity, u64* count) {
  return {frame.allocate<GridPart>(capacity), frame.allocate<u32>(capacity), capacity, count};
}

inline u64 parts_bytes(u64 capacity) {
  return ScratchArena::bytes_for<GridPart>(capacity) + ScratchArena::bytes_for<u32>(capacity);
}

/// Stores the parts of all primitives, in their order, and how many cells each has.
template <class Executor, class Cells>
void measure_parts(const Executor& ex, const Cells& cells, u64 n, const GridParts& parts) {
  u64* const no_offsets = nullptr;
  allocate(ex, "grid: parts", n, CountParts<Cells>{cells}, StorePart{parts.data}, parts.capacity, no_offsets,
           parts.count);
  for_each(ex, "grid: count references", parts.capacity, CountReferences<Cells>{cells, parts});
}

template <class Executor, class Cells>
void fill_cells(const Executor& ex, const Cells& cells, u64 n, const GridArrays& grid) {
  // Every part has a reference, so that there is room for the parts where there is for the references.
  const u64 capacity = grid.reference_capacity;
  ScratchArena::Frame frame(ex.scratch);
  u64* totals = frame.allocate<u64>(2);
  auto* references = frame.allocate<GridReference>(capacity);
  {
    ScratchArena::Frame part_frame(ex.scratch);
    const GridParts parts = allocate_parts(part_frame, capacity, &totals[0]);
    u64* offsets = part_frame.allocate<u64>(capacity);
    measure_parts(ex, cells, n, parts);
    exclusive_scan(ex, "grid: offsets", capacity, CellCountOfPart{parts.cell_counts}, u64{0}, Plus{}, offsets,
                   &totals[1]);
    for_each(ex, "grid: references", capacity,
             WriteReferences<Cells>{cells, parts, offsets, references, capacity});
  }
  for_each(ex, "grid: counts", 1, StoreCounts{&totals[0], &totals[1], capacity, grid.counts});

  u32* sorted_cells = frame.allocate<u32>(capacity);
  radix_sort_pairs(ex, "grid: sort by cell", capacity,
                   CellOfReference{references, grid.counts, u32(grid.cell_capacity)},
                   PrimitiveOfReference{references, grid.counts}, sorted_cells, grid.primitive_ids,
                   bits_of_cells(grid.cell_capacity));
  for_each(ex, "grid: cells", grid.cell_capacity + 1, FindCellBegin{sorted_cells, grid.counts, grid.cell_begins});
}

template <class Executor>
void build_cells(const Executor& ex, const GridSource& source, const GridRequest& request,
                 const GridArrays& grid) {
  with_cells(ex, source, request, grid.shape,
             [&](const auto& cells) { fill_cells(ex, cells, source.count, grid); });
}

template <class Executor>
void count_cells(const Executor& ex, const GridSource& source, const GridRequest& request, u64 part_capacity,
                 u64* part_count, u64* reference_count) {
  ScratchArena::Frame frame(ex.scratch);
  auto* shape = frame.allocate<GridShape>(1);
  const GridParts parts = allocate_parts(frame, part_capacity, part_count);
  with_cells(ex, source, request, shape,
             [&](const auto& cells) { measure_parts(ex, cells, source.count, parts); });
  reduce(ex, "grid: sum references", part_capacity, CellCountOfPart{parts.cell_counts}, u64{0}, Plus{},
         reference_count);
}

template <class Executor>
u64 grid_scratch_bytes(const Executor& ex, u64 n, u64 view_count, u64 cell_capacity, u64 reference_capacity) {
  const u64 parts =
      parts_bytes(reference_capacity) + ScratchArena::bytes_for<u64>(reference_capacity) +
      larger(u64(allocate_scratch_bytes(ex, n)), u64(scan_scratch_bytes<u64>(ex, reference_capacity)));
  const u64 sort = ScratchArena::bytes_for<u32>(reference_capacity) +
                   radix_sort_pairs_scratch_bytes<u32, u32>(ex, reference_capacity, bits_of_cells(cell_capacity));
  const u64 fill = ScratchArena::bytes_for<u64>(2) + ScratchArena::bytes_for<GridReference>(reference_capacity) +
                   larger(parts, sort);
  return triangle_table_scratch_bytes(view_count) + ScratchArena::bytes_for<Aabb>(1) +
         larger(fill, u64(bound_primitives_scratch_bytes(ex, n)));
}

template void build_cells(const BodyExecutor&, const GridSource&, const GridRequest&, const GridArrays&);
template void count_cells(const BodyExecutor&, const GridSource&, const GridRequest&, u64, u64*, u64*);
template u64 grid_scratch_bytes(const BodyExecutor&, u64, u64, u64, u64);

}  // namespace copse::detail

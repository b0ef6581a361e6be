#pragma once

// The lists of a grid's cells: pairs (cell, primitive) for all cells that primitives touch, sorted by cell and
// then by primitive (count, scan, emit, sort), and where the list of each cell begins among them. For bodies: the
// executor's primitives must be included.

#include "builders/grid/cells/grid_arrays.h"
#include "builders/grid/cells/list_begins.h"
#include "builders/grid/cells/measured_parts.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

struct CellCountOfPart {
  const u32* cell_counts;
  const u64* part_count;
  COPSE_HD u64 operator()(u64 i) const { return i < *part_count ? cell_counts[i] : 0; }
};

struct GridReference {
  u32 cell, primitive;
};

/// Writes the cells of a part. Threads that share the part take slots in any order, from its last slot down. Each
/// cell of a primitive is in one run, so after the sort by cell the result does not depend on that order.
struct WriteCells {
  GridReference* out;
  u64 begin, capacity;
  u32* left;  // slots of the part that are still free
  u32 primitive;
  COPSE_HD void operator()(const CellRun& run) {
    const u64 slot = begin + (fetch_add_relaxed(left, 0 - run.count) - run.count);
    for (u32 k = 0; k < run.count && slot + k < capacity; ++k)
      out[slot + k] = {run.id + k * run.stride, primitive};
  }
};

/// The slots that references are written to.
struct ReferenceSlots {
  const u64* offsets;  // of each part: its first slot
  const u64* part_count;
  const u64* total;  // the end of the last part that there is room for
  GridReference* out;
  u64 capacity;

  /// Returns true if there is room for some of the references of a part, but not for all.
  COPSE_HD bool cuts(u32 slot) const {
    const bool is_last = slot + u64{1} >= smaller(*part_count, capacity);
    return offsets[slot] < capacity && (is_last ? *total : offsets[slot + 1]) > capacity;
  }
};

struct WriteSmallParts {
  const GridShape* shape;
  GridParts parts;
  ReferenceSlots slots;

  COPSE_HD void operator()(u64 i) const {
    if (i >= *parts.count) return;
    const u32 primitive = parts.data[i].primitive;
    const MeasuredPrimitive measured = parts.measured[primitive];
    if (measured.is_small()) write(measured, slots.offsets[i], primitive);
  }

  COPSE_HD void write(const MeasuredPrimitive& cells, u64 slot, u32 primitive) const {
    const uvec3 strides = cells.strides(*shape);
    const u32 row_size = cells.row_size(), row_count = cells.row_count();
    u32 left = cells.mask, slab_id = cells.first_id;
    for (; left != 0; slab_id += strides.z) {
      u32 row_id = slab_id;
      for (u32 row = 0; row < row_count; ++row, row_id += strides.y) {
        u32 id = row_id;
        for (u32 k = 0; k < row_size; ++k, left >>= 1, id += strides.x) {
          if ((left & 1) != 0 && slot < slots.capacity) slots.out[slot++] = {id, primitive};
        }
      }
    }
  }
};

template <class Cells>
struct WriteWideParts {
  Cells cells;
  WideRows wide;
  ReferenceSlots slots;
  COPSE_HD void operator()(u64 thread) const {
    for (u64 k = thread; k < wide.count(); k += wide.thread_count) {
      WideRows::Item item = wide(k);
      // If a part is cut off, one thread writes it, so that the references that remain are the same in every
      // build.
      if (slots.cuts(item.slot)) {
        if (item.rows.first > 0) continue;
        item.rows.stride = 1;
      }
      const u32 primitive = wide.parts.data[item.slot].primitive;
      u32* const left = &wide.parts.cell_counts[item.slot];
      WriteCells write{slots.out, slots.offsets[item.slot], slots.capacity, left, primitive};
      cells.visit_part(primitive, item.rows, write);
    }
  }
};

/// Stores how many references the cells need, and how many are stored. If there are too many parts, only the
/// references of the first ones are known; each of the others has at least one.
struct StoreCounts {
  const u64* part_count;
  const u64* reference_count;
  u64 capacity;
  GridCounts* counts;
  COPSE_HD void operator()(u64) const {
    *counts = {larger(*part_count, *reference_count), smaller(*reference_count, capacity)};
  }
};

/// The cell of a reference; after the last reference, a number past all cells.
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

inline BitRange bits_of_cells(u64 cell_capacity) {
  return {0, 64 - leading_zeros(cell_capacity)};
}

/// The memory that the pairs are written to.
struct CellPairs {
  u32* cells;          // ascending; after the last pair, cell_capacity
  u32* primitive_ids;  // ascending in each cell
  u64 capacity;
  u64 cell_capacity;
  GridCounts* counts;
};

/// Stores the sorted pairs of n primitives of `cells`. If there is too little room, it stores the pairs of the
/// first primitives only.
///   cells: CellsOfTriangles, CellsOfBoxes or CellsOfFrustum
template <class Executor, class Cells>
void sort_cell_pairs(const Executor& ex, const Cells& cells, u64 n, const CellPairs& pairs) {
  // Every part has a pair or more, so room for the pairs is also enough for the parts.
  const u64 capacity = pairs.capacity;
  ScratchArena::Frame frame(ex.scratch);
  u64* totals = frame.allocate<u64>(2);
  auto* references = frame.allocate<GridReference>(capacity);
  {
    ScratchArena::Frame part_frame(ex.scratch);
    const GridParts parts = allocate_parts(part_frame, n, capacity, &totals[0]);
    u64* offsets = part_frame.allocate<u64>(capacity);
    measure_parts(ex, cells, n, parts);
    exclusive_scan(ex, "grid: offsets", capacity, CellCountOfPart{parts.cell_counts, parts.count}, u64{0}, Plus{},
                   offsets, &totals[1]);
    const ReferenceSlots slots{offsets, parts.count, &totals[1], references, capacity};
    for_each(ex, "grid: references", capacity, WriteSmallParts{cells.shape, parts, slots});
    const WideRows wide = wide_rows(ex, parts);
    for_each(ex, "grid: wide references", wide.thread_count, WriteWideParts<Cells>{cells, wide, slots});
  }
  for_each(ex, "grid: counts", 1, StoreCounts{&totals[0], &totals[1], capacity, pairs.counts});
  radix_sort_pairs(ex, "grid: sort by cell", capacity,
                   CellOfReference{references, pairs.counts, u32(pairs.cell_capacity)},
                   PrimitiveOfReference{references, pairs.counts}, pairs.cells, pairs.primitive_ids,
                   bits_of_cells(pairs.cell_capacity));
}

template <class Executor>
u64 cell_pairs_scratch_bytes(const Executor& ex, u64 n, u64 cell_capacity, u64 capacity) {
  const u64 parts = parts_bytes(n, capacity) + ScratchArena::bytes_for<u64>(capacity) +
                    larger(u64(expand_scratch_bytes(ex, n)), u64(scan_scratch_bytes<u64>(ex, capacity)));
  const u64 sort = radix_sort_pairs_scratch_bytes<u32, u32>(ex, capacity, bits_of_cells(cell_capacity));
  return ScratchArena::bytes_for<u64>(2) + ScratchArena::bytes_for<GridReference>(capacity) + larger(parts, sort);
}

/// Stores how many parts the primitives have, and how many pairs the parts below the capacity of `parts` need.
template <class Executor, class Cells>
void count_cell_pairs(const Executor& ex, const Cells& cells, u64 n, const GridParts& parts, u64* pair_count) {
  measure_parts(ex, cells, n, parts);
  reduce(ex, "grid: sum references", parts.capacity, CellCountOfPart{parts.cell_counts, parts.count}, u64{0},
         Plus{}, pair_count);
}

/// How many keys are stored.
struct StoredReferences {
  const GridCounts* counts;
  COPSE_HD u64 operator()() const { return counts->stored_count; }
};

/// Writes all of `grid` but its shape, for n primitives of `cells`.
template <class Executor, class Cells>
void list_cells(const Executor& ex, const Cells& cells, u64 n, const GridArrays& grid) {
  ScratchArena::Frame frame(ex.scratch);
  u32* sorted_cells = frame.allocate<u32>(grid.reference_capacity);
  sort_cell_pairs(ex, cells, n,
                  {sorted_cells, grid.primitive_ids, grid.reference_capacity, grid.cell_capacity, grid.counts});
  // Cells past those of the grid begin where all lists end.
  find_list_begins(ex, "grid: cells", sorted_cells, StoredReferences{grid.counts}, grid.cell_capacity,
                   grid.cell_begins);
}

template <class Executor>
u64 list_cells_scratch_bytes(const Executor& ex, u64 n, u64 cell_capacity, u64 reference_capacity) {
  return ScratchArena::bytes_for<u32>(reference_capacity) +
         larger(cell_pairs_scratch_bytes(ex, n, cell_capacity, reference_capacity),
                list_begins_scratch_bytes(cell_capacity));
}

}  // namespace copse::detail

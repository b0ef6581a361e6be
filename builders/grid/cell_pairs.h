#pragma once

// Pairs (cell, primitive) for all cells that primitives touch, sorted by cell and then by primitive: count, scan,
// emit, sort. For bodies: the executor's primitives must be included.

#include "builders/grid/cell_parts.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

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

/// The cells of a primitive of one part among at most 32, as a bit each, so that they need not be found again.
struct SmallPart {
  u32 mask;
  u32 first_id;
  u32 layout;  // 0 for a part that is not small

  COPSE_HD static SmallPart of(const CellParts& parts, const GridShape& shape, u32 mask) {
    return {mask, first_cell_id(cell_strides(shape, parts.axes), parts),
            parts.axes.along | parts.axes.beside << 2 | u32(parts.size.x) << 4 | u32(parts.size.y) << 16};
  }
  COPSE_HD uvec3 strides(const GridShape& shape) const {
    const u32 along = layout & 3, beside = layout >> 2 & 3;
    return cell_strides(shape, {along, beside, 3 - along - beside});
  }
  COPSE_HD u32 row_size() const { return layout >> 4 & 0xfff; }
  COPSE_HD u32 row_count() const { return layout >> 16; }
};

/// The parts that there is room for, of those that there are, and what is known of each.
struct GridParts {
  GridPart* data;
  SmallPart* small;
  u32* cell_counts;
  u64 capacity;
  u64* count;
  COPSE_HD bool has(u64 i) const { return i < *count; }
};

struct MarkCells {
  u32 count = 0, mask = 0;
  COPSE_HD void operator()(const CellRun& run) {
    count += run.count;
    if (run.place < 32) mask |= (~0u >> (32 - smaller(run.count, 32u))) << run.place;
  }
};

template <class Cells>
struct CountReferences {
  Cells cells;
  GridParts parts;
  COPSE_HD void operator()(u64 i) const {
    MarkCells marks;
    if (parts.has(i)) {
      const GridPart part = parts.data[i];
      const CellParts range = cells.visit_part(part.primitive, part.part, marks);
      parts.small[i] =
          range.is_small(cells.cell_units()) ? SmallPart::of(range, *cells.shape, marks.mask) : SmallPart{0, 0, 0};
    }
    parts.cell_counts[i] = marks.count;
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
    const SmallPart small = parts.small[i];
    if (small.layout != 0) return write_small(small, offsets[i], part.primitive);
    WriteCells write{out, offsets[i], capacity, part.primitive};
    cells.visit_part(part.primitive, part.part, write);
  }

  COPSE_HD void write_small(const SmallPart& part, u64 slot, u32 primitive) const {
    const uvec3 strides = part.strides(*cells.shape);
    const u32 row_size = part.row_size(), row_count = part.row_count();
    u32 left = part.mask, slab_id = part.first_id;
    for (; left != 0; slab_id += strides.z) {
      u32 row_id = slab_id;
      for (u32 row = 0; row < row_count; ++row, row_id += strides.y) {
        u32 id = row_id;
        for (u32 k = 0; k < row_size; ++k, left >>= 1, id += strides.x) {
          if ((left & 1) != 0 && slot < capacity) out[slot++] = {id, primitive};
        }
      }
    }
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

inline BitRange bits_of_cells(u64 cell_capacity) {
  return {0, 64 - leading_zeros(cell_capacity)};
}

inline GridParts allocate_parts(ScratchArena::Frame& frame, u64 capacity, u64* count) {
  return {frame.allocate<GridPart>(capacity), frame.allocate<SmallPart>(capacity), frame.allocate<u32>(capacity),
          capacity, count};
}

inline u64 parts_bytes(u64 capacity) {
  return ScratchArena::bytes_for<GridPart>(capacity) + ScratchArena::bytes_for<SmallPart>(capacity) +
         ScratchArena::bytes_for<u32>(capacity);
}

/// Stores the parts of all primitives, in their order, and how many cells each has.
template <class Executor, class Cells>
void measure_parts(const Executor& ex, const Cells& cells, u64 n, const GridParts& parts) {
  u64* const no_offsets = nullptr;
  allocate(ex, "grid: parts", n, CountParts<Cells>{cells}, StorePart{parts.data}, parts.capacity, no_offsets,
           parts.count);
  for_each(ex, "grid: count references", parts.capacity, CountReferences<Cells>{cells, parts});
}

/// Where the pairs go.
struct CellPairs {
  u32* cells;          // ascending; behind the last pair, cell_capacity
  u32* primitive_ids;  // ascending in each cell
  u64 capacity;
  u64 cell_capacity;
  GridCounts* counts;
};

/// Those of n primitives of `cells`, CellsOfTriangles or CellsOfBoxes. With too little room, the pairs of the
/// first primitives alone.
template <class Executor, class Cells>
void sort_cell_pairs(const Executor& ex, const Cells& cells, u64 n, const CellPairs& pairs) {
  // Every part has a pair, so that there is room for the parts where there is for the pairs.
  const u64 capacity = pairs.capacity;
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
  for_each(ex, "grid: counts", 1, StoreCounts{&totals[0], &totals[1], capacity, pairs.counts});
  radix_sort_pairs(ex, "grid: sort by cell", capacity,
                   CellOfReference{references, pairs.counts, u32(pairs.cell_capacity)},
                   PrimitiveOfReference{references, pairs.counts}, pairs.cells, pairs.primitive_ids,
                   bits_of_cells(pairs.cell_capacity));
}

template <class Executor>
u64 cell_pairs_scratch_bytes(const Executor& ex, u64 n, u64 cell_capacity, u64 capacity) {
  const u64 parts = parts_bytes(capacity) + ScratchArena::bytes_for<u64>(capacity) +
                    larger(u64(allocate_scratch_bytes(ex, n)), u64(scan_scratch_bytes<u64>(ex, capacity)));
  const u64 sort = radix_sort_pairs_scratch_bytes<u32, u32>(ex, capacity, bits_of_cells(cell_capacity));
  return ScratchArena::bytes_for<u64>(2) + ScratchArena::bytes_for<GridReference>(capacity) + larger(parts, sort);
}

/// Stores how many parts the primitives have, and how many pairs those below the capacity of `parts` need.
template <class Executor, class Cells>
void count_cell_pairs(const Executor& ex, const Cells& cells, u64 n, const GridParts& parts, u64* pair_count) {
  measure_parts(ex, cells, n, parts);
  reduce(ex, "grid: sum references", parts.capacity, CellCountOfPart{parts.cell_counts}, u64{0}, Plus{},
         pair_count);
}

}  // namespace copse::detail

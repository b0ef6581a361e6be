#pragma once

// Pairs (cell, primitive) for all cells that primitives touch, sorted by cell and then by primitive: count, scan,
// emit, sort. For bodies: the executor's primitives must be included.

#include "builders/grid/cells/cell_parts.h"
#include "primitives/core/atomic.h"
#include "primitives/core/executor.h"
#include "primitives/enqueue.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

struct GridPart {
  u32 primitive, part;
};

/// What is known of a primitive. Where its cells are among 32 of a small range, as nearly always, each of them has
/// a bit, so that they need not be found again. A wide primitive is a number of parts, none for one without cells.
struct MeasuredPrimitive {
  u32 mask;      // of a wide one: the number of parts
  u32 first_id;  // of the range's cells
  u32 layout;    // 0 for a wide one

  COPSE_HD static MeasuredPrimitive wide(u32 part_count) { return {part_count, 0, 0}; }
  COPSE_HD static MeasuredPrimitive small(const CellParts& parts, const GridShape& shape, u32 mask) {
    return {mask, first_cell_id(cell_strides(shape, parts.axes), parts),
            parts.axes.along | parts.axes.beside << 2 | u32(parts.size.x) << 4 | u32(parts.size.y) << 16};
  }
  COPSE_HD bool is_small() const { return layout != 0; }
  COPSE_HD u32 part_count() const { return is_small() ? 1 : mask; }
  COPSE_HD u32 cell_count() const { return population_count(mask); }

  COPSE_HD uvec3 strides(const GridShape& shape) const {
    const u32 along = layout & 3, beside = layout >> 2 & 3;
    return cell_strides(shape, {along, beside, 3 - along - beside});
  }
  COPSE_HD u32 row_size() const { return layout >> 4 & 0xfff; }
  COPSE_HD u32 row_count() const { return layout >> 16; }
};

/// The parts that there is room for, of those that there are. Small primitives and wide ones are worked on by
/// launches of their own: what wide ones need takes so many registers that it would slow down the others. The wide
/// ones stand in queues; their order shows in nothing.
struct GridParts {
  MeasuredPrimitive* measured;  // a primitive
  QueueView<u32> wide_primitives;
  GridPart* data;
  u32* cell_counts;
  QueueView<u32> wide_parts;
  u64 capacity;
  u64* count;
};

struct MarkCells {
  u32 mask = 0;
  COPSE_HD void operator()(const CellRun& run) { mask |= (~0u >> (32 - run.count)) << run.place; }
};

template <class Cells>
struct MeasurePrimitive {
  Cells cells;
  GridParts parts;
  COPSE_HD void operator()(u64 i) const {
    MarkCells marks;
    CellParts range;
    const CellExtent extent = cells.visit_small(u32(i), range, marks);
    if (extent == CellExtent::wide) {
      QueueView<u32> wide = parts.wide_primitives;
      wide.push_by_warp(u32(i));
    } else {
      parts.measured[i] = extent == CellExtent::none ? MeasuredPrimitive::wide(0)
                                                     : MeasuredPrimitive::small(range, *cells.shape, marks.mask);
    }
  }
};

/// Threads for a queue. They take every so many-th element, so that a short queue costs little: such a thread has
/// much to put away before it begins.
inline u64 wide_threads(u64 capacity) {
  constexpr u64 most = u64{1} << 17;
  return smaller(capacity, most);
}

/// Threads that share the rows of each part in a queue: on a GPU a part over a whole slab of a grid is long for
/// one.
inline constexpr u32 threads_per_part(const cpu::Executor&) {
  return 1;
}
inline constexpr u32 threads_per_part(const cuda::Executor&) {
  return 8;
}

/// The rows of parts in the queue that a thread has one after the other.
struct WideRows {
  GridParts parts;
  u32 threads_per_part;
  u64 thread_count;

  struct Item {
    u32 slot;  // of the part
    PartRows rows;
  };
  COPSE_HD u64 count() const { return parts.wide_parts.size() * threads_per_part; }
  COPSE_HD Item operator()(u64 k) const {
    const u32 slot = parts.wide_parts.data()[k / threads_per_part];
    return {slot, {parts.data[slot].part, i32(k % threads_per_part), i32(threads_per_part)}};
  }
};

template <class Executor>
WideRows wide_rows(const Executor& ex, const GridParts& parts) {
  return {parts, threads_per_part(ex), wide_threads(parts.capacity * threads_per_part(ex))};
}

template <class Cells>
struct MeasureWidePrimitives {
  Cells cells;
  GridParts parts;
  u64 stride;
  COPSE_HD void operator()(u64 thread) const {
    for (u64 k = thread; k < parts.wide_primitives.size(); k += stride) {
      const u32 primitive = parts.wide_primitives.data()[k];
      parts.measured[primitive] = MeasuredPrimitive::wide(cells.part_count(primitive));
    }
  }
};

struct PartCountOfPrimitive {
  const MeasuredPrimitive* measured;
  COPSE_HD u32 operator()(u64 i) const { return measured[i].part_count(); }
};

struct StorePart {
  GridParts parts;
  COPSE_HD void operator()(u64 i, u64 k, u64 slot) const {
    parts.data[slot] = {u32(i), u32(k)};
    const MeasuredPrimitive measured = parts.measured[i];
    if (measured.is_small()) {
      parts.cell_counts[slot] = measured.cell_count();
    } else {
      parts.cell_counts[slot] = 0;
      QueueView<u32> wide = parts.wide_parts;
      wide.push_by_warp(u32(slot));
    }
  }
};

struct CountCells {
  u32 count = 0;
  COPSE_HD void operator()(const CellRun& run) { count += run.count; }
};

template <class Cells>
struct CountWideParts {
  Cells cells;
  WideRows wide;
  COPSE_HD void operator()(u64 thread) const {
    for (u64 k = thread; k < wide.count(); k += wide.thread_count) {
      const WideRows::Item item = wide(k);
      CountCells cell_count;
      cells.visit_part(wide.parts.data[item.slot].primitive, item.rows, cell_count);
      if (cell_count.count > 0) fetch_add_relaxed(&wide.parts.cell_counts[item.slot], cell_count.count);
    }
  }
};

struct CellCountOfPart {
  const u32* cell_counts;
  const u64* part_count;
  COPSE_HD u64 operator()(u64 i) const { return i < *part_count ? cell_counts[i] : 0; }
};

struct GridReference {
  u32 cell, primitive;
};

/// Threads that share a part take slots as they come, from its last one down: a cell is in one run of a primitive,
/// so that the sort by cell leaves no trace of their order.
struct WriteCells {
  GridReference* out;
  u64 begin, capacity;
  u32* left;  // slots of the part that are not taken
  u32 primitive;
  COPSE_HD void operator()(const CellRun& run) {
    const u64 slot = begin + (fetch_add_relaxed(left, 0 - run.count) - run.count);
    for (u32 k = 0; k < run.count && slot + k < capacity; ++k)
      out[slot + k] = {run.id + k * run.stride, primitive};
  }
};

/// Where references go.
struct ReferenceSlots {
  const u64* offsets;  // of each part
  const u64* part_count;
  const u64* total;  // behind the last part that there is room for
  GridReference* out;
  u64 capacity;

  /// Whether there is room for some of a part's references, but not for all.
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
      // What is left of a part is the same in every build where one thread writes it.
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

/// For n primitives.
inline GridParts allocate_parts(ScratchArena::Frame& frame, u64 n, u64 capacity, u64* count) {
  u64* const pushed = frame.allocate<u64>(2);
  auto* const measured = frame.allocate<MeasuredPrimitive>(n);
  const QueueView<u32> wide_primitives(frame.allocate<u32>(n), n, pushed);
  auto* const data = frame.allocate<GridPart>(capacity);
  u32* const cell_counts = frame.allocate<u32>(capacity);
  const QueueView<u32> wide_parts(frame.allocate<u32>(capacity), capacity, pushed + 1);
  return {measured, wide_primitives, data, cell_counts, wide_parts, capacity, count};
}

inline u64 parts_bytes(u64 n, u64 capacity) {
  return ScratchArena::bytes_for<u64>(2) + ScratchArena::bytes_for<MeasuredPrimitive>(n) +
         ScratchArena::bytes_for<u32>(n) + ScratchArena::bytes_for<GridPart>(capacity) +
         2 * ScratchArena::bytes_for<u32>(capacity);
}

/// Stores the parts of all primitives, in their order, and how many cells each has.
template <class Executor, class Cells>
void measure_parts(const Executor& ex, const Cells& cells, u64 n, const GridParts& parts) {
  fill_bytes(ex, "grid: clear queues", parts.wide_primitives.pushed(), 2, 0);
  for_each(ex, "grid: measure", n, MeasurePrimitive<Cells>{cells, parts});
  const u64 primitive_threads = wide_threads(n);
  for_each(ex, "grid: measure wide ones", primitive_threads,
           MeasureWidePrimitives<Cells>{cells, parts, primitive_threads});
  u64* const no_offsets = nullptr;
  expand(ex, "grid: parts", n, PartCountOfPrimitive{parts.measured}, StorePart{parts}, parts.capacity, no_offsets,
         parts.count);
  const WideRows wide = wide_rows(ex, parts);
  for_each(ex, "grid: count wide parts", wide.thread_count, CountWideParts<Cells>{cells, wide});
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

/// Stores how many parts the primitives have, and how many pairs those below the capacity of `parts` need.
template <class Executor, class Cells>
void count_cell_pairs(const Executor& ex, const Cells& cells, u64 n, const GridParts& parts, u64* pair_count) {
  measure_parts(ex, cells, n, parts);
  reduce(ex, "grid: sum references", parts.capacity, CellCountOfPart{parts.cell_counts, parts.count}, u64{0},
         Plus{}, pair_count);
}

}  // namespace copse::detail

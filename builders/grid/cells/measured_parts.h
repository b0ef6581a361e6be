#pragma once

// Primitives cut into parts of about equal work, and how many cells each part touches. For bodies: the executor's
// primitives must be included.

#include "builders/grid/cells/cell_parts.h"
#include "primitives/core/atomic.h"
#include "primitives/core/executor.h"
#include "primitives/enqueue.h"

namespace copse::detail {

struct GridPart {
  u32 primitive, part;
};

/// The cells of a primitive, as far as they were found. Nearly always they are among the 32 cells of a small
/// range; then each of them has a bit in `mask`, so that they need not be found again. For a wide primitive only
/// the number of its parts is kept; a primitive without cells counts as wide, with 0 parts.
struct MeasuredPrimitive {
  u32 mask;      // for a wide primitive: the number of parts
  u32 first_id;  // id of the first cell of the range
  u32 layout;    // axes and size of the range; 0 for a wide primitive

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

/// The parts of all primitives, as many as there is room for. Small and wide primitives have launches of their
/// own, since wide ones need so many registers that they would slow down the others. The wide ones are in queues,
/// whose order does not change any result.
struct GridParts {
  MeasuredPrimitive* measured;  // one per primitive
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

/// Returns the number of threads for a queue. Thread i takes elements i, i + count, and so on. There are at most
/// 2^17 threads, so that a short queue costs little: each such thread has much state to save before it
/// begins.
inline u64 wide_threads(u64 capacity) {
  constexpr u64 most = u64{1} << 17;
  return smaller(capacity, most);
}

/// Returns how many threads share the rows of each part in a queue. On a GPU, a part over a whole slab of a grid
/// is long work for one thread.
inline constexpr u32 threads_per_part(const cpu::Executor&) {
  return 1;
}
inline constexpr u32 threads_per_part(const cuda::Executor&) {
  return 8;
}

/// The rows of parts in the queue, as items that a thread takes one after the other.
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

/// Allocates the parts of n primitives.
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

/// Stores the parts of all primitives, in the order of the primitives, and how many cells each part has.
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

}  // namespace copse::detail

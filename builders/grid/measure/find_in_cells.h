#pragma once

// Looks up each primitive in the lists of the cells that it touches. For bodies: the executor's primitives must be
// included.

#include "builders/grid/cells/cell_parts.h"
#include "builders/grid/cells/list_begins.h"
#include "builders/grid/measure/counts.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

struct CheckCellIds {
  GridView grid;
  u64 primitive_count;
  CellFaults* faults;
  COPSE_HD void operator()(u64 cell) const {
    const u32* const ids = grid.primitive_ids.data();
    const u32 begin = grid.cell_begins.data()[cell], end = grid.cell_begins.data()[cell + 1];
    u64 bad = 0;
    for (u32 k = begin; k < end; ++k)
      bad += ids[k] >= primitive_count || (k > begin && ids[k] <= ids[k - 1]) ? 1 : 0;
    if (bad > 0) fetch_add_relaxed(&faults->bad_ids, bad);
  }
};

/// Looks up a primitive in cells that it touches.
struct FindInCells {
  const GridView& grid;
  u32 primitive;
  u64 found = 0, missing = 0;

  COPSE_HD void operator()(const CellRun& run) {
    for (u32 k = 0; k < run.count; ++k) {
      const bool there = contains(run.id + k * run.stride);
      found += there ? 1 : 0;
      missing += there ? 0 : 1;
    }
  }
  COPSE_HD bool contains(u32 cell) const {
    const u32* const ids = grid.primitive_ids.data();
    const u32 begin = grid.cell_begins.data()[cell], end = grid.cell_begins.data()[cell + 1];
    const u64 place = lower_bound(ids, begin, end, primitive);
    return place < end && ids[place] == primitive;
  }
};

template <class Cells>
struct FindPrimitive {
  Cells cells;
  GridView grid;
  CellFaults* faults;
  u64* found_count;
  COPSE_HD void operator()(u64 i) const {
    FindInCells find{grid, u32(i)};
    const u32 part_count = cells.part_count(u32(i));
    for (u32 part = 0; part < part_count; ++part) cells.visit_part(u32(i), {part}, find);
    if (find.missing > 0) fetch_add_relaxed(&faults->missing_references, find.missing);
    fetch_add_relaxed(found_count, find.found);
  }
};

struct CountWrongReferences {
  const u64* found_count;
  const GridCounts* counts;
  CellFaults* faults;
  COPSE_HD void operator()(u64) const { faults->wrong_references = counts->stored_count - *found_count; }
};

/// Counts the faults in the content of the lists, against the n primitives of `cells`. The lists must follow each
/// other.
template <class Executor, class Cells>
void find_primitives(const Executor& ex, const Cells& cells, u64 n, const GridView& grid, u64 cell_count,
                     CellFaults* faults) {
  for_each(ex, "grid validate: ids", cell_count, CheckCellIds{grid, n, faults});
  ScratchArena::Frame frame(ex.scratch);
  u64* found_count = frame.allocate<u64>(1);
  fill_bytes(ex, "grid validate: clear", found_count, 1, 0);
  for_each(ex, "grid validate: primitives", n, FindPrimitive<Cells>{cells, grid, faults, found_count});
  for_each(ex, "grid validate: rest", 1, CountWrongReferences{found_count, grid.counts.data(), faults});
}

}  // namespace copse::detail

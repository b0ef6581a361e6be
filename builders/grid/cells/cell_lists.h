#pragma once

// The lists of a grid's cells, from the cells that primitives touch. For bodies: the executor's primitives must be
// included.

#include "builders/grid/cells/cell_pairs.h"
#include "builders/grid/cells/grid_arrays.h"
#include "builders/grid/cells/list_begins.h"

namespace copse::detail {

/// The keys that stand there.
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

#pragma once

#include "builders/grid/layout.h"
#include "primitives/core/buffer.h"

namespace copse {

/// A uniform grid that owns its memory. build_grid makes it; kernels and traversal take its view().
struct Grid {
  Buffer<GridShape> shape;
  Buffer<u32> cell_begins;
  Buffer<u32> primitive_ids;
  Buffer<GridCounts> counts;
  u64 source_count = never_built;  // primitives given to the last build, in the grid or left out

  GridView view() const { return {shape.span(), cell_begins.span(), primitive_ids.span(), counts.span()}; }

  bool is_built() const { return !shape.empty() && source_count != never_built; }

  /// How many cells and references the memory has room for.
  u64 cell_capacity() const { return cell_begins.empty() ? 0 : cell_begins.size() - 1; }
  u64 reference_capacity() const { return primitive_ids.size(); }
  u64 size_bytes() const {
    return shape.size_bytes() + cell_begins.size_bytes() + primitive_ids.size_bytes() + counts.size_bytes();
  }
};

/// The largest number of references of one grid: 2^32 - 1.
inline constexpr u64 max_references = 0xffffffffu;

/// Returns a grid with room for so many cells and references. Nothing is built in it yet.
/// Throws: Error capacity past 2^30 cells or 2^32 - 1 references, Error out_of_memory.
COPSE_API Grid make_grid(Context& context, u64 cell_capacity, u64 reference_capacity);

/// Returns the bytes of such a grid on the device.
constexpr u64 grid_bytes(u64 cell_capacity, u64 reference_capacity) {
  return sizeof(GridShape) + (cell_capacity + 1) * sizeof(u32) + reference_capacity * sizeof(u32) +
         sizeof(GridCounts);
}

/// Throws if the last build needed more references than the grid has room for. Its cells then list only some of
/// the primitives that touch them.
/// Throws: Error capacity, with the number of references that are needed.
/// Waits: for the counts.
COPSE_API void check_complete(const Grid& grid);

}  // namespace copse

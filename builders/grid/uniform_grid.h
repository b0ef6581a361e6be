#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/grid/grid.h"

namespace copse {

struct GridOptions {
  /// Cells along each axis: 1 to 2048 each, at most 2^30 in all. The default 0 on all axes means that `density`
  /// decides. If cells would be more than 64 times as long as thick, as over a flat mesh, there are fewer of them.
  uvec3 resolution = uvec3(0);

  /// Cells per primitive, if no resolution is given: above 0, up to 1024, default 4. The cells are nearly cubes.
  /// More cells mean fewer tests per ray, more steps and more memory.
  float density = 4;

  /// Room for this many references: up to 2^32 - 1. The default 0 means as many as this build needs; they are
  /// counted first. Give more than this build needs if the grid will be rebuilt over primitives that move.
  u64 reference_capacity = 0;
};

/// Returns a uniform grid over triangles or boxes: each cell lists the primitives that touch it, ascending. The
/// grid is equal on all backends bit for bit. Primitives with a coordinate that is infinite or NaN, and inverted
/// boxes, are left out.
///
/// The vertices of a triangle are rounded to 1/256 of a cell. Then exactly those cells list the triangle that come
/// within 2/256 of a cell's edge of it, so no cell that it touches misses it. Boxes are treated likewise. The work
/// is shared evenly among threads, however uneven the primitives are.
///
///   triangles: their indices must be below the number of positions; this is not checked
///
/// Source: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009, section 5.2; Kalojanov,
/// Slusallek, "A Parallel Algorithm for Construction of Uniform Grids", HPG 2009.
/// Throws: Error invalid_argument for options out of range, Error capacity past 2^31 primitives or 2^32 - 1
/// references, Error out_of_memory, Error cancelled.
/// Waits: twice, for the number of references, if options.reference_capacity is 0; else for nothing.
/// Memory: see grid_sizes.
COPSE_API Grid build_grid(Context& context, const TriangleViews& triangles, const GridOptions& options = {});
COPSE_API Grid build_grid(Context& context, const BoxView& boxes, const GridOptions& options = {});

/// Builds a fresh grid in the memory of `grid`. A Graph can capture it. If the cells need more references than
/// grid.reference_capacity(), nothing is written past that, the cells list the first primitives only, and
/// check_complete throws.
///   options: reference_capacity is ignored
/// Throws: as build_grid; Error invalid_argument for more cells than grid.cell_capacity().
/// Waits: for nothing.
/// Memory: see grid_sizes; once warm, nothing is allocated.
COPSE_API void rebuild_grid(Context& context, Grid& grid, const TriangleViews& triangles,
                            const GridOptions& options = {});
COPSE_API void rebuild_grid(Context& context, Grid& grid, const BoxView& boxes, const GridOptions& options = {});

/// Returns how many cells a grid may have by these options.
/// Throws: Error invalid_argument for options out of range.
COPSE_API u64 grid_cell_capacity(u64 primitive_count, const GridOptions& options);

/// Returns the bytes that build_grid takes for `primitive_count` primitives of `view_count` views on this context.
/// options.reference_capacity must be given.
/// Throws: as build_grid; Error invalid_argument without a reference capacity.
COPSE_API BuildSizes grid_sizes(Context& context, u64 primitive_count, const GridOptions& options,
                                u64 view_count = 1);

/// Returns how many references the cells need.
/// Throws: as build_grid.
/// Waits: twice, for counts.
COPSE_API u64 count_references(Context& context, const TriangleViews& triangles, const GridOptions& options = {});
COPSE_API u64 count_references(Context& context, const BoxView& boxes, const GridOptions& options = {});

}  // namespace copse

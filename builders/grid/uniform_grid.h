#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/grid/grid.h"

namespace copse {

struct GridOptions {
  /// Cells along each axis, 1 to 2048, at most 2^30 in all; 0 on all axes: from `density`. Where cells would be
  /// more than 64 times as long as thick, as over a flat mesh, there are fewer.
  uvec3 resolution = uvec3(0);

  /// Cells a primitive, where no resolution is given: above 0, up to 1024. The cells are nearly cubes. More cells
  /// mean fewer tests a ray, more steps and more memory.
  float density = 4;

  /// References that the grid has room for; 0: as many as this build needs, which are counted first. Give more
  /// than this build needs where the grid is to be rebuilt over primitives that move.
  u64 reference_capacity = 0;
};

/// A uniform grid over triangles or boxes: for each cell the primitives that touch it, ascending. Equal on all
/// backends bit for bit. Primitives with a coordinate that is infinite or NaN, and inverted boxes, are left out.
///
/// A triangle stands in exactly the cells that come within 2/256 of a cell's edge of it after its vertices were
/// rounded to 1/256 of a cell, so that no cell that it touches misses it; a box likewise. The work is shared
/// evenly, however uneven the primitives are.
///
/// Triangle indices must be below the number of positions; the builder does not check them.
///
/// Source: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009, section 5.2; Kalojanov,
/// Slusallek, "A Parallel Algorithm for Construction of Uniform Grids", HPG 2009.
/// Throws: Error invalid_argument for options out of range, Error capacity past 2^31 primitives or 2^32 - 1
/// references, Error out_of_memory, Error cancelled.
/// Memory: see grid_sizes. Waits twice for the number of references where options.reference_capacity is 0.
Grid build_grid(Context& context, const TriangleViews& triangles, const GridOptions& options = {});
Grid build_grid(Context& context, const BoxView& boxes, const GridOptions& options = {});

/// Builds a fresh grid in the memory of `grid`. Waits for nothing and, once warm, allocates nothing, so that it
/// can be captured in a Graph. Where the cells need more references than grid.reference_capacity(), nothing is
/// written past it, the first primitives alone stand in the cells, and check_complete throws.
///   options: reference_capacity is not looked at
/// Throws: as build_grid; Error invalid_argument for more cells than grid.cell_capacity().
void rebuild_grid(Context& context, Grid& grid, const TriangleViews& triangles, const GridOptions& options = {});
void rebuild_grid(Context& context, Grid& grid, const BoxView& boxes, const GridOptions& options = {});

/// The cells that a grid may have by these options.
/// Throws: Error invalid_argument for options out of range.
u64 grid_cell_capacity(u64 primitive_count, const GridOptions& options);

/// The bytes that build_grid takes for `primitive_count` primitives of `view_count` views on this context.
/// options.reference_capacity must be given.
/// Throws: as build_grid; Error invalid_argument without a reference capacity.
BuildSizes grid_sizes(Context& context, u64 primitive_count, const GridOptions& options, u64 view_count = 1);

/// The references that the cells need.
/// Throws: as build_grid. Waits.
u64 count_references(Context& context, const TriangleViews& triangles, const GridOptions& options = {});
u64 count_references(Context& context, const BoxView& boxes, const GridOptions& options = {});

}  // namespace copse

#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/grid/frustum_layout.h"
#include "builders/grid/grid.h"

namespace copse {

struct FrustumGridOptions {
  /// Tiles across and down, 1 to 512 each, and slabs, 1 to 256. A tile is a rectangle of the screen, a slab a
  /// range of depths; slabs are equally thick in 1 / depth.
  uvec3 resolution = uvec3(128, 128, 16);

  /// References that the grid has room for; 0: as many as this build needs, which are counted first. Give more
  /// than this build needs where the grid is to be rebuilt over triangles or for cameras that move.
  u64 reference_capacity = 0;
};

/// A frustum grid that owns its memory. Made by build_frustum_grid; view() is what tracing takes.
struct FrustumGrid {
  Grid cells;  // in the frustum's own space: its cells are slabs, tiles across, tiles down
  Buffer<FrustumShape> shape;
  ViewFrustum frustum{};  // of the last build
  uvec3 resolution{0};    // tiles across, tiles down, slabs

  FrustumGridView view() const { return {frustum, resolution, shape.span(), cells.view()}; }
  u64 reference_capacity() const { return cells.reference_capacity(); }
  u64 size_bytes() const { return cells.size_bytes() + shape.size_bytes(); }
};

/// A grid over what a camera sees of triangles: the screen in tiles, each cut into slabs by depth, and for each
/// cell the triangles that touch it, ascending. To be rebuilt for every picture. Equal on all backends bit for
/// bit. Triangles with a coordinate that is infinite or NaN, behind the eye or beside the screen are left out.
///
/// A triangle stands in every cell that it touches; and in no other but those that come within the grid's padding
/// of it (FrustumShape, 3/256 of a cell for usual cameras). The padding is larger for a triangle that reaches so
/// near to the eye and so far from it that the test of rays against it errs by more; and one for which that is
/// half a cell, or which passes through the eye, stands in all tiles down to the farthest depth at which it is
/// seen.
///
///   frustum: finite; the directions span the space; nearest and farthest 0 or above
/// Triangle indices must be below the number of positions; the builder does not check them.
///
/// Source: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009, section 5.2, after their
/// "Ray Casting Deformable Models on the GPU", ICVGIP 2008. Where we differ: triangles are tested against cells
/// exactly, in the space in which a frustum is a box; and cells are found as for uniform grids (uniform_grid.h).
/// Throws: Error invalid_argument for frusta and options out of range, and tiles so narrow that the rounding of a
/// ray's direction is 62/256 of them; Error capacity past 2^31 triangles or 2^32 - 1 references, Error
/// out_of_memory, Error cancelled.
/// Memory: see frustum_grid_sizes. Waits twice for the number of references where options.reference_capacity is 0.
FrustumGrid build_frustum_grid(Context& context, const TriangleViews& triangles, const ViewFrustum& frustum,
                               const FrustumGridOptions& options = {});

/// Builds a fresh grid in the memory of `grid`, of the same resolution. Waits for nothing and, once warm,
/// allocates nothing, so that it can be captured in a Graph; the graph keeps the frustum. Where the cells need
/// more references than grid.reference_capacity(), nothing is written past it, the first triangles alone stand in
/// the cells, and check_complete(grid.cells) throws. Throws: as build_frustum_grid; Error invalid_argument for a
/// grid that was never made.
void rebuild_frustum_grid(Context& context, FrustumGrid& grid, const TriangleViews& triangles,
                          const ViewFrustum& frustum);

/// A grid with room for so many references, nothing built yet.
/// Throws: Error invalid_argument for a resolution out of range, Error capacity past 2^32 - 1 references, Error
/// out_of_memory.
FrustumGrid make_frustum_grid(Context& context, const uvec3& resolution, u64 reference_capacity);

/// The bytes that build_frustum_grid takes for `triangle_count` triangles of `view_count` views on this context.
/// options.reference_capacity must be given.
/// Throws: as build_frustum_grid; Error invalid_argument without a reference capacity.
BuildSizes frustum_grid_sizes(Context& context, u64 triangle_count, const FrustumGridOptions& options,
                              u64 view_count = 1);

/// The references that the cells need.
/// Throws: as build_frustum_grid. Waits.
u64 count_references(Context& context, const TriangleViews& triangles, const ViewFrustum& frustum,
                     const FrustumGridOptions& options = {});

}  // namespace copse

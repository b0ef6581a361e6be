#pragma once

#include "builders/bvh/bvh.h"
#include "builders/geometry/primitive_set.h"
#include "builders/grid/frustum_layout.h"
#include "builders/grid/grid.h"

namespace copse {

struct FrustumGridOptions {
  /// Tiles across and down: 1 to 512 each, default 128; and slabs: 1 to 256, default 16. A tile is a rectangle of
  /// the screen, a slab is a range of depths. Slabs are equally thick in 1 / depth.
  uvec3 resolution = uvec3(128, 128, 16);

  /// Room for this many references: up to 2^32 - 1. The default 0 means as many as this build needs; they are
  /// counted first. Give more than this build needs if the grid will be rebuilt over triangles or for cameras that
  /// move.
  u64 reference_capacity = 0;
};

/// A frustum grid that owns its memory. build_frustum_grid makes it; tracing takes its view().
struct FrustumGrid {
  Grid cells;  // in the frustum's own space: its cells are slabs, tiles across, tiles down
  Buffer<FrustumShape> shape;
  ViewFrustum frustum{};  // of the last build
  uvec3 resolution{0};    // tiles across, tiles down, slabs

  FrustumGridView view() const { return {frustum, resolution, shape.span(), cells.view()}; }
  u64 reference_capacity() const { return cells.reference_capacity(); }
  u64 size_bytes() const { return cells.size_bytes() + shape.size_bytes(); }
};

/// Returns a grid over what a camera sees of triangles. The screen is cut into tiles and each tile into slabs by
/// depth; each cell lists the triangles that touch it, ascending. The grid is meant to be rebuilt for every
/// picture. It is equal on all backends bit for bit. Triangles are left out if a coordinate is infinite or NaN, or
/// if they are behind the eye or beside the screen.
///
/// Every cell that a triangle touches lists it. Other cells list it only if they come within the grid's padding of
/// it (FrustumShape; 3/256 of a cell for usual cameras). The padding is larger for a triangle that reaches both
/// very near to the eye and far from it, since rays are then tested against it with a larger error. If that error
/// is half a cell, or if the triangle passes through the eye, all tiles list it, down to the farthest depth at
/// which it is seen.
///
///   triangles: their indices must be below the number of positions; this is not checked
///   frustum: finite; the directions span the space; nearest and farthest are 0 or above
///
/// Source: Patidar, Narayanan, "Scalable Split and Gather Primitives for the GPU", 2009, section 5.2, after their
/// "Ray Casting Deformable Models on the GPU", ICVGIP 2008. Where we differ: triangles are tested against cells
/// exactly, in the space in which a frustum is a box; and cells are found as for uniform grids (uniform_grid.h).
/// Throws: Error invalid_argument for frusta and options out of range, and for tiles so narrow that the rounding
/// of a ray's direction is 62/256 of them; Error capacity past 2^31 triangles or 2^32 - 1 references, Error
/// out_of_memory, Error cancelled.
/// Waits: twice, for the number of references, if options.reference_capacity is 0; else for nothing.
/// Memory: see frustum_grid_sizes.
COPSE_API FrustumGrid build_frustum_grid(Context& context, const TriangleViews& triangles,
                                         const ViewFrustum& frustum, const FrustumGridOptions& options = {});

/// Builds a fresh grid of the same resolution in the memory of `grid`. A Graph can capture it; the graph keeps the
/// frustum. If the cells need more references than grid.reference_capacity(), nothing is written past that, the
/// cells list the first triangles only, and check_complete(grid.cells) throws.
/// Throws: as build_frustum_grid; Error invalid_argument for a grid that was never made.
/// Waits: for nothing.
/// Memory: see frustum_grid_sizes; once warm, nothing is allocated.
COPSE_API void rebuild_frustum_grid(Context& context, FrustumGrid& grid, const TriangleViews& triangles,
                                    const ViewFrustum& frustum);

/// Returns a grid with room for so many references. Nothing is built in it yet.
/// Throws: Error invalid_argument for a resolution out of range, Error capacity past 2^32 - 1 references, Error
/// out_of_memory.
COPSE_API FrustumGrid make_frustum_grid(Context& context, const uvec3& resolution, u64 reference_capacity);

/// Returns the bytes that build_frustum_grid takes for `triangle_count` triangles of `view_count` views on this
/// context. options.reference_capacity must be given.
/// Throws: as build_frustum_grid; Error invalid_argument without a reference capacity.
COPSE_API BuildSizes frustum_grid_sizes(Context& context, u64 triangle_count, const FrustumGridOptions& options,
                                        u64 view_count = 1);

/// Returns how many references the cells need.
/// Throws: as build_frustum_grid.
/// Waits: twice, for counts.
COPSE_API u64 count_references(Context& context, const TriangleViews& triangles, const ViewFrustum& frustum,
                               const FrustumGridOptions& options = {});

}  // namespace copse

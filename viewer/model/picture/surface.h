#pragma once

#include "builders/geometry/triangle.h"
#include "builders/grid/frustum_layout.h"
#include "builders/grid/hash_layout.h"
#include "builders/grid/voxel_tree_layout.h"
#include "builders/kd/sah_kd_layout.h"
#include "trace/ray.h"
#include "trace/trace_rays.h"

// What the rays of pixels hit, the same for trees, grids and voxels.

namespace copse::viewer {

struct SurfaceHit {
  vec3 normal;  // of length 1, towards the ray's origin
  float t;
  u32 id;  // the triangle, the point or the number of the voxel; invalid_id on a miss
};

static_assert(sizeof(SurfaceHit) == 20);

/// Stores the surfaces of hits on the triangles of one view.
///   surfaces: as many as hits and rays
/// Throws: Error cancelled.
void resolve_hits(Context& context, const TriangleView& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<const Hit> hits, BufferSpan<SurfaceHit> surfaces);

/// Stores the first voxels that rays hit, as surfaces: faces of cubes. A voxel's number counts x first, modulo
/// 2^32.
void see_voxels(Context& context, const VoxelView& voxels, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces);
void see_voxels(Context& context, const BrickView& bricks, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces);
void see_voxels(Context& context, const VoxelTreeView& tree, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces);

/// Stores in occluded[i] 1 if ray i hits a voxel, else 0.
void meet_voxels(Context& context, const VoxelView& voxels, BufferSpan<const Ray> rays, BufferSpan<u8> occluded);
void meet_voxels(Context& context, const BrickView& bricks, BufferSpan<const Ray> rays, BufferSpan<u8> occluded);
void meet_voxels(Context& context, const VoxelTreeView& tree, BufferSpan<const Ray> rays, BufferSpan<u8> occluded);

/// Points of a hash grid as balls.
struct PointsView {
  HashGridView grid;
  float radius;  // at most half a cell; a larger one counts as that
};

/// Stores the first balls that rays hit, as surfaces. Their ids are those of the points.
void see_points(Context& context, const PointsView& points, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces);
/// Stores in occluded[i] 1 if ray i hits a ball, else 0.
void meet_points(Context& context, const PointsView& points, BufferSpan<const Ray> rays, BufferSpan<u8> occluded);

/// Stores how much of a structure each ray visits up to its closest hit: nodes and triangles of a tree or a kd-tree, cells and
/// triangles of a grid, voxels or places of bricks that it passes, cells and points of a hash grid.
void count_visits(Context& context, const TreeView& tree, const TriangleView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<u32> visits);
void count_visits(Context& context, const GridView& grid, const TriangleView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<u32> visits);
void count_visits(Context& context, const FrustumGridView& grid, const TriangleView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<u32> visits);
void count_visits(Context& context, const SahKdView& tree, const TriangleView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<u32> visits);
void count_visits(Context& context, const PointsView& points, BufferSpan<const Ray> rays, BufferSpan<u32> visits);
void count_visits(Context& context, const VoxelView& voxels, BufferSpan<const Ray> rays, BufferSpan<u32> visits);
void count_visits(Context& context, const BrickView& bricks, BufferSpan<const Ray> rays, BufferSpan<u32> visits);
void count_visits(Context& context, const VoxelTreeView& tree, BufferSpan<const Ray> rays, BufferSpan<u32> visits);

}  // namespace copse::viewer

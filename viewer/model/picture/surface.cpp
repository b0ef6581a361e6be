#include "viewer/model/picture/surface.h"

#include "primitives/core/dispatch.h"

namespace copse::viewer {

// The bodies: surface.inl, and visits.inl, voxel_rays.inl and point_rays.inl of structures, for either executor.

template <class Executor>
void resolve_hits(const Executor& ex, const TriangleView& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<const Hit> hits, BufferSpan<SurfaceHit> surfaces);

/// For View of VoxelView, BrickView and VoxelTreeView.
template <class Executor, class View>
void see_voxels(const Executor& ex, const View& voxels, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces);
template <class Executor, class View>
void meet_voxels(const Executor& ex, const View& voxels, BufferSpan<const Ray> rays, BufferSpan<u8> occluded);

template <class Executor>
void see_points(const Executor& ex, const PointsView& points, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces);
template <class Executor>
void meet_points(const Executor& ex, const PointsView& points, BufferSpan<const Ray> rays,
                 BufferSpan<u8> occluded);
template <class Executor>
void count_point_visits(const Executor& ex, const PointsView& points, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits);

/// For View of all trees, GridView and FrustumGridView.
template <class Executor, class View>
void count_visits(const Executor& ex, const View& view, const TriangleView& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<u32> visits);
/// For View of VoxelView, BrickView and VoxelTreeView.
template <class Executor, class View>
void count_voxel_visits(const Executor& ex, const View& voxels, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits);

void resolve_hits(Context& context, const TriangleView& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<const Hit> hits, BufferSpan<SurfaceHit> surfaces) {
  dispatch(context, [&](const auto& ex) { resolve_hits(ex, triangles, rays, hits, surfaces); });
}

void see_voxels(Context& context, const VoxelView& voxels, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces) {
  dispatch(context, [&](const auto& ex) { see_voxels(ex, voxels, rays, surfaces); });
}
void see_voxels(Context& context, const BrickView& bricks, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces) {
  dispatch(context, [&](const auto& ex) { see_voxels(ex, bricks, rays, surfaces); });
}
void see_voxels(Context& context, const VoxelTreeView& tree, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces) {
  dispatch(context, [&](const auto& ex) { see_voxels(ex, tree, rays, surfaces); });
}

void meet_voxels(Context& context, const VoxelView& voxels, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) {
  dispatch(context, [&](const auto& ex) { meet_voxels(ex, voxels, rays, occluded); });
}
void meet_voxels(Context& context, const BrickView& bricks, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) {
  dispatch(context, [&](const auto& ex) { meet_voxels(ex, bricks, rays, occluded); });
}
void meet_voxels(Context& context, const VoxelTreeView& tree, BufferSpan<const Ray> rays,
                 BufferSpan<u8> occluded) {
  dispatch(context, [&](const auto& ex) { meet_voxels(ex, tree, rays, occluded); });
}

void count_visits(Context& context, const TreeView& tree, const TriangleView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<u32> visits) {
  const auto count = [&](const auto& view) {
    dispatch(context, [&](const auto& ex) { count_visits(ex, view, triangles, rays, visits); });
  };
  std::visit(count, tree);
}
void count_visits(Context& context, const GridView& grid, const TriangleView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<u32> visits) {
  dispatch(context, [&](const auto& ex) { count_visits(ex, grid, triangles, rays, visits); });
}
void count_visits(Context& context, const SahKdView& tree, const TriangleView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<u32> visits) {
  dispatch(context, [&](const auto& ex) { count_visits(ex, tree, triangles, rays, visits); });
}
void see_points(Context& context, const PointsView& points, BufferSpan<const Ray> rays,
                BufferSpan<SurfaceHit> surfaces) {
  dispatch(context, [&](const auto& ex) { see_points(ex, points, rays, surfaces); });
}
void meet_points(Context& context, const PointsView& points, BufferSpan<const Ray> rays, BufferSpan<u8> occluded) {
  dispatch(context, [&](const auto& ex) { meet_points(ex, points, rays, occluded); });
}

void count_visits(Context& context, const FrustumGridView& grid, const TriangleView& triangles,
                  BufferSpan<const Ray> rays, BufferSpan<u32> visits) {
  dispatch(context, [&](const auto& ex) { count_visits(ex, grid, triangles, rays, visits); });
}
void count_visits(Context& context, const PointsView& points, BufferSpan<const Ray> rays, BufferSpan<u32> visits) {
  dispatch(context, [&](const auto& ex) { count_point_visits(ex, points, rays, visits); });
}
void count_visits(Context& context, const VoxelView& voxels, BufferSpan<const Ray> rays, BufferSpan<u32> visits) {
  dispatch(context, [&](const auto& ex) { count_voxel_visits(ex, voxels, rays, visits); });
}
void count_visits(Context& context, const BrickView& bricks, BufferSpan<const Ray> rays, BufferSpan<u32> visits) {
  dispatch(context, [&](const auto& ex) { count_voxel_visits(ex, bricks, rays, visits); });
}
void count_visits(Context& context, const VoxelTreeView& tree, BufferSpan<const Ray> rays,
                  BufferSpan<u32> visits) {
  dispatch(context, [&](const auto& ex) { count_voxel_visits(ex, tree, rays, visits); });
}

}  // namespace copse::viewer

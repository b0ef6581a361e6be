#pragma once

#include "viewer/model/picture/surface.h"

namespace copse::viewer {

template <class Executor>
void resolve_hits(const Executor& ex, const TriangleView& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<const Hit> hits, BufferSpan<SurfaceHit> surfaces);

/// For View of VoxelView and BrickView.
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
template <class Executor>
void label_buckets(const Executor& ex, const HashGridView& grid, const PositionSpan& positions,
                   BufferSpan<const SurfaceHit> surfaces, BufferSpan<u32> labels);

/// For View of all trees, GridView and FrustumGridView.
template <class Executor, class View>
void count_visits(const Executor& ex, const View& view, const TriangleView& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<u32> visits);
/// For View of VoxelView and BrickView.
template <class Executor, class View>
void count_voxel_visits(const Executor& ex, const View& voxels, BufferSpan<const Ray> rays,
                        BufferSpan<u32> visits);

}  // namespace copse::viewer

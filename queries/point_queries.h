#pragma once

#include "builders/geometry/primitive_set.h"
#include "primitives/core/context.h"
#include "queries/k_nearest.h"
#include "queries/nearest_point.h"
#include "queries/point_inside.h"
#include "trace/tree_view.h"

namespace copse {

// Questions about points, many at once. In kernels and on the host one by one: queries/nearest_point.h, k_nearest.h
// and point_inside.h. Where the nearest is asked of 2^14 points or more, they are asked along a curve through the
// tree's box, so that their own order matters little.
//
// All put work on the stream and return, and may be captured in a graph. They throw Error invalid_argument where
// sizes do not fit or the tree has no node, Error out_of_memory, Error cancelled.
//
// Memory: scratch of 64 bytes a view where there are several views; for nearest_points and nearest_primitives of
// 2^14 points or more, about 20 bytes a point besides.

/// The point of the surface nearest to each point and no farther than `max_distance`, as nearest_point says; equal
/// on all backends bit for bit.
///   bvh:          a tree over `triangles`, of any layout and depth
///   points:       any number, may be empty; NaN and infinite ones find nothing
///   nearest:      as many; must not overlap the points
void nearest_points(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                    BufferSpan<const vec3> points, BufferSpan<NearestPoint> nearest,
                    float max_distance = infinity);

/// The k triangles nearest to each point and no farther than `max_distance`, nearest first, as k_nearest says;
/// equal on all backends bit for bit.
///   points:       any number, may be empty
///   neighbours:   k for each point, those of point i from k * i on; where there are fewer, the rest are
///                 Neighbour::none(). k is what the sizes say; must not overlap the points
/// Throws: Error invalid_argument also where the neighbours are not a multiple of the points.
void nearest_primitives(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                        BufferSpan<const vec3> points, BufferSpan<Neighbour> neighbours,
                        float max_distance = infinity);

/// inside[i] is 1 where point i is inside the closed mesh, else 0, as is_inside says; equal on all backends.
///   points:       any number, may be empty
///   inside:       as many; must not overlap the points
void points_inside(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                   BufferSpan<const vec3> points, BufferSpan<u8> inside);

}  // namespace copse

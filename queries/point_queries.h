#pragma once

#include "builders/geometry/primitive_set.h"
#include "primitives/core/context.h"
#include "queries/k_nearest.h"
#include "queries/nearest_point.h"
#include "queries/point_inside.h"
#include "trace/tree_view.h"

namespace copse {

// Queries about batches of points. For one point at a time, in kernels and on the host: queries/nearest_point.h,
// k_nearest.h and point_inside.h. nearest_points and nearest_primitives process 2^14 points or more along a Morton
// curve through the box of the tree, so that the order of the points matters little.
//
// All functions put work on the stream and return, and may be captured in a graph. They throw Error
// invalid_argument if sizes do not match or the tree has no node; Error out_of_memory; Error cancelled.
//
// Memory: scratch of 64 bytes per view if there are several views. nearest_points and nearest_primitives take
// about 20 bytes more per point, from 2^14 points on.

/// Stores the point of the surface that is nearest to each point, as nearest_point does. None is farther than
/// `max_distance`. Equal on all backends bit for bit.
///   bvh:     a tree over `triangles`, of any layout and depth
///   points:  any number, may be empty; NaN and infinite ones find nothing
///   nearest: as many as points; must not overlap them
COPSE_API void nearest_points(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                              BufferSpan<const vec3> points, BufferSpan<NearestPoint> nearest,
                              float max_distance = infinity);

/// Stores the k triangles nearest to each point, nearest first, as k_nearest does. None is farther than
/// `max_distance`. Equal on all backends bit for bit.
///   points:     any number, may be empty
///   neighbours: k per point, those of point i from k * i on. If there are fewer, the rest are Neighbour::none().
///               k follows from the sizes. Must not overlap the points
/// Throws: also Error invalid_argument if the number of neighbours is not a multiple of the number of points.
COPSE_API void nearest_primitives(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                                  BufferSpan<const vec3> points, BufferSpan<Neighbour> neighbours,
                                  float max_distance = infinity);

/// Stores in inside[i] 1 if point i is inside the closed mesh, else 0, as is_inside decides. Equal on all
/// backends.
///   points: any number, may be empty
///   inside: as many as points; must not overlap them
COPSE_API void points_inside(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                             BufferSpan<const vec3> points, BufferSpan<u8> inside);

}  // namespace copse

#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/stats.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

/// Returns the end-point overlap (EPO) of a tree over triangles. For every node, take the area of all parts of
/// triangles that lie in its box but do not belong to its subtree, times the cost of a visit; the EPO is their sum
/// over the area of all triangles. A visit of an inner node costs c_t, that of a leaf c_i for each of its
/// primitives. The EPO measures what the SAH leaves out: rays end on surfaces, and visit the boxes around the
/// points where they end. It is 0 for a tree of one leaf, and if no triangle has area. A part in a face of a box
/// lies in the box. Equal on all backends up to the order of its sums.
///   triangles: those that the tree was built over or refitted to
/// Throws: Error invalid_argument if the tree was built over another number of triangles, Error out_of_memory,
/// Error cancelled.
/// Waits: for the result.
/// Memory: 8 bytes of result; scratch of 12 bytes per primitive, and 64 bytes per view if there are several.
///
/// Source: Aila, Karras, Laine, "On Quality Metrics of Bounding Volume Hierarchies", HPG 2013.
COPSE_API double end_point_overlap(Context& context, const Bvh& bvh, const TriangleViews& triangles,
                                   const SahCosts& costs = {});

// Deprecated names, until 0.2.

[[deprecated("use end_point_overlap")]] inline double expected_overlap(Context& context, const Bvh& bvh,
                                                                       const TriangleViews& triangles,
                                                                       const SahCosts& costs = {}) {
  return end_point_overlap(context, bvh, triangles, costs);
}

}  // namespace copse

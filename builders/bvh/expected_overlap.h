#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/stats.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

/// The expected overlap (EPO) of a tree over triangles: for every node, the area of those parts of triangles that
/// lie in its box but do not belong to its subtree, times what a visit costs, summed, over the area of all
/// triangles. A visit of an inner node costs c_t, of a leaf c_i for each of its primitives. It measures what SAH
/// leaves out: that rays end on surfaces, and visit the boxes around where they end. 0 for a tree of one leaf, and
/// where no triangle has area. Parts in a face of a box lie in it. Equal on all backends up to the order of its
/// sums.
///   triangles: those that the tree was built over or refitted to
/// Throws: Error invalid_argument where their number is another than the tree was built over, Error out_of_memory,
/// Error cancelled. Waits.
/// Memory: 8 bytes of result; scratch of 12 bytes a primitive; 64 bytes a view where there are several.
///
/// Source: Aila, Karras, Laine, "On Quality Metrics of Bounding Volume Hierarchies", HPG 2013.
double expected_overlap(Context& context, const Bvh& bvh, const TriangleViews& triangles,
                        const SahCosts& costs = {});

}  // namespace copse

#pragma once

#include "builders/kd/sah_kd_tree.h"
#include "builders/validation_report.h"

namespace copse {

/// Proves that every leaf lists exactly the valid triangles whose boxes reach into its cell, and that every walk through
/// the tree ends. Safe on a tree of any content.
///   triangles: those that the tree was built over
///
/// The faults of the report:
///   bad_counts: bounds, depth or the number of triangles that do not fit the triangles
///   bad_nodes: nodes whose children, lists or planes are out of range, that are below no node or several, or
///     that are below level 60
///   bad_lists: entries of lists that are in no leaf or in several
///   bad_ids: entries that are no valid triangle, or not in ascending order in their leaf
///   missing_references: leaves without a triangle that reaches into their cell
///   wrong_references: entries of leaves that their triangle does not reach
///
/// Throws: Error invalid_argument for a tree that was never built, or for another number of triangles than it was built
/// over; Error out_of_memory.
/// Waits: for the report.
COPSE_API ValidationReport validate(Context& context, const SahKdTree& tree, const TriangleViews& triangles);

}  // namespace copse

#pragma once

#include <span>

#include "builders/bvh/measure/validate_body.h"
#include "builders/bvh/wide_node.h"

namespace copse::detail {

/// Checks indices and references only. Safe whatever the tree's memory holds, as long as `counts` fits the
/// capacity.
template <class Executor, class Node>
void check_wide_indices(const Executor& ex, const WideBvhView<Node>& tree, const WideBvhCounts& counts,
                        u32 source_count, Faults* faults);

/// Checks the rest, once all indices are known to be good.
template <class Executor, class Node>
void check_wide_triangles(const Executor& ex, const WideBvhView<Node>& tree, const WideBvhCounts& counts,
                          std::span<const TriangleView> views, u32 source_count, Faults* faults);
template <class Executor, class Node>
void check_wide_boxes(const Executor& ex, const WideBvhView<Node>& tree, const WideBvhCounts& counts,
                      const Aabb* boxes, u32 source_count, Faults* faults);

}  // namespace copse::detail

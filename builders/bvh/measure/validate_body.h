#pragma once

#include <span>

#include "builders/bvh/node.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// Faults counted on the device.
struct Faults {
  u64 bad_indices;
  u64 wrong_references;  // pairs of siblings that are not the children of exactly one node
  u64 visited_nodes;     // by walks from the leaves
  u64 missing_primitives;
  u64 repeated_primitives;
  u64 invalid_primitives;
  u64 loose_boxes;
};

/// Checks indices and references only. Safe whatever the tree's memory holds, as long as `counts` fits the
/// capacity.
template <class Executor>
void check_indices(const Executor& ex, const BvhView& bvh, const BvhCounts& counts, u32 source_count,
                   Faults* faults);

/// Checks the rest, once all indices are known to be good.
template <class Executor>
void check_triangles(const Executor& ex, const BvhView& bvh, const BvhCounts& counts,
                     std::span<const TriangleView> views, u32 source_count, Faults* faults);
template <class Executor>
void check_boxes(const Executor& ex, const BvhView& bvh, const BvhCounts& counts, const Aabb* boxes,
                 u32 source_count, Faults* faults);

}  // namespace copse::detail

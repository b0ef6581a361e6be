#pragma once

#include <span>

#include "builders/bvh/node.h"
#include "builders/bvh/stats.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// Sums over the triangles of a tree.
struct OverlapSums {
  double overlap;  // areas in boxes of foreign nodes, each times the node's cost
  double area;
};

/// Writes the sums to one element of the executor's memory.
template <class Executor>
void measure_overlap(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
                     const SahCosts& costs, OverlapSums* sums);

}  // namespace copse::detail

#pragma once

#include "builders/grid/hash_grid.h"
#include "builders/grid/measure/faults.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// Looks at the buckets' lists alone, of `point_count` points.
template <class Executor>
void check_buckets(const Executor& ex, const HashGridView& grid, u64 bucket_count, u64 point_count,
                   BucketFaults* faults);

/// Looks at the points of a grid whose lists follow each other.
template <class Executor>
void check_points(const Executor& ex, const HashGridView& grid, u64 bucket_count, const PositionSpan& points,
                  BucketFaults* faults);

}  // namespace copse::detail

#pragma once

#include "builders/grid/hash_grid.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// A hash grid's memory, as the builder writes it.
struct HashGridArrays {
  HashGridShape* shape;
  u32* bucket_begins;
  u32 bucket_count;
  GridPoint* points;
  HashGridCounts* counts;
};

template <class Executor>
void build_buckets(const Executor& ex, const PositionSpan& points, const HashGridOptions& options,
                   const HashGridArrays& grid);

template <class Executor>
u64 hash_grid_scratch_bytes(const Executor& ex, u64 n, u64 bucket_count);

}  // namespace copse::detail

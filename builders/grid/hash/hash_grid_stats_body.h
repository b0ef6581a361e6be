#pragma once

#include "builders/grid/hash_layout.h"
#include "primitives/core/executor.h"

namespace copse::detail {

struct BucketSums {
  u64 occupied_count;
  u64 shared_count;
  u64 largest_bucket;
};

template <class Executor>
void measure_buckets(const Executor& ex, const HashGridView& grid, u64 bucket_count, BucketSums* sums);

}  // namespace copse::detail

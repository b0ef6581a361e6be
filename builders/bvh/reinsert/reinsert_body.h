#pragma once

#include "builders/bvh/build/bvh_arrays.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// Reinserts the nodes of a tree with room for `node_count`, at least one.
template <class Executor>
void reinsert_nodes(const Executor& ex, u64 node_count, const BvhArrays& bvh, u32 passes);

template <class Executor>
u64 reinsert_scratch_bytes(const Executor& ex, u64 node_count);

}  // namespace copse::detail

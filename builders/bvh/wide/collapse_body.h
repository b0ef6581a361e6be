#pragma once

#include "builders/bvh/wide/wide_arrays.h"
#include "builders/bvh/wide/wide_slots.h"
#include "primitives/core/executor.h"

namespace copse::detail {

/// Collapses a tree that was built over `n` primitives.
template <class Executor, class Node>
void collapse_tree(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                   const WideArrays<Node>& wide);

template <class Node, class Executor>
u64 collapse_scratch_bytes(const Executor& ex, u64 n);

/// Copies an array of words.
template <class Executor>
void copy_words(const Executor& ex, const u32* from, u64 count, u32* to);

}  // namespace copse::detail

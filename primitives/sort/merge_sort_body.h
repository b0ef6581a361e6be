#pragma once

#include "primitives/core/executor.h"
#include "primitives/merge_sort.h"

namespace copse::detail {

/// Sorts keys alone where `values_out` is null.
template <class Executor, class Key>
void merge_sort_elements(const Executor& ex, const Key* keys_in, const u32* values_in, u64 n, Key* keys_out,
                         u32* values_out);

}  // namespace copse::detail

#pragma once

#include "primitives/core/executor.h"
#include "primitives/radix_sort.h"

namespace copse::detail {

/// Sorts keys alone where `values_out` is null, indices where `values_in` is null and `values_out` is not.
template <class Executor, class Bits>
void sort_elements(const Executor& ex, const Bits* keys_in, const u32* values_in, u64 n, Bits* keys_out,
                   u32* values_out, BitRange bits, const KeyEncoding<Bits>& encoding);

}  // namespace copse::detail

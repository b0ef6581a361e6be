#pragma once

#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor>
void expand_to_owners(const Executor& ex, const u32* counts, u64 n, u64* offsets, u32* owners, u64 capacity,
                      u64* total);

}  // namespace copse::detail

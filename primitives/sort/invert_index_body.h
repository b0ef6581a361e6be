#pragma once

#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor>
void invert_indices(const Executor& ex, const u32* index, u64 n, u32* inverse, u64 inverse_count);

}  // namespace copse::detail

#pragma once

#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor, class T>
void find_runs(const Executor& ex, const T* in, u64 n, bool with_lengths, T* values, u32* lengths, u64* count);

}  // namespace copse::detail

#pragma once

#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor, class T>
void scan_elements(const Executor& ex, const T* in, u64 n, bool inclusive, T* out);

}  // namespace copse::detail

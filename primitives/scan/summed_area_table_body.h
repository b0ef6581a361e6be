#pragma once

#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor, class T>
void sum_areas(const Executor& ex, u64 width, u64 height, const T* in, T* out);

}  // namespace copse::detail

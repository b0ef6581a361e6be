#pragma once

#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor, class T, class Op>
void reduce_elements(const Executor& ex, const T* in, u64 n, T identity, Op op, T* out);

}  // namespace copse::detail

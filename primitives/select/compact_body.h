#pragma once

#include "primitives/core/executor.h"
#include "primitives/flags.h"

namespace copse::detail {

/// Elements move as words of their size; `out` or `indices` may be null.
template <class Executor, class Word, class Flags>
void compact_flagged(const Executor& ex, const Word* in, u64 n, Flags flags, Word* out, u32* indices, u64* count);

}  // namespace copse::detail

#pragma once

#include "primitives/core/executor.h"
#include "primitives/flags.h"

namespace copse::detail {

template <class Executor, class T, class Flags>
void scan_flagged_segments(const Executor& ex, const T* in, u64 n, Flags starts, bool inclusive, T* out);
template <class Executor, class T>
void scan_segments_at(const Executor& ex, const T* in, u64 n, const u64* offsets, u64 segment_count,
                      bool inclusive, T* out);

}  // namespace copse::detail

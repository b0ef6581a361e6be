#pragma once

// Count, scan, emit (Harris, "Data-Parallel Primitives", GTC 2010). Workers share ranges of slots, not of
// elements.

#include <algorithm>

#include "primitives/cpu/scan.h"
#include "primitives/inputs.h"
#include "primitives/select/slots.h"

namespace copse::cpu {

namespace detail {
inline constexpr u64 expand_grain = 4096;
}

inline u64 expand_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(n) + scan_scratch_bytes<u64>(ex, n);
}

/// Contract: primitives/expand.h.
template <class Counts, class Emit>
void expand(const Executor& ex, const char* label, u64 n, Counts counts, Emit emit, u64 capacity, u64* offsets,
            u64* total) {
  ScratchArena::Frame frame(ex.scratch);
  if (offsets == nullptr) offsets = frame.allocate<u64>(n);
  exclusive_scan(ex, label, n, copse::detail::SlotCounts<Counts>{counts}, u64{0}, Plus{}, offsets, total);
  parallel_ranges(ex, label, smaller(*total, capacity), detail::expand_grain, [&](u64 begin, u64 end) {
    u64 i = u64(std::upper_bound(offsets, offsets + n, begin) - offsets) - 1;
    for (u64 slot = begin; slot < end; ++slot) {
      while (i + 1 < n && offsets[i + 1] <= slot) ++i;
      emit(i, slot - offsets[i], slot);
    }
  });
}

// Deprecated names, until 0.2.
template <class... Arguments>
[[deprecated("use expand")]] void allocate(const Executor& ex, const Arguments&... arguments) {
  expand(ex, arguments...);
}
[[deprecated("use expand_scratch_bytes")]] inline u64 allocate_scratch_bytes(const Executor& ex, u64 n) {
  return expand_scratch_bytes(ex, n);
}

}  // namespace copse::cpu

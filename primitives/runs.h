#pragma once

// Runs of equal neighbours, for the bodies of unique and run_length_encode. The executor's primitives must be
// included.

#include "primitives/core/executor.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// Takes the first element of each run.
template <class Input, class Equal>
struct StartsRun {
  Input input;
  Equal equal;

  COPSE_HD bool operator()(u64 i) const { return i == 0 || !equal(input(i - 1), input(i)); }
  template <class T>
  COPSE_HD bool operator()(u64 i, const T& value) const {
    return i == 0 || !equal(input(i - 1), value);
  }
  /// The same, where the element before is at hand.
  template <class T>
  COPSE_HD bool takes_after(const T& before, const T& value) const {
    return !equal(before, value);
  }
};

/// Stores the value and the place of each run.
template <class T, class Input>
struct StoreRun {
  Input input;
  T* values;
  u64* starts;
  COPSE_HD void operator()(u64 run, u64 i) const {
    values[run] = input(i);
    starts[run] = i;
  }
};

/// Run k ends where run k + 1 starts. Each call handles every `stride`-th run, since only the device knows how
/// many there are.
template <class Length>
struct MeasureRuns {
  const u64* starts;
  const u64* run_count;
  u64 n, stride;
  Length* lengths;
  COPSE_HD void operator()(u64 first) const {
    const u64 count = *run_count;
    for (u64 run = first; run < count; run += stride) {
      lengths[run] = Length((run + 1 < count ? starts[run + 1] : n) - starts[run]);
    }
  }
};

inline constexpr u64 max_measuring_calls = u64{1} << 22;

}  // namespace copse::detail

namespace copse {

/// Contract: primitives/unique.h.
template <class Executor, class T, class Input, class Equal>
void unique(const Executor& ex, const char* label, u64 n, Input input, Equal equal, T* out, u64* count) {
  compact(ex, label, n, detail::StartsRun<Input, Equal>{input, equal}, input, out, count);
}

/// Contract: primitives/run_length.h.
template <class Executor, class T, class Length, class Input, class Equal>
void run_length_encode(const Executor& ex, const char* label, u64 n, Input input, Equal equal, T* values,
                       Length* lengths, u64* count) {
  ScratchArena::Frame frame(ex.scratch);
  u64* starts = frame.allocate<u64>(n);
  compact_each(ex, label, n, detail::StartsRun<Input, Equal>{input, equal},
               detail::StoreRun<T, Input>{input, values, starts}, count);
  const u64 calls = smaller(n, detail::max_measuring_calls);
  for_each(ex, label, calls, detail::MeasureRuns<Length>{starts, count, n, calls, lengths});
}

/// Contract: primitives/unique.h.
template <class T, class Executor>
u64 unique_scratch_bytes(const Executor& ex, u64 n) {
  return compact_scratch_bytes<T>(ex, n);
}

/// Contract: primitives/run_length.h.
template <class T, class Executor>
u64 run_length_encode_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(n) + compact_scratch_bytes<T>(ex, n);
}

}  // namespace copse

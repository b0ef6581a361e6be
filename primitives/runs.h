#pragma once

// Runs of equal neighbours, for the bodies of unique and run_length_encode. The executor's primitives must be
// included; run_length_encode is among them.

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

}  // namespace copse::detail

namespace copse {

/// Contract: primitives/unique.h.
template <class Executor, class T, class Input, class Equal>
void unique(const Executor& ex, const char* label, u64 n, Input input, Equal equal, T* out, u64* count) {
  compact(ex, label, n, detail::StartsRun<Input, Equal>{input, equal}, input, out, count);
}

/// Contract: primitives/unique.h.
template <class T, class Executor>
u64 unique_scratch_bytes(const Executor& ex, u64 n) {
  return compact_scratch_bytes<T>(ex, n);
}

}  // namespace copse

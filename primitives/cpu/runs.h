#pragma once

// The place of each run is stored first, and then its length, which needs the place of the run after it.

#include "primitives/cpu/compact.h"
#include "primitives/cpu/for_each.h"
#include "primitives/runs.h"

namespace copse::cpu {

namespace detail {

/// Stores the value and the place of each run.
template <class T, class Input>
struct StoreRun {
  Input input;
  T* values;
  u64* starts;
  void operator()(u64 run, u64 i) const {
    values[run] = input(i);
    starts[run] = i;
  }
};

}  // namespace detail

/// Contract: primitives/run_length.h.
template <class T, class Length, class Input, class Equal>
void run_length_encode(const Executor& ex, const char* label, u64 n, Input input, Equal equal, T* values,
                       Length* lengths, u64* count) {
  ScratchArena::Frame frame(ex.scratch);
  u64* starts = frame.allocate<u64>(n);
  compact_each(ex, label, n, copse::detail::StartsRun<Input, Equal>{input, equal},
               detail::StoreRun<T, Input>{input, values, starts}, count);
  const u64 run_count = *count;
  for_each(ex, label, run_count,
           [=](u64 run) { lengths[run] = Length((run + 1 < run_count ? starts[run + 1] : n) - starts[run]); });
}

/// Contract: primitives/run_length.h.
template <class T>
u64 run_length_encode_scratch_bytes(const Executor& ex, u64 n) {
  return ScratchArena::bytes_for<u64>(n) + compact_scratch_bytes<T>(ex, n);
}

}  // namespace copse::cpu

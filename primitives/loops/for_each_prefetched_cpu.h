#pragma once

#include "primitives/core/atomic.h"
#include "primitives/cpu/workers.h"
#include "primitives/loops/for_each_prefetched.h"

namespace copse::cpu {

namespace detail {

/// Works on the elements of one range, several at a time.
template <class F>
void run_ahead(const F& f, u64 begin, u64 end, u64 (&outcomes)[4]) {
  constexpr u64 ahead = 8;
  using State = decltype(f.start(u64{}));
  State states[ahead];
  for (u64 first = begin; first < end; first += ahead) {
    const u64 count = smaller(end - first, ahead);
    for (u64 k = 0; k < count; ++k) states[k] = f.start(first + k);
    for (u64 k = 0; k < count; ++k) ++outcomes[f.finish(first + k, states[k])];
  }
}

}  // namespace detail

/// Contract: primitives/loops/for_each_prefetched.h.
template <class F>
void for_each_prefetched(const Executor& ex, const char* label, u64 n, F f, u64* counts) {
  constexpr u64 grain = 2048;
  parallel_ranges(ex, label, n, grain, [&f, counts](u64 begin, u64 end) {
    u64 outcomes[4] = {};
    detail::run_ahead(f, begin, end, outcomes);
    for (u32 k = 0; k < 4 && counts != nullptr; ++k) {
      if (outcomes[k] > 0) fetch_add_relaxed(counts + k, outcomes[k]);
    }
  });
}

}  // namespace copse::cpu

#pragma once

#include "primitives/core/atomic.h"
#include "primitives/cpu/workers.h"
#include "primitives/loops/for_each_interleaved.h"

namespace copse::cpu {

namespace detail {

/// Works on several elements side by side, one step of each in turn, so that their loads from memory overlap.
template <class F>
void run_steps(const F& f, u64 begin, u64 end, u64 (&outcomes)[4]) {
  constexpr u32 width = 8;
  using State = decltype(f.start(f.fetch(u64{})));
  State states[width];
  u64 ids[width];
  u32 active = 0;
  u64 next = begin;
  for (; active < width && next < end; ++active, ++next) {
    ids[active] = next;
    states[active] = f.start(f.fetch(next));
  }
  while (active > 0) {
    for (u32 k = 0; k < active;) {
      const u32 outcome = f.step(ids[k], states[k]);
      if (!copse::detail::is_done(outcome)) {
        ++k;
        continue;
      }
      if (outcome < 4) ++outcomes[outcome];
      if (next < end) {
        ids[k] = next;
        states[k] = f.start(f.fetch(next++));
        ++k;
      } else {
        --active;
        ids[k] = ids[active];
        states[k] = states[active];
      }
    }
  }
}

}  // namespace detail

/// Contract: primitives/loops/for_each_interleaved.h.
template <class F>
void for_each_interleaved(const Executor& ex, const char* label, u64 n, F f, u64* counts) {
  constexpr u64 grain = 2048;
  parallel_ranges(ex, label, n, grain, [&f, counts](u64 begin, u64 end) {
    u64 outcomes[4] = {};
    detail::run_steps(f, begin, end, outcomes);
    for (u32 k = 0; k < 4 && counts != nullptr; ++k) {
      if (outcomes[k] > 0) fetch_add_relaxed(counts + k, outcomes[k]);
    }
  });
}

}  // namespace copse::cpu

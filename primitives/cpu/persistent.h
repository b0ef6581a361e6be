#pragma once

// oneTBB does not promise that any two tasks run at the same time. So nothing here waits for another worker: a
// stage ends with its parallel loop.

#include "primitives/cpu/workers.h"
#include "primitives/persistent.h"

namespace copse::cpu {

/// Contract: primitives/persistent.h.
template <class Stages>
void persistent_stages(const Executor& ex, const char* label, u32 stage_count, Stages stages) {
  constexpr u64 grain = 2048;
  for (u32 stage = 0; stage < stage_count; ++stage) {
    const u64 size = stages.size(stage);
    if (size == no_more_stages) return;
    parallel_ranges(ex, label, size, grain, [&stages, stage](u64 begin, u64 end) {
      for (u64 i = begin; i < end; ++i) stages(stage, i);
    });
  }
}

/// Contract: primitives/persistent.h.
template <class F>
void persistent_for_each(const Executor& ex, const char* label, u64 n, u64 chunk, F f) {
  copse::detail::check_chunk(label, chunk);
  if (n == 0) return;
  chunk = smaller(chunk, n);
  const u64 chunk_count = divide_rounding_up(n, chunk);
  parallel_ranges(ex, label, chunk_count, 1, [&](u64 begin, u64 end) {
    for (u64 i = begin * chunk; i < smaller(end * chunk, n); ++i) f(i);
  });
}

}  // namespace copse::cpu

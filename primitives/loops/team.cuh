#pragma once

// Decides how many blocks of a launch work together, while they start: see docs/decisions/0007.

#include "primitives/core/atomic.h"

namespace copse::cuda {

// The blocks of a launch agree on one word, which is zero before the launch:
//
//   31 .. 16                     | 15 .. 0
//   their number, once settled   | blocks that have started

/// The rank of a block that started after the number was settled.
inline constexpr u32 no_rank = 0xffffffffu;

/// Returns the place of the calling block in the order of starting, or no_rank. Called by one thread.
__device__ inline u32 start_in_team(u32* team) {
  const u32 before = fetch_add_relaxed(team, 1u);
  return before >> 16 == 0 ? before : no_rank;
}

/// Returns how many blocks work together: all; or, if some cannot start for long because other work holds their
/// multiprocessors, those that have started by then. All of them run, so they may wait for each other. Called by
/// one thread.
__device__ inline u32 settle_team(u32* team) {
  constexpr i64 patience = 20000;  // cycles, about 10 microseconds
  const i64 begin = clock64();
  for (;;) {
    const u32 word = load_relaxed(team);
    if (word >> 16 != 0) return word >> 16;
    if (word == gridDim.x) return word;
    if (clock64() - begin > patience) compare_exchange_relaxed(team, word, word << 16 | word);
  }
}

}  // namespace copse::cuda

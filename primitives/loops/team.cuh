#pragma once

// How many blocks of a launch work together, settled while they start: see docs/decisions/0007.

#include "primitives/core/atomic.h"

namespace copse::cuda {

// The word on which the blocks of a launch agree, zero before:
//
//   31 .. 16                     | 15 .. 0
//   their number, once settled   | blocks that have started

inline constexpr u32 max_team_blocks = 0xffff;

/// The rank of a block that started after the number was settled.
inline constexpr u32 no_rank = 0xffffffffu;

/// The calling block's place in the order of starting, or no_rank. By one thread.
__device__ inline u32 start_in_team(u32* team) {
  const u32 before = fetch_add_relaxed(team, 1u);
  return before >> 16 == 0 ? before : no_rank;
}

/// How many blocks work: all, or where some wait long to start, because other work holds their
/// multiprocessors, those that have started by then. So each may wait for the others: they run. By one thread.
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

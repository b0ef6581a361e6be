#pragma once

// The places of bricks as bits, while bricks are built. A prefix sum over the bits numbers the bricks in the order
// of their places, so a thread finds the brick of a voxel with two words.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"

namespace copse::detail {

/// The places of the layers that are built at a time, as bits.
struct BrickPlaces {
  u32* bits;   // 1 for a place with a brick
  u32* ranks;  // for each word: how many bits are set before it
  u64 word_count;
  u32* total;  // how many bits are set

  COPSE_HD void mark(u32 place) const {
    u32* const word = bits + place / 32;
    const u32 bit = 1u << (place % 32);
    // Several triangles mark most places, and a load costs less than an atomic operation.
    if ((load_relaxed(word) & bit) == 0) fetch_or_relaxed(word, bit);
  }
  COPSE_HD u32 brick_at(u32 place) const {
    return ranks[place / 32] + population_count(bits[place / 32] & ((1u << (place % 32)) - 1));
  }
};

struct BitsOfPlaces {
  const u32* bits;
  COPSE_HD u32 operator()(u64 i) const { return population_count(bits[i]); }
};

}  // namespace copse::detail

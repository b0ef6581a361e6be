#pragma once

// A synchronizing set of positions in a text (Kempa, Kociumaka, "String Synchronizing Sets: Sublinear-Time BWT
// Construction and Optimal LCE Data Structure", STOC 2019). Whether a position is in the set depends only on the
// sync_context bytes from there on. And each stretch of sync_window positions holds one of the set, unless the
// text ends before.
//
// So if two suffixes agree in min_sync_depth bytes, then their next positions of the set are equally far away, and
// the suffixes there stand in the same order as they do.
//
// Give each position a number, the hash of 8 bytes. Position i is in the set if the lowest number of positions [i,
// i + w] stands at i or at i + w, where w is sync_window. Of random numbers that holds for 2 in w + 1. In a text
// of one letter all numbers are equal, and it holds for all positions.

#include "primitives/suffixes/heads.h"

namespace copse::detail {

inline constexpr u32 sync_window = 12;
inline constexpr u32 sync_hash_bytes = 8;

/// The bytes from a position on that decide whether it is in the set.
inline constexpr u32 sync_context = sync_window + sync_hash_bytes;

/// Suffixes that agree in so many bytes have the next positions of the set equally far away, both from their first
/// byte and from their second: the next position is less than sync_window bytes away, and has its context.
inline constexpr u32 min_sync_depth = sync_window + sync_context;

/// A bit for each position of the text, set for those of the set.
struct SyncPositions {
  u32* words;
  u32* before;  // [word] bits that are set in the words before it

  static u64 word_count(u64 n) { return divide_rounding_up(n, 32); }

  /// Returns the number in the set of the first position from i on. There must be one.
  COPSE_HD u32 next_id(u64 i) const {
    return before[i / 32] + population_count(words[i / 32] & ~(~0u << (i % 32)));
  }
};

/// Finds the positions of word w.
struct FindSyncPositions {
  const u8* text;
  u64 n;
  u32* words;

  COPSE_HD void operator()(u64 w) const {
    constexpr u32 count = 32 + sync_window;
    const u64 first = w * 32;
    u32 numbers[count], lowest[count];
    u64 bytes = 0;  // the 8 bytes from a position on
    for (u32 k = 0; k < sync_hash_bytes - 1; ++k) bytes = bytes >> 8 | u64(byte_at(first + k)) << 56;
    for (u32 k = 0; k < count; ++k) {
      bytes = bytes >> 8 | u64(byte_at(first + k + sync_hash_bytes - 1)) << 56;
      numbers[k] = lowest[k] = u32(bytes * 0x9e3779b97f4a7c15u >> 32);
    }
    // The lowest of 2, then of 4, then of 8 numbers from k on. Two stretches of 8 make up one of sync_window + 1.
    for (u32 distance = 1; distance < 8; distance *= 2) {
      for (u32 k = 0; k + distance < count; ++k) lowest[k] = smaller(lowest[k], lowest[k + distance]);
    }
    static_assert(sync_window + 1 > 8 && sync_window + 1 <= 16);
    u32 word = 0;
    for (u32 k = 0; k < 32; ++k) {
      const u32 of_stretch = smaller(lowest[k], lowest[k + sync_window + 1 - 8]);
      const bool is_in = smaller(numbers[k], numbers[k + sync_window]) == of_stretch;
      word |= u32(is_in && first + k + sync_context <= n) << k;
    }
    words[w] = word;
  }

  COPSE_HD u8 byte_at(u64 i) const { return i < n ? text[i] : u8{0}; }
};

struct CountSyncPositions {
  const u32* words;
  COPSE_HD u32 operator()(u64 w) const { return population_count(words[w]); }
};

/// Stores the rank of each position of the set, in the order of the text: the text of ranks.
struct StoreRanksOfSet {
  SyncPositions set;
  const u32* ranks;
  u32* text_of_ranks;

  COPSE_HD void operator()(u64 w) const {
    u32 to = set.before[w];
    for (u32 word = set.words[w]; word != 0; word &= word - 1) {
      text_of_ranks[to++] = ranks[w * 32 + zeros_below_lowest(word)];
    }
  }
};

/// A rank above the number of the position in the set.
struct RanksAboveIds {
  u32 id_bits;
  const u32* text_of_ranks;
  COPSE_HD u64 operator()(u64 k) const { return u64{text_of_ranks[k]} << id_bits | k; }
};

/// The second key of a suffix, once all suffixes that begin in the set are sorted: the rank of the next one.
struct RankOfNextInSet {
  SyncPositions set;
  const u32* ranks;  // [number in the set]
  COPSE_HD u32 operator()(u32 id) const { return ranks[set.next_id(id)]; }
};

}  // namespace copse::detail

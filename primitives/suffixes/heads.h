#pragma once

// Suffixes that begin with the same symbols, as far as they have been compared, form a group: neighbours in the
// suffix array. The first of a group is its head. A suffix alone in its group is at its final place.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// Groups of up to this size are sorted by counting, for each member, the members before it. Larger ones are
/// sorted by radix sort.
inline constexpr u32 max_counted_group = 256;

/// Zero bits below the lowest one of a word that is not zero.
COPSE_HD inline u32 zeros_below_lowest(u32 word) {
  return population_count((word & (0u - word)) - 1);
}

/// The place of a group. `end` is 0 if the group is larger than max_counted_group.
struct GroupPlace {
  u64 begin, end;
  COPSE_HD bool is_small() const { return end != 0; }
};

/// A bit for each place of the suffix array, set at the heads of groups. The bits from n on are set, too.
struct Heads {
  u32* words;
  u64 n;

  /// There is always a word past the bit at n.
  static u64 word_count(u64 n) { return n / 32 + 2; }

  COPSE_HD bool at(u64 p) const { return (words[p / 32] >> (p % 32) & 1u) != 0; }
  COPSE_HD bool is_alone(u64 p) const { return at(p) && at(p + 1); }
  COPSE_HD void set(u64 p) const { fetch_or_relaxed(words + p / 32, 1u << (p % 32)); }

  /// Finds the group of the suffix at place p, if it is small: the last head up to p, and the first one past it.
  COPSE_HD GroupPlace small_group(u64 p) const {
    constexpr u32 max_steps = max_counted_group / 32 + 1;
    u64 w = p / 32;
    u32 word = words[w] & (~0u >> (31 - p % 32));
    for (u32 k = 0; word == 0; ++k) {
      if (w == 0 || k == max_steps) return {0, 0};
      word = words[--w];
    }
    const u64 begin = w * 32 + 31 - leading_zeros(word);
    const u64 next = p + 1;
    w = next / 32;
    word = words[w] & (~0u << (next % 32));
    for (u32 k = 0; word == 0; ++k) {
      if (k == max_steps) return {0, 0};
      word = words[++w];
    }
    const u64 end = w * 32 + zeros_below_lowest(word);
    return {begin, end - begin <= max_counted_group ? end : 0};
  }
};

/// Counts for word w of the heads, two numbers in one result. The lower half counts the places in the word whose
/// suffixes share their group. The upper half is the end of the large group that ends in the word, minus the
/// beginning of the one that begins there: summed over all words, the size of all large groups.
struct CountOpen {
  Heads heads;

  COPSE_HD u64 operator()(u64 w) const {
    const u32 word = heads.words[w];
    const u64 first = w * 32;
    const u32 alone = word & (word >> 1 | heads.words[w + 1] << 31);
    u32 open = ~alone;
    if (heads.n - first < 32) open &= (1u << (heads.n - first)) - 1;
    u32 large = 0;
    if (word != 0) {
      // Only the last group that begins in a word can be large, and only the first that ends there.
      const u64 last_head = first + 31 - leading_zeros(word), first_head = first + zeros_below_lowest(word);
      if (last_head < heads.n && !heads.small_group(last_head).is_small()) large -= u32(last_head);
      if (first_head > 0 && !heads.small_group(first_head - 1).is_small()) large += u32(first_head);
    }
    return u64(large) << 32 | population_count(open);
  }
};

/// The places that a round looks at: some, in ascending order and in whole groups, or all of them.
struct Places {
  const u32* list;  // null for all
  COPSE_HD u64 operator()(u64 k) const { return list != nullptr ? list[k] : k; }
};

/// Byte p = whether a group begins at place p, after the first sort. Suffixes that end inside their key are alone:
/// they stand before all others with that key, the shortest first.
struct MarkFirstHeads {
  const u64* keys;
  u32 key_shift;  // where the key begins in the word that was sorted
  const u32* suffixes;
  u64 first_short;  // suffixes from this one on are no longer than a key
  u8* marks;

  COPSE_HD void operator()(u64 p) const {
    marks[p] = p == 0 || keys[p] >> key_shift != keys[p - 1] >> key_shift || suffixes[p] >= first_short ||
               suffixes[p - 1] >= first_short;
  }
};

/// Makes word w of the heads from a byte per place. The bits from n on are set.
struct PackHeads {
  const u8* marks;
  Heads heads;

  COPSE_HD void operator()(u64 w) const {
    u32 word = 0;
    for (u32 k = 0; k < 32; ++k) {
      const u64 p = w * 32 + k;
      word |= (p >= heads.n || marks[p] != 0 ? 1u : 0u) << k;
    }
    heads.words[w] = word;
  }
};

/// True for the suffixes that share their group with others.
struct IsOpen {
  Places places;
  Heads heads;
  COPSE_HD bool operator()(u64 k) const { return !heads.is_alone(places(k)); }
};

struct StorePlace {
  Places places;
  u32* list;
  COPSE_HD void operator()(u64 at, u64 k) const { list[at] = u32(places(k)); }
};

}  // namespace copse::detail

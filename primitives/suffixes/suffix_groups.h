#pragma once

// Suffixes that begin with the same symbols, as far as they have been compared, form a group: neighbours in the
// suffix array. The first of a group is its head. A suffix alone in its group is at its final place.

#include "primitives/core/atomic.h"
#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"

namespace copse::detail {

/// Groups of up to this size are sorted by counting, for each member, the members before it. Larger ones are sorted
/// by radix sort.
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

/// Counts for word w of the heads: in the lower half of the result the suffixes that share their group, in the upper
/// half those of large groups. The lower half counts places. The upper half gets the end of each large group that ends
/// in the word, less the beginning of each that begins there: over all words, the sum of their sizes.
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

/// Input of a scan by maximum: the place if a group begins there.
struct PlaceOfHead {
  Places places;
  Heads heads;
  COPSE_HD u32 operator()(u64 k) const {
    const u64 p = places(k);
    return heads.at(p) ? u32(p) : 0u;
  }
};

/// Stores ranks: the rank of a suffix is the place of the head of its group. Only groups that begin at a head that
/// is new have another rank than before.
struct StoreRanks {
  Places places;
  Heads before;
  const u32* suffixes;
  const u32* head_of;
  u32* ranks;
  COPSE_HD void operator()(u64 k) const {
    const u32 head = head_of[k];
    if (!before.at(head)) ranks[suffixes[places(k)]] = head;
  }
};

/// Stores ranks of suffixes that are given with them.
struct ScatterRanks {
  const u32* suffixes;
  const u32* heads;
  u32* ranks;
  COPSE_HD void operator()(u64 k) const { ranks[suffixes[k]] = heads[k]; }
};

/// Four keys that one instruction loads.
struct alignas(16) KeyQuad {
  u32 key[4];
};

/// The number of keys of a round: whole quads.
COPSE_HD inline u64 padded_keys(u64 count) {
  return (count + 3) / 4 * 4;
}

/// Reads the second key of each suffix in a small group: the rank of the suffix that begins `depth` symbols later. The
/// other keys are 0.
struct ReadSecondKeys {
  Places places;
  u64 place_count;
  Heads heads;
  const u32* suffixes;
  const u32* ranks;
  u64 depth;
  u32* ids;
  u32* keys;

  COPSE_HD void operator()(u64 k) const {
    u32 key = 0;
    if (k < place_count) {
      const u64 p = places(k);
      if (!heads.is_alone(p) && heads.small_group(p).is_small()) {
        const u32 id = suffixes[p];
        ids[k] = id;
        key = ranks[id + depth];
      }
    }
    keys[k] = key;
  }
};

/// Moves each suffix of a small group to its place in the group, and sets the heads of the groups that it falls
/// into. The place is the number of suffixes before it: those with lower keys, and those with its key to its left.
struct SortSmallGroups {
  Places places;
  Heads heads;      // before
  Heads new_heads;  // begin as `heads`
  const u32* ids;
  const u32* keys;  // at a multiple of 16 bytes
  u32* suffixes;

  COPSE_HD void operator()(u64 k) const {
    const u64 p = places(k);
    if (heads.is_alone(p)) return;
    const GroupPlace group = heads.small_group(p);
    if (!group.is_small()) return;
    const u32 own = u32(p - group.begin), size = u32(group.end - group.begin);
    const u64 first = k - own;  // the key of the first suffix of the group
    const u32 key = keys[k];
    u32 lower = 0, equal_before = 0;
    for (u64 quad = first / 4 * 4; quad < first + size; quad += 4) {
      const KeyQuad others = *reinterpret_cast<const KeyQuad*>(keys + quad);
      for (u32 c = 0; c < 4; ++c) {
        const u32 j = u32(quad + c - first);  // in the group; before its first key, past any size
        lower += u32(others.key[c] < key) & u32(j < size);
        equal_before += u32(others.key[c] == key) & u32(j < own);
      }
    }
    const u64 head = group.begin + lower;
    suffixes[head + equal_before] = ids[k];
    if (equal_before == 0 && lower > 0) new_heads.set(head);
  }
};

/// True for the suffixes that share their group with others.
struct IsOpen {
  Places places;
  Heads heads;
  COPSE_HD bool operator()(u64 k) const { return !heads.is_alone(places(k)); }
};

/// True for the suffixes in large groups.
struct IsInLargeGroup {
  Places places;
  Heads heads;
  COPSE_HD bool operator()(u64 k) const {
    const u64 p = places(k);
    return !heads.is_alone(p) && !heads.small_group(p).is_small();
  }
};

struct StorePlace {
  Places places;
  u32* list;
  COPSE_HD void operator()(u64 at, u64 k) const { list[at] = u32(places(k)); }
};

/// A function of the index, with an index that begins at `first`.
template <class Function>
struct InRange {
  Function function;
  u64 first;
  COPSE_HD bool operator()(u64 k) const { return function(first + k); }
  COPSE_HD void operator()(u64 at, u64 k) const { function(at, first + k); }
};

/// Input of a scan: counts the heads of large groups.
struct CountHead {
  const u32* list;
  Heads heads;
  COPSE_HD u32 operator()(u64 j) const { return heads.at(list[j]) ? 1u : 0u; }
};

/// Stores the suffixes of large groups, with a key of the number of the group above the second key.
struct ReadLargeKeys {
  const u32* list;
  const u32* group_of;  // counted from 1
  const u32* suffixes;
  const u32* ranks;
  u64 depth;
  u32 rank_bits;
  u32* ids;
  u64* keys;

  COPSE_HD void operator()(u64 j) const {
    const u32 id = suffixes[list[j]];
    ids[j] = id;
    keys[j] = u64(group_of[j] - 1) << rank_bits | ranks[id + depth];
  }
};

/// Stores suffixes of large groups in their new order, and sets the heads of the groups that they fall into.
struct StoreLargeGroups {
  const u32* list;
  const u64* keys;
  const u32* ids;
  u32* suffixes;
  Heads new_heads;

  COPSE_HD void operator()(u64 j) const {
    const u32 p = list[j];
    suffixes[p] = ids[j];
    if (j > 0 && keys[j] != keys[j - 1]) new_heads.set(p);
  }
};

/// True for the places of suffixes that begin `depth` symbols after a suffix of the group with this head.
struct PrecedesInGroup {
  const u32* suffixes;
  const u32* ranks;
  u64 depth;
  u32 head;
  COPSE_HD bool operator()(u64 p) const {
    const u32 id = suffixes[p];
    return id >= depth && ranks[id - depth] == head;
  }
};

/// Stores those suffixes of the group, with their second keys.
struct StorePreceding {
  const u32* suffixes;
  const u32* ranks;
  u64 depth;
  u32* ids;
  u32* keys;
  COPSE_HD void operator()(u64 at, u64 p) const {
    const u32 id = suffixes[p];
    ids[at] = u32(id - depth);
    keys[at] = ranks[id];
  }
};

/// Stores the suffixes of one group in their new order, and sets the heads of the groups that it falls into.
struct StoreOneGroup {
  const u32* ids;
  const u32* keys;
  u64 begin;
  u32* suffixes;
  Heads new_heads;
  COPSE_HD void operator()(u64 j) const {
    suffixes[begin + j] = ids[j];
    if (j > 0 && keys[j] != keys[j - 1]) new_heads.set(begin + j);
  }
};

}  // namespace copse::detail

#pragma once

// Where sorted keys stand in an empty table, found for all of them at once: no locks, and as fast at any load.
//
// Let key i of n have home m(i), and d(i) = m(i) - i, which is how many slots stay free before it where it stands
// at its home. Every placement that keeps the order is i + b(i) for a b that never falls, and level c, the slot
// that stays free after c others have, lies before the first i of b(i) > c. No key is cut off from its home by it
// (law 2 of bidirectional_search.h) just if d(i - 1) <= c < d(i): the homes before it stay before it, those after
// it after.
//
// b(i) = the largest d up to i is linear probing in order, whose runs lean to the right of their homes. We take
//
//   b(i) = the largest, over all j <= i, of the least d in j .. end(j)
//
// for an `end` that never falls. Where b first passes c, at i, all d in i .. end(i) are above c, and those in i -
// 1 .. end(i - 1) are not, so d(i - 1) <= c: the law holds. A free slot thus stands where it stays free for a
// window's length, later than linear probing has it, and runs lean to the left as much as to the right: mean walks
// from home are 0.62 times as long at a load of 0.8, 0.57 at 0.95. (The shortest ones, whose free slots each part
// the keys at the least sum of distances, are 0.45 and 0.39 times as long, and take long to find.) A key's window
// ends with the group of `placing_group` keys after its own.
//
// Numbers outside of the table are taken to its ends, which have no slots beyond them that could stay free.
//
// place_sorted(ex, label, task)
//   Fills all slots of the table with the elements of `task.pairs` and, between them, nothing; cells take theirs.
//   Keys without room are counted. Does nothing where *task.occupied is not 0.

#include "primitives/tables/bidirectional_slots.h"
#include "primitives/tables/hash_calls.h"

namespace copse::detail {

/// What a stretch of sorted keys comes to: how many places they take, and the largest bound among them, of which
/// the places before the stretch are not yet taken off.
struct PlacedStretch {
  u64 count;
  i64 highest;
};
inline constexpr i64 no_bound = -(i64{1} << 62);

struct JoinStretches {
  COPSE_HD PlacedStretch operator()(const PlacedStretch& a, const PlacedStretch& b) const {
    return {a.count + b.count, larger(a.highest, b.highest - i64(a.count))};
  }
};

inline constexpr u32 min_placing_group = 8, max_placing_group = 256;

/// Longer at higher loads: the queues of keys at their homes have a length of about the square of n / spare.
inline u32 placing_group(u64 n, u64 slot_count) {
  const double spare = n < slot_count ? double(slot_count - n) : 1.0;
  const double wanted = double(n) / spare * (double(n) / spare) / 6;
  u32 group = min_placing_group;
  while (group < max_placing_group && group * 1.5 < wanted) group *= 2;
  return group;
}

/// The keys and values of packed slots, sorted by tag.
template <class Slots_>
struct PackedPairs {
  using Slots = Slots_;
  const u32* tags;
  const u32* value_words;

  COPSE_HD typename Slots::Value value(u64 i) const {
    typename Slots::Value value{};
    if constexpr (Slots::value_bytes > 0) value.word[0] = value_words[i];
    return value;
  }
  COPSE_HD typename Slots::Key key(u64 i) const { return {unmixed(tags[i])}; }
  COPSE_HD bool same_key(u64, u64) const { return true; }
  COPSE_HD void report(u64, InsertResult) const {}
};

/// Sorted by tag, as places in the arrays of the caller.
template <class Slots_, class Keys, class Values>
struct IndexedPairs {
  using Slots = Slots_;
  const u32* tags;
  const u32* order;
  Keys keys;
  Values values;
  InsertResult* results;  // may be null

  COPSE_HD typename Slots::Value value(u64 i) const { return values(order[i]); }
  COPSE_HD typename Slots::Key key(u64 i) const { return keys(order[i]); }
  COPSE_HD bool same_key(u64 i, u64 j) const { return Slots::Layout::is_packed || key(i) == key(j); }
  COPSE_HD void report(u64 i, InsertResult result) const {
    if (results != nullptr) results[order[i]] = result;
  }
};

template <class Pairs_>
struct PlacingTask {
  using Pairs = Pairs_;
  using Slots = typename Pairs::Slots;
  Slots slots;
  u64 n;
  Pairs pairs;
  HashMode mode;
  u32 group;            // of keys, a power of two
  const u32* occupied;  // the table's elements, if any, stay alone
  u64* counts;          // may be null

  /// Of equal keys the first is kept, or where values are assigned, the last.
  COPSE_HD i64 towards_kept() const { return mode == HashMode::assign ? 1 : -1; }

  /// Whether pair i has the key of one that is kept instead.
  COPSE_HD bool is_repeated(u64 i) const {
    for (u64 j = i + towards_kept(); j < n && pairs.tags[j] == pairs.tags[i]; j += towards_kept()) {
      if (pairs.same_key(i, j)) return true;
    }
    return false;
  }

  /// Of a repeated pair, of the pair that is kept instead: its place among those that are kept, where `rank` of
  /// these come before pair i.
  COPSE_HD u64 rank_of_kept(u64 i, u64 rank) const {
    if constexpr (Slots::Layout::is_packed) return mode == HashMode::assign ? rank : rank - 1;
    u64 kept_rank = rank;
    for (u64 j = i + towards_kept(); j < n && pairs.tags[j] == pairs.tags[i]; j += towards_kept()) {
      const bool is_kept = !is_repeated(j);
      if (mode == HashMode::keep) rank -= is_kept ? 1 : 0;
      if (is_kept && pairs.same_key(i, j)) kept_rank = rank;
      if (mode == HashMode::assign) rank += is_kept ? 1 : 0;
    }
    return kept_rank;
  }
};

/// Places by rank and bound, given what all pairs came to.
struct PlacesInTable {
  u64 slot_count;
  i64 spare;  // slots that stay free

  COPSE_HD PlacesInTable(u64 slots, u64 kept) : slot_count(slots), spare(kept < slots ? i64(slots - kept) : 0) {}

  /// The slot of the element of `rank`, counted from 0.
  COPSE_HD u64 slot_of(u64 rank, i64 bound) const { return rank + u64(smaller(larger(bound, i64{0}), spare)); }
  /// Behind the elements before `rank`, all of whose bounds are at most `bound`.
  COPSE_HD u64 end_of(u64 rank, i64 bound) const {
    return rank == 0 ? 0 : smaller(slot_of(rank, bound), slot_count);
  }
};

}  // namespace copse::detail

#pragma once

// The slots of sorted keys in an empty table, found for all keys at once: without locks, and as fast at any load.
//
// Let key i of n have home m(i), and let d(i) = m(i) - i: the number of slots that stay free before it if it
// stands at its home. Every placement that keeps the order is i + b(i), for a b that never falls. Call the free
// slot that has c free slots before it the free slot c. It lies before the first i with b(i) > c. It cuts no key
// off from its home (law 2 of bidirectional_search.h) exactly if d(i - 1) <= c < d(i): then the homes of the keys
// before it lie before it, and the homes of the keys behind it lie behind it.
//
// With b(i) = max d(j) over j <= i, we would have linear probing in order, whose runs lean to the right of their
// homes. We take
//
//   b(i) = max over all j <= i of (min of d over j .. end(j))
//
// for an `end` that never falls. Let b exceed c for the first time at i. Then all d in i .. end(i) are above c,
// and not all d in i - 1 .. end(i - 1) are, so d(i - 1) <= c: the law holds. So a slot stays free only if it could
// stay free for the length of a window. This is later than in linear probing, and runs lean to the left as much as
// to the right: mean walks from home are 0.62 times as long at a load of 0.8, and 0.57 times at 0.95. (The
// shortest walks are 0.45 and 0.39 times as long: there, each free slot splits the keys at the least sum of
// distances. That takes long to find.) The window of a key ends with the group of `placing_group` keys after its
// own group.
//
// Slots outside the table are clamped to its ends, since no slot beyond them could stay free.
//
// place_sorted(ex, label, task)
//   Fills the table with the elements of `task.pairs`, and empties the slots between them. Keys of cells go to
//   their cells. Counts keys without room. Does nothing if *task.occupied is not 0.

#include "primitives/tables/bidirectional_slots.h"
#include "primitives/tables/hash_calls.h"

namespace copse::detail {

/// A stretch of sorted keys: how many places they take, and their largest bound. The places before the stretch are
/// not yet subtracted from the bound.
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

/// Returns the size of a group. Groups are larger at higher loads: the queues of keys at their homes have a length
/// of about the square of n / spare.
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

/// Keys and values sorted by tag, as indices into the arrays of the caller.
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
  u32 group;            // how many keys a group has: a power of two
  const u32* occupied;  // not 0 if the table holds elements: then nothing is placed
  u64* counts;          // may be null

  /// Of equal keys, the first is kept, or the last if values are assigned.
  COPSE_HD i64 towards_kept() const { return mode == HashMode::assign ? 1 : -1; }

  /// True if another pair with the same key is kept instead of pair i.
  COPSE_HD bool is_repeated(u64 i) const {
    for (u64 j = i + towards_kept(); j < n && pairs.tags[j] == pairs.tags[i]; j += towards_kept()) {
      if (pairs.same_key(i, j)) return true;
    }
    return false;
  }

  /// For a repeated pair i: returns the rank, among kept pairs, of the pair that is kept instead. `rank` kept
  /// pairs come before pair i.
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

/// Slots by rank and bound, once the number of kept pairs is known.
struct PlacesInTable {
  u64 slot_count;
  i64 spare;  // how many slots stay free

  COPSE_HD PlacesInTable(u64 slots, u64 kept) : slot_count(slots), spare(kept < slots ? i64(slots - kept) : 0) {}

  /// Returns the slot of the element with `rank`; both count from 0.
  COPSE_HD u64 slot_of(u64 rank, i64 bound) const { return rank + u64(smaller(larger(bound, i64{0}), spare)); }
  /// Returns the slot behind the elements before `rank`, if all their bounds are at most `bound`.
  COPSE_HD u64 end_of(u64 rank, i64 bound) const {
    return rank == 0 ? 0 : smaller(slot_of(rank, bound), slot_count);
  }
};

}  // namespace copse::detail

#pragma once

// Functors of the sorts of large groups: many groups together by a radix sort, or a single group that is too large
// for that.

#include "primitives/suffixes/heads.h"

namespace copse::detail {

/// True for the suffixes in large groups.
struct IsInLargeGroup {
  Places places;
  Heads heads;
  COPSE_HD bool operator()(u64 k) const {
    const u64 p = places(k);
    return !heads.is_alone(p) && !heads.small_group(p).is_small();
  }
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
template <class SecondKey>
struct ReadLargeKeys {
  const u32* list;
  const u32* group_of;  // counted from 1
  const u32* suffixes;
  SecondKey second_key;
  u32 rank_bits;
  u32* ids;
  u64* keys;

  COPSE_HD void operator()(u64 j) const {
    const u32 id = suffixes[list[j]];
    ids[j] = id;
    keys[j] = u64(group_of[j] - 1) << rank_bits | second_key(id);
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

#pragma once

// The steps of a round over all groups, and over small groups.

#include "primitives/suffixes/heads.h"

namespace copse::detail {

/// The second key of a suffix in a round that doubles the depth: the rank of the suffix that begins `depth`
/// symbols later.
struct RankLater {
  const u32* ranks;
  u64 depth;
  COPSE_HD u32 operator()(u32 id) const { return ranks[id + depth]; }
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

/// Reads the second key of each suffix in a small group. The other keys are 0.
template <class SecondKey>
struct ReadSecondKeys {
  Places places;
  u64 place_count;
  Heads heads;
  const u32* suffixes;
  SecondKey second_key;
  u32* ids;
  u32* keys;

  COPSE_HD void operator()(u64 k) const {
    u32 key = 0;
    if (k < place_count) {
      const u64 p = places(k);
      if (!heads.is_alone(p) && heads.small_group(p).is_small()) {
        const u32 id = suffixes[p];
        ids[k] = id;
        key = second_key(id);
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

}  // namespace copse::detail

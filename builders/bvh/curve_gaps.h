#pragma once

// The order of keys along a curve: which primitive is in which slot, how close neighbours are, and how many there
// are. For bodies: the executor's primitives must be included.

#include "builders/geometry/morton.h"
#include "primitives/core/executor.h"
#include "primitives/inputs.h"
#include "primitives/radix_key.h"

namespace copse::detail {

/// Where an order goes.
struct CurveOrder {
  u32* primitive_ids;  // [slot]
  u8* gaps;            // [slot]: how close the primitive there and the next one are
  u32* valid_count;    // the others are behind
};

template <class Key>
inline constexpr BitRange sorted_bits{0, MortonKey<Key>::bits + 1};

/// The gaps between sorted keys, and where the valid ones end.
template <class Key>
struct CurveGaps {
  const Key* keys;
  u64 n;
  CurveOrder order;
  COPSE_HD void operator()(u64 i) const {
    const bool is_valid = keys[i] < MortonKey<Key>::invalid;
    if (!is_valid && i == 0) *order.valid_count = 0;
    if (!is_valid) return;
    if (i + 1 == n || keys[i + 1] >= MortonKey<Key>::invalid) {
      *order.valid_count = u32(i) + 1;
    } else {
      order.gaps[i] = u8(common_prefix(keys[i], keys[i + 1], u32(i)));
    }
  }
};

template <class Key, class KeyOf>
struct StoreKeys {
  KeyOf key_of;
  Key* keys;
  COPSE_HD void operator()(u64 i) const { keys[i] = key_of(i); }
};

/// Sorts `n` primitives by the keys that `key_of` gives for each.
template <class Key, class Executor, class KeyOf>
void sort_whole_keys(const Executor& ex, u64 n, const KeyOf& key_of, const CurveOrder& order) {
  if (n == 0) return fill_bytes(ex, "Morton order: count", order.valid_count, 1, 0);
  ScratchArena::Frame frame(ex.scratch);
  Key* keys = frame.allocate<Key>(n);
  Key* sorted = frame.allocate<Key>(n);
  for_each(ex, "Morton order: keys", n, StoreKeys<Key, KeyOf>{key_of, keys});
  radix_sort_pairs(ex, "Morton order: sort", n, Elements<Key>{keys}, Index{}, sorted, order.primitive_ids,
                   sorted_bits<Key>);
  for_each(ex, "Morton order: gaps", n, CurveGaps<Key>{sorted, n, order});
}

template <class Key, class Executor>
u64 sort_whole_keys_scratch_bytes(const Executor& ex, u64 n) {
  return 2 * ScratchArena::bytes_for<Key>(n) + radix_sort_pairs_scratch_bytes<Key, u32>(ex, n, sorted_bits<Key>);
}

}  // namespace copse::detail

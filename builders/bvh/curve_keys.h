#pragma once

// Keys along a curve in words that a radix sort moves as they are: the front of a key beside the primitive's
// number.

#include "builders/geometry/morton.h"
#include "primitives/core/executor.h"
#include "primitives/radix_key.h"

namespace copse::detail {

/// Bits that tell `n` primitives apart; at least 1.
constexpr u32 number_bits(u64 n) {
  u32 bits = 1;
  while (n > u64{1} << bits) ++bits;
  return bits;
}

/// As many bits of a key as stand in a word beside the number of a primitive, of those that are worth a pass of
/// the sort: small inputs do well with one pass less.
constexpr u32 front_key_bits(u64 n) {
  constexpr u64 few_primitives = u64{1} << 17;
  return n <= few_primitives ? 31 : smaller(39u, morton_key_bits - number_bits(n));
}

/// How the key of a primitive is divided. Of its 63 bits the highest `key_bits` count.
///
///   63        62 .. front_begin   front_begin - 1 .. 0
///   invalid   front of the key    number
struct KeyShape {
  u64 key_mask;
  u64 front_mask;
  BitRange sorted;  // of a word

  KeyShape(u64 n, u32 key_bits)
      : key_mask(~u64{0} << (morton_key_bits - key_bits)),
        front_mask(~u64{0} << (morton_key_bits - front_bits(n, key_bits))),
        sorted{morton_key_bits - front_bits(n, key_bits), 64} {}

  /// True where the front is the whole key.
  constexpr bool front_is_all() const { return key_mask == front_mask; }

 private:
  static u32 front_bits(u64 n, u32 key_bits) {
    return key_bits + number_bits(n) <= morton_key_bits ? key_bits : smaller(key_bits, front_key_bits(n));
  }
};

/// The keys of primitives by their number: for each a word that sorts by the front, and the low half of the key.
struct KeyWords {
  u64 n;
  u64* front;
  u32* low;  // null where the front is all
  KeyShape shape;

  COPSE_HD u64 key(u32 id) const { return front[id] >> 32 << 32 | low[id]; }
};

template <class KeyOf>
struct StoreKeyWords {
  KeyOf key_of;
  KeyWords words;
  COPSE_HD void operator()(u64 i) const {
    const u64 key = key_of(i) & words.shape.key_mask;
    words.front[i] = (key & words.shape.front_mask) | i;
    if (words.low != nullptr) words.low[i] = u32(key);
  }
};

/// The words in the order of their fronts, equal ones in the order of their numbers.
struct SortedFronts {
  u64 n;
  const u64* words;
  u64 front_mask;

  COPSE_HD u64 front(u64 slot) const { return words[slot] & front_mask; }
  COPSE_HD u32 id(u64 slot) const { return u32(words[slot] & ~front_mask); }
  COPSE_HD bool is_key(u64 slot) const { return words[slot] < invalid_morton_key; }
};

/// Where an order goes.
struct CurveOrder {
  u32* primitive_ids;  // [slot]
  u8* gaps;            // [slot]: how close the primitive there and the next one are
  u32* valid_count;    // the others are behind
};

/// The order by fronts alone.
struct TakeFrontOrder {
  SortedFronts sorted;
  CurveOrder order;
  COPSE_HD void operator()(u64 slot) const {
    order.primitive_ids[slot] = sorted.id(slot);
    if (!sorted.is_key(slot)) {
      if (slot == 0) *order.valid_count = 0;
    } else if (slot + 1 == sorted.n || !sorted.is_key(slot + 1)) {
      *order.valid_count = u32(slot) + 1;
    } else {
      order.gaps[slot] = u8(common_prefix(sorted.front(slot), sorted.front(slot + 1), u32(slot)));
    }
  }
};

}  // namespace copse::detail

#pragma once

// Morton keys in words that a radix sort moves as they are: the prefix of a key, which are its highest bits,
// beside the number of the primitive.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/morton/outliers.h"
#include "builders/geometry/box_sources.h"
#include "builders/geometry/morton.h"
#include "primitives/core/executor.h"
#include "primitives/radix_key.h"

namespace copse::detail {

/// The bits of a number below `n`; at least 1.
constexpr u32 number_bits(u64 n) {
  u32 bits = 1;
  while (n > u64{1} << bits) ++bits;
  return bits;
}

/// How many bits of a key stand in a word beside the number of a primitive. More bits are not worth another pass
/// of the sort. For few primitives, even one pass less is enough.
constexpr u32 bits_beside_number(u64 n, u64 few_primitives) {
  return n <= few_primitives ? 31 : smaller(39u, morton_key_bits - number_bits(n));
}

/// Bits of a prefix, if primitives that share a prefix are put in order after the sort. The more primitives share
/// one, the longer that takes.
constexpr u32 prefix_key_bits(u64 n) {
  return bits_beside_number(n, u64{1} << 17);
}

/// Bits of a key that sorts fast.
constexpr u32 fast_key_bits(u64 n) {
  return bits_beside_number(n, u64{1} << 18);
}

/// How the key of a primitive is divided. Only the highest `key_bits` of its 63 bits count.
///
///   63        62 .. prefix_begin   prefix_begin - 1 .. 0
///   invalid   prefix of the key    number
struct KeyShape {
  u64 key_mask;
  u64 prefix_mask;
  BitRange sorted;  // bits of a word that the sort compares

  KeyShape(u64 n, u32 key_bits)
      : key_mask(~u64{0} << (morton_key_bits - key_bits)),
        prefix_mask(~u64{0} << (morton_key_bits - prefix_bits(n, key_bits))),
        sorted{morton_key_bits - prefix_bits(n, key_bits), 64} {}

  /// True if the prefix is the whole key.
  constexpr bool prefix_is_all() const { return key_mask == prefix_mask; }

 private:
  static u32 prefix_bits(u64 n, u32 key_bits) {
    return key_bits + number_bits(n) <= morton_key_bits ? key_bits : smaller(key_bits, prefix_key_bits(n));
  }
};

/// The keys of primitives in input order: for each, a word that sorts by the prefix, and the low half of the key.
struct KeyWords {
  u64 n;
  u64* prefix;
  u32* low;  // null if the prefix is the whole key
  KeyShape shape;

  COPSE_HD u64 key(u32 id) const { return prefix[id] >> 32 << 32 | low[id]; }
};

/// The cells of the keys of primitives.
///   bounds: of all primitives; with CustomBoxes that split off outliers, behind them the middle of MiddleOfSamples
template <class Boxes>
struct KeyGrid {
  MortonGrid grid;

  COPSE_HD static KeyGrid of(const Boxes&, const Aabb* bounds) { return {MortonGrid::of(*bounds)}; }
  COPSE_HD u64 key(const vec3& p) const { return grid.key(p); }
};

template <>
struct KeyGrid<CustomBoxes> {
  MortonGrid grid;
  OutlierGrid dense;

  COPSE_HD static KeyGrid of(const CustomBoxes& boxes, const Aabb* bounds) {
    if (!boxes.splits_off_outliers) return {MortonGrid::of(*bounds), {}};
    return {MortonGrid::of(bounds[0]), OutlierGrid::of(bounds[0], bounds[1])};
  }
  COPSE_HD u64 key(const vec3& p) const { return dense.is_there() ? dense.key(grid, p) : grid.key(p); }
};

/// Makes the key of a primitive, and stores its box if boxes are precomputed. start() loads, finish() computes, so
/// that loads of several primitives overlap.
template <class Boxes>
struct PreparedMortonKey {
  Boxes boxes;
  KeyGrid<Boxes> grid;
  PrecomputedBox* precomputed;  // null if none are stored

  COPSE_HD Aabb start(u64 i) const { return boxes(u32(i)); }
  COPSE_HD u64 finish(u64 i, const Aabb& box) const {
    if (precomputed != nullptr) precomputed[i] = {box.lo, 0, box.hi, 0};
    return key(box);
  }
  COPSE_HD u64 key(const Aabb& box) const {
    return is_empty(box) ? invalid_morton_key : grid.key(clean_point(centroid(box)));
  }
};

/// The same with bounds in memory. ready() reads them once for many keys.
template <class Boxes>
struct MortonKeyOf {
  Boxes boxes;
  const Aabb* bounds;
  PrecomputedBounds precomputed;

  COPSE_HD PreparedMortonKey<Boxes> ready() const {
    return {boxes, KeyGrid<Boxes>::of(boxes, bounds), precomputed.are_made() ? precomputed.boxes : nullptr};
  }
  COPSE_HD Aabb start(u64 i) const { return boxes(u32(i)); }
  COPSE_HD u64 finish(u64 i, const Aabb& box) const { return ready().finish(i, box); }
};

/// Makes the word of a primitive's key, and stores the low half of the key.
template <class KeyOf>
struct KeyWord {
  KeyOf key_of;
  KeyWords words;

  COPSE_HD auto ready() const { return KeyWord<decltype(key_of.ready())>{key_of.ready(), words}; }
  COPSE_HD Aabb start(u64 i) const { return key_of.start(i); }
  COPSE_HD u64 finish(u64 i, const Aabb& box) const {
    const u64 key = key_of.finish(i, box) & words.shape.key_mask;
    if (words.low != nullptr) words.low[i] = u32(key);
    return (key & words.shape.prefix_mask) | i;
  }
  COPSE_HD u64 operator()(u64 i) const { return finish(i, start(i)); }
};

/// The words sorted by prefix. Words with equal prefixes are in input order.
struct SortedPrefixes {
  u64 n;
  const u64* words;
  u64 prefix_mask;

  COPSE_HD u64 prefix(u64 slot) const { return words[slot] & prefix_mask; }
  COPSE_HD u32 id(u64 slot) const { return u32(words[slot] & ~prefix_mask); }
  COPSE_HD bool is_key(u64 slot) const { return words[slot] < invalid_morton_key; }
};

/// Where the order is stored: in a tree, as if each valid primitive were a leaf.
struct MortonOrderOutput {
  BvhArrays bvh;
  u8* deltas;  // [slot]: of the primitives in it and in the next slot
  u32 source_count;

  COPSE_HD void store_id(u64 slot, u32 primitive) const { bvh.primitive_ids[slot] = primitive; }

  /// The invalid primitives come last.
  COPSE_HD void store_valid_count(u32 valid_count) const {
    store_counts(bvh, valid_count, valid_count, source_count);
  }
  COPSE_HD u32 valid_count() const { return bvh.counts->primitive_count; }
};

/// Stores the order of no primitives.
struct StoreEmptyOrder {
  MortonOrderOutput order;
  COPSE_HD void operator()(u64) const { order.store_valid_count(0); }
};

/// Stores the order by prefixes alone, four slots at a time, so that loads and stores are of 16 bytes.
struct StorePrefixOrder {
  static constexpr u32 at_once = 4;

  SortedPrefixes sorted;
  MortonOrderOutput order;

  COPSE_HD u64 input_count() const { return divide_rounding_up(sorted.n, u64{at_once}); }

  COPSE_HD void operator()(u64 group) const {
    const u64 first = group * at_once;
    if (first + at_once > sorted.n) return take_one_by_one(first);
    const Words low = reinterpret_cast<const Words*>(sorted.words + first)[0];
    const Words high = reinterpret_cast<const Words*>(sorted.words + first)[1];
    const u64 next = first + at_once < sorted.n ? sorted.words[first + at_once] : invalid_morton_key;
    const u64 words[at_once + 1] = {low.word[0], low.word[1], high.word[0], high.word[1], next};
    Ids ids;
    Deltas deltas;
    for (u32 k = 0; k < at_once; ++k) {
      ids.id[k] = u32(words[k] & ~sorted.prefix_mask);
      deltas.delta[k] = u8(delta(words[k], words[k + 1], first + k));
    }
    *reinterpret_cast<Ids*>(order.bvh.primitive_ids + first) = ids;
    *reinterpret_cast<Deltas*>(order.deltas + first) = deltas;
  }

 private:
  struct alignas(16) Words {
    u64 word[2];
  };
  struct alignas(16) Ids {
    u32 id[at_once];
  };
  struct alignas(4) Deltas {
    u8 delta[at_once];
  };

  /// Returns the delta of a slot and the next one. Past the last valid primitive it may be any value.
  COPSE_HD u32 delta(u64 word, u64 next, u64 slot) const {
    if (slot == 0 && word >= invalid_morton_key) order.store_valid_count(0);
    if (word < invalid_morton_key && next >= invalid_morton_key) order.store_valid_count(u32(slot) + 1);
    return common_prefix(word & sorted.prefix_mask, next & sorted.prefix_mask, u32(slot));
  }

  COPSE_HD void take_one_by_one(u64 first) const {
    for (u64 slot = first; slot < sorted.n; ++slot) {
      const u64 next = slot + 1 < sorted.n ? sorted.words[slot + 1] : invalid_morton_key;
      order.store_id(slot, sorted.id(slot));
      order.deltas[slot] = u8(delta(sorted.words[slot], next, slot));
    }
  }
};

}  // namespace copse::detail

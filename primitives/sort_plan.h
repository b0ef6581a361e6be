#pragma once

// How the CUDA backend cuts a sort by comparison into tiles, levels and samples. Plain numbers, so that tests can
// use sizes at the boundaries.

#include "primitives/core/bits.h"
#include "primitives/core/macros.h"
#include "primitives/core/types.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// The tile that a block sorts or merges in shared memory.
template <class Key, class Value>
struct MergeShape {
  static constexpr bool with_values = has_value<Value>;
  static constexpr u32 element_bytes = sizeof(Key) + (with_values ? sizeof(Value) : 0);

  /// Larger elements are sorted by index, and move once.
  static constexpr u32 max_element_bytes = 32;
  static constexpr bool by_index = element_bytes > max_element_bytes;

  static constexpr u32 threads = 512;

  /// Blocks that a multiprocessor holds: bounded by registers, and by shared memory for large elements.
  static constexpr u32 blocks = element_bytes <= 4 && !COPSE_TURING_CODE ? 3 : 2;

  /// Returns the elements per thread. Odd, so that threads that read their own runs hit different banks.
  static constexpr u32 items_of(u32 max_tile_bytes) {
    return (smaller(17u, max_tile_bytes / (threads * element_bytes)) - 1) | 1;
  }
  static constexpr u32 turing_items = items_of(62u << 10), items_elsewhere = items_of(88u << 10);

  /// Those of the code that this is compiled into. On the host, those of code for newer GPUs than Turing.
  static constexpr u32 items = COPSE_TURING_CODE ? turing_items : items_elsewhere;
  static constexpr u32 tile = threads * items;
  static constexpr u32 turing_tile = threads * turing_items;
};

/// The levels of a sample sort: level k cuts each bucket into 2^bits[k] buckets. The last buckets are sorted in
/// tiles, several neighbouring ones together.
struct SamplePlan {
  static constexpr u32 max_bits = 8;  // of a level, so that the number of a bucket fits a byte
  static constexpr u32 max_levels = 6;

  u32 level_count;
  u32 bits[max_levels];
  u32 tile;   // elements that fit shared memory
  u64 group;  // elements: buckets that begin in the same stretch of this length are sorted together

  u32 total_bits() const {
    u32 sum = 0;
    for (u32 k = 0; k < level_count; ++k) sum += bits[k];
    return sum;
  }
};

/// Below this, merge sort is faster, since it has fewer launches.
inline constexpr u64 sample_sort_min_tiles = 16;

/// The plan that cuts n elements, of which `tile` fit shared memory, into 2^total_bits buckets: 1 to
/// SamplePlan::max_bits bits per level.
inline SamplePlan plan_levels(u64 n, u32 tile, u32 total_bits, u32 level_count) {
  SamplePlan plan{};
  plan.level_count = level_count;
  plan.tile = tile;
  u32 bits_left = total_bits;
  for (u32 k = 0; k < level_count; ++k) {
    plan.bits[k] = u32(divide_rounding_up(bits_left, level_count - k));
    bits_left -= plan.bits[k];
  }
  const u64 average = n >> total_bits;
  plan.group = larger(tile > 3 * average ? tile - 3 * average : u64{1}, larger(average / 2, u64{1}));
  return plan;
}

/// A plan for n elements of which `tile` fit shared memory. Buckets have 1/16 to 1/8 of a tile on average if the
/// levels allow that, else up to half a tile. With 32 samples per bucket the sizes spread by 18 % per level, and a
/// bucket that is larger than the tile costs extra work.
inline SamplePlan plan_sample_sort(u64 n, u32 tile) {
  const auto bits_to_reach = [n](u64 size) {
    u32 bits = 0;
    while (n >> bits > size) ++bits;
    return bits;
  };
  const u32 level_count = larger(u32(divide_rounding_up(bits_to_reach(tile / 2), SamplePlan::max_bits)), 1u);
  const u32 total_bits = larger(smaller(bits_to_reach(tile / 8), level_count * SamplePlan::max_bits), level_count);
  return plan_levels(n, tile, total_bits, level_count);
}

/// Samples per bucket of a level, if at most `sample_tile` samples can be sorted at once.
COPSE_HD inline u32 samples_per_bucket(u32 bits, u32 sample_tile) {
  return smaller(32u, sample_tile >> bits);
}

/// The place of sample j of `count` among `size` elements: somewhere in the j-th of `count` equal parts. It never
/// decreases with j, so a stable sort of the samples by key sorts samples with equal keys by place.
COPSE_HD inline u64 sample_position(u32 j, u32 count, u64 size) {
  const u64 begin = size * j / count, end = size * (u64{j} + 1) / count;
  u32 hash = (j + 1) * 2654435761u;
  hash = (hash ^ hash >> 15) * 2246822519u;
  hash ^= hash >> 13;
  return begin + (u64{hash} * (end - begin) >> 32);
}

}  // namespace copse::detail

#pragma once

// Counts the buckets of each block of items, turns the counts into places by a scan in (bucket, block) order, and
// moves each item to its place.

#include <algorithm>

#include "primitives/cpu/workers.h"
#include "primitives/inputs.h"
#include "primitives/split.h"

namespace copse::cpu {

namespace detail {

/// Blocks of equal size, about two for each worker, none smaller than the number of buckets.
struct SplitBlocks {
  u64 n, count, size;

  SplitBlocks(const Executor& ex, u64 n_, u32 bucket_count)
      : n(n_),
        count(smaller(larger(n_ / larger<u64>(u64{1} << 14, bucket_count), u64{1}), u64{2} * ex.workers.count())),
        size(divide_rounding_up(n_, count)) {}
  u64 begin(u64 block) const { return smaller(block * size, n); }
  u64 end(u64 block) const { return smaller((block + 1) * size, n); }
};

/// Calls move(i, place) with each index and its place in the split. `bucket_of` takes an index.
template <class BucketOf, class Move>
void split_places(const Executor& ex, const char* label, u64 n, const BucketOf& bucket_of, u32 bucket_count,
                  u64* offsets, const Move& move) {
  if (n == 0) {
    if (offsets != nullptr) std::fill_n(offsets, u64{bucket_count} + 1, u64{0});
    return;
  }
  ScratchArena::Frame frame(ex.scratch);
  const SplitBlocks blocks(ex, n, bucket_count);
  u64* places = frame.allocate<u64>(blocks.count * bucket_count);
  parallel_ranges(ex, label, blocks.count, 1, [&](u64 begin, u64 end) {
    for (u64 block = begin; block < end; ++block) {
      u64* counts = places + block * bucket_count;
      std::fill_n(counts, bucket_count, u64{0});
      for (u64 i = blocks.begin(block); i < blocks.end(block); ++i) ++counts[bucket_of(i)];
    }
  });
  u64 place = 0;
  for (u32 bucket = 0; bucket < bucket_count; ++bucket) {
    if (offsets != nullptr) offsets[bucket] = place;
    for (u64 block = 0; block < blocks.count; ++block) {
      u64& cell = places[block * bucket_count + bucket];
      const u64 count = cell;
      cell = place;
      place += count;
    }
  }
  if (offsets != nullptr) offsets[bucket_count] = place;
  parallel_ranges(ex, label, blocks.count, 1, [&](u64 begin, u64 end) {
    for (u64 block = begin; block < end; ++block) {
      u64* next = places + block * bucket_count;
      for (u64 i = blocks.begin(block); i < blocks.end(block); ++i) move(i, next[bucket_of(i)]++);
    }
  });
}

inline u64 split_places_scratch_bytes(const Executor& ex, u64 n, u32 bucket_count) {
  return n == 0 ? 0 : ScratchArena::bytes_for<u64>(SplitBlocks(ex, n, bucket_count).count * bucket_count);
}

}  // namespace detail

/// Contract: primitives/split.h.
template <class Item>
u64 split_scratch_bytes(const Executor& ex, u64 n, u32 bucket_count) {
  return detail::split_places_scratch_bytes(ex, n, bucket_count);
}
inline u64 split_index_scratch_bytes(const Executor& ex, u64 n, u32 bucket_count) {
  return detail::split_places_scratch_bytes(ex, n, bucket_count);
}

/// Contract: primitives/split.h.
template <class Item, class Input, class BucketOf>
void split(const Executor& ex, const char* label, u64 n, Input input, BucketOf bucket_of, u32 bucket_count,
           Item* out, u64* offsets) {
  detail::split_places(
      ex, label, n, [&](u64 i) { return bucket_of(input(i)); }, bucket_count, offsets,
      [&](u64 i, u64 place) { out[place] = input(i); });
}

/// Contract: primitives/split.h.
template <class BucketOf>
void split_index(const Executor& ex, const char* label, u64 n, BucketOf bucket_of, u32 bucket_count,
                 u32* indices_out, u64* offsets) {
  detail::split_places(ex, label, n, bucket_of, bucket_count, offsets,
                       [&](u64 i, u64 place) { indices_out[place] = u32(i); });
}

/// Contract: primitives/split.h. On the CPU the order is that of split.
template <class Item, class Input, class BucketOf>
void split_unordered(const Executor& ex, const char* label, u64 n, Input input, BucketOf bucket_of,
                     u32 bucket_count, Item* out, u64* offsets) {
  split(ex, label, n, input, bucket_of, bucket_count, out, offsets);
}

}  // namespace copse::cpu

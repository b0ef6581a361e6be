#pragma once

// Buckets of Morton keys on the CPU. Contract: builders/bvh/morton/last_order.h.

#include <algorithm>
#include <vector>

#include "builders/bvh/morton/last_order.h"
#include "primitives/cpu/primitives.h"

namespace copse::cpu {

namespace detail {

using copse::detail::BucketShape;
using copse::detail::KeyBuckets;

template <class Ready>
void distribute_range(const Ready& ready, const KeyBuckets& buckets, u64 begin, u64 end) {
  u32 bucket = 0;
  for (u64 i = begin; i < end; ++i) {
    const u64 key = ready.finish(i, ready.start(i)) & buckets.key_mask;
    if (key >= invalid_morton_key) {
      fetch_add_relaxed(buckets.invalid_bits + i / 32, 1u << i % 32);
      fetch_add_relaxed(buckets.counts + buckets.shape.bucket_count + i / BucketShape::capacity, 1u);
      continue;
    }
    bucket = buckets.bucket_of(key, bucket);
    const u32 k = fetch_add_relaxed(buckets.counts + bucket, 1u);
    if (k >= BucketShape::capacity) {
      store_relaxed(&buckets.state->overflowed, 1u);
      return;
    }
    buckets.keys[buckets.place(bucket) + k] = key;
    buckets.ids[buckets.place(bucket) + k] = u32(i);
  }
}

struct KeyAndId {
  u64 key;
  u32 id;
  friend bool operator<(const KeyAndId& a, const KeyAndId& b) {
    return a.key != b.key ? a.key < b.key : a.id < b.id;
  }
};

inline void sort_bucket(const KeyBuckets& buckets, u32 bucket, const copse::detail::MortonOrderOutput& order,
                        std::vector<KeyAndId>& sorted) {
  const u32 count = buckets.counts[bucket], begin = buckets.begins[bucket];
  u64* const keys = buckets.keys + buckets.place(bucket);
  const u32* const ids = buckets.ids + buckets.place(bucket);
  sorted.resize(count);
  for (u32 k = 0; k < count; ++k) sorted[k] = {keys[k], ids[k]};
  std::sort(sorted.begin(), sorted.end());
  for (u32 k = 0; k < count; ++k) {
    order.store_id(begin + k, sorted[k].id);
    if (k + 1 < count) order.deltas[begin + k] = u8(common_prefix(sorted[k].key, sorted[k + 1].key, begin + k));
  }
  if (count == 0) return;
  keys[0] = sorted.front().key;
  keys[1] = sorted.back().key;
}

/// Stores the invalid primitives of a chunk in the order of their numbers.
inline void store_invalid(const KeyBuckets& buckets, u32 chunk, const copse::detail::MortonOrderOutput& order) {
  const u32 list = buckets.shape.bucket_count + chunk;
  if (buckets.counts[list] == 0) return;
  u32 slot = buckets.begins[list];
  const u64 first = u64{chunk} * BucketShape::capacity;
  const u64 end = smaller(first + BucketShape::capacity, buckets.shape.n);
  for (u64 i = first; i < end; ++i) {
    if ((buckets.invalid_bits[i / 32] >> i % 32 & 1) != 0) order.store_id(slot++, u32(i));
  }
}

}  // namespace detail

/// Contract: builders/bvh/morton/last_order.h.
template <class KeyOf>
void distribute_keys(const Executor& ex, const KeyOf& key_of, const copse::detail::KeyBuckets& buckets) {
  constexpr u64 grain = 2048;
  if (buckets.order_is_lost()) return;
  fill_bytes(ex, "last order: clear", buckets.invalid_bits, divide_rounding_up(buckets.shape.n, u64{32}), 0);
  const auto ready = key_of.ready();
  parallel_ranges(ex, "last order: keys", buckets.shape.n, grain,
                  [&](u64 begin, u64 end) { detail::distribute_range(ready, buckets, begin, end); });
}

/// Contract: builders/bvh/morton/last_order.h.
inline void sort_buckets(const Executor& ex, const copse::detail::KeyBuckets& buckets,
                         const copse::detail::MortonOrderOutput& order) {
  if (buckets.order_is_lost()) return;
  const u32 bucket_count = buckets.shape.bucket_count;
  parallel_ranges(ex, "last order: sort buckets", buckets.shape.list_count(), 4, [&](u64 begin, u64 end) {
    std::vector<detail::KeyAndId> sorted;
    for (u64 list = begin; list < end; ++list) {
      if (list < bucket_count) {
        detail::sort_bucket(buckets, u32(list), order, sorted);
      } else {
        detail::store_invalid(buckets, u32(list) - bucket_count, order);
      }
    }
  });
}

}  // namespace copse::cpu

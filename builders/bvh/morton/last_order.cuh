#pragma once

// The Morton order of primitives that have moved little since the tree was last built, on CUDA. Contract:
// builders/bvh/morton/morton_order.inl.
//
// The old order knows how keys are spread. Every 64th primitive of it gives a sample key; every 32nd of the sorted
// samples is a splitter. So between two splitters there are about 2048 new keys. One pass over the mesh makes the
// keys and puts each into the bucket between its splitters. A second pass sorts each bucket in fast memory, by key and
// then by number. The full sort makes five passes over memory for that.
//
//   old order   p7 p3 p9 p1 p4 p8 p2 ..   every 64th: samples, with new keys
//   samples     k  k  k  k  k  k ..       sorted; every 32nd: splitters
//   buckets     |    |    |    |          room for 4096 keys each, in any order; then sorted one by one
//
// The result is that of the full sort, byte for byte, whatever the old order is: it decides about time alone. Two
// things are noticed on the device, and then the full sort runs in a branch (run_if). An eighth of the samples are
// compared with the sample a sixteenth of the order later; if more than a quarter of these pairs are out of order, the
// order is lost. And a bucket may overflow, where many keys are equal.
//
// Source: Pantaleoni, Luebke, "HLBVH: Hierarchical LBVH Construction for Real-Time Ray Tracing of Dynamic Geometry",
// HPG 2010, for the idea that the order of the last frame saves most of the sort. Where we differ: they compress
// runs of equal coarse keys; here samples of the old order replace the coarse keys, so that buckets are even.
//
// The steps of blocks are in key_buckets.cuh:
//
//   distribute_keys(ex, key_of, buckets)
//     Puts the number and the key of each primitive into its bucket, in any order, and marks invalid primitives.
//   sort_buckets(ex, buckets, order)
//     Stores the primitives in order, and the deltas inside of buckets. Leaves the first and the last key of each
//     bucket in its first two places.
//   Both do nothing where the order is lost.

#include "builders/bvh/morton/sort_keys.h"
#include "primitives/core/atomic.h"
#include "primitives/run_if.h"
#include "primitives/scan.h"

namespace copse::detail {

/// The bits of the keys that samples have: more would not make the buckets more even.
inline constexpr BitRange high_word{32, 64};

/// What the device finds out about the old order.
struct LastOrderState {
  u32 descent_count;  // samples that are larger than a sample far behind them
  u32 overflowed;     // 1 if a bucket was full
  u32 needs_full_sort;
  u32 unused;
};

/// How many buckets and samples there are for `n` primitives. Invalid primitives have chunks of their own: for each
/// 4096 numbers, how many of them are invalid.
struct BucketShape {
  static constexpr u32 capacity = 4096;  // keys of a bucket, numbers of a chunk
  static constexpr u32 mean_size = capacity / 2;
  static constexpr u32 samples_per_bucket = 32;
  static constexpr u32 check_stride = 8;
  static constexpr u64 min_primitives = 4 * capacity;  // below, the full sort is as fast

  u64 n;
  u32 bucket_count;
  u32 chunk_count;

  COPSE_HD explicit BucketShape(u64 count)
      : n(count),
        bucket_count(u32(divide_rounding_up(count, u64{mean_size}))),
        chunk_count(u32(divide_rounding_up(count, u64{capacity}))) {}

  COPSE_HD u32 sample_count() const { return bucket_count * samples_per_bucket; }
  COPSE_HD u32 checked_distance() const { return sample_count() / 16; }
  COPSE_HD u32 checked_count() const { return (sample_count() - checked_distance()) / check_stride; }
  COPSE_HD u32 list_count() const { return bucket_count + chunk_count; }
};

/// The memory of the buckets.
struct KeyBuckets {
  BucketShape shape;
  u64 key_mask;
  const u64* samples;  // sorted, with the high words of keys
  u32* counts;         // [bucket], and then [chunk] of invalid primitives
  const u32* begins;   // the first slots of these
  u64* keys;           // [bucket][place]
  u32* ids;            // [bucket][place]
  u32* invalid_bits;   // [primitive / 32]
  LastOrderState* state;

  COPSE_HD bool order_is_lost() const {
    return u64{state->descent_count} * 4 > shape.checked_count() || load_relaxed(&state->overflowed) != 0;
  }
  COPSE_HD u64 place(u32 bucket) const { return u64{bucket} * BucketShape::capacity; }

  COPSE_HD u64 splitter(u32 bucket) const { return samples[u64{bucket} * BucketShape::samples_per_bucket]; }

  /// Returns the last bucket with a splitter that is not above the key. The first bucket takes what is below all.
  ///   guess: is tried first
  COPSE_HD u32 bucket_of(u64 key, u32 guess) const {
    const bool is_not_below = guess == 0 || splitter(guess) <= key;
    if (is_not_below && (guess + 1 == shape.bucket_count || key < splitter(guess + 1))) return guess;
    u32 begin = 0, end = shape.bucket_count;
    while (end - begin > 1) {
      const u32 middle = begin + (end - begin) / 2;
      (splitter(middle) <= key ? begin : end) = middle;
    }
    return begin;
  }
};

/// Stores the high word of the new key of a sample, and checks every eighth sample.
template <class KeyOf>
struct TakeSample {
  KeyOf key_of;
  BucketShape shape;
  BvhArrays bvh;  // the old tree
  u64* samples;
  LastOrderState* state;

  COPSE_HD void operator()(u64 i) const {
    const auto ready = key_of.ready();
    const u64 key = key_of_sample(ready, i);
    samples[i] = key >> 32 << 32;
    if (i % BucketShape::check_stride != 0 || i / BucketShape::check_stride >= shape.checked_count()) return;
    const u64 later = key_of_sample(ready, i + shape.checked_distance());
    if (later < key) fetch_add_relaxed(&state->descent_count, 1u);
  }

 private:
  /// The old tree may be over another number of primitives, or over none.
  template <class Ready>
  COPSE_HD u64 key_of_sample(const Ready& ready, u64 i) const {
    const u64 old_count = bvh.counts->primitive_count, samples_of_all = shape.sample_count();
    const u64 id = old_count == 0 ? i * shape.n / samples_of_all
                                  : bvh.primitive_ids[i * old_count / samples_of_all] % shape.n;
    return ready.key(ready.start(id));
  }
};

/// Stores what needs the neighbours of a bucket: the delta at its end, or the count of valid primitives. Tells
/// whether the full sort must run.
struct CloseBucket {
  KeyBuckets buckets;
  MortonOrderOutput order;

  COPSE_HD void operator()(u64 i) const {
    const u32 bucket = u32(i), bucket_count = buckets.shape.bucket_count;
    const bool is_lost = buckets.order_is_lost();
    if (bucket == 0) buckets.state->needs_full_sort = is_lost ? 1 : 0;
    if (is_lost) return;
    const u32 valid_count = buckets.begins[bucket_count], count = buckets.counts[bucket];
    if (bucket == 0 && valid_count == 0) order.store_valid_count(0);
    if (count == 0) return;
    const u32 last_slot = buckets.begins[bucket] + count - 1;
    if (last_slot + 1 == valid_count) return order.store_valid_count(valid_count);
    u32 next = bucket + 1;
    while (buckets.counts[next] == 0) ++next;
    const u64 last_key = buckets.keys[buckets.place(bucket) + 1], next_key = buckets.keys[buckets.place(next)];
    order.deltas[last_slot] = u8(common_prefix(last_key, next_key, last_slot));
  }
};

/// The words of the state and of the counts behind it.
inline u64 state_words(const BucketShape& shape) {
  return sizeof(LastOrderState) / sizeof(u32) + shape.list_count();
}

/// Stores the order by buckets, or finds that the full sort must run.
template <class Executor, class Boxes>
void sort_by_buckets(const Executor& ex, const MortonKeyOf<Boxes>& key_of, const BucketShape& shape, u64 key_mask,
                     const MortonOrderOutput& order, LastOrderState* state) {
  ScratchArena::Frame frame(ex.scratch);
  u64* const samples = frame.allocate<u64>(shape.sample_count());
  u64* const sorted_samples = frame.allocate<u64>(shape.sample_count());
  u32* const counts = reinterpret_cast<u32*>(state + 1);
  u32* const begins = frame.allocate<u32>(shape.list_count());
  const u64 places = u64{shape.bucket_count} * BucketShape::capacity;
  const KeyBuckets buckets{shape,
                           key_mask,
                           sorted_samples,
                           counts,
                           begins,
                           frame.allocate<u64>(places),
                           frame.allocate<u32>(places),
                           frame.allocate<u32>(divide_rounding_up(shape.n, u64{32})),
                           state};
  fill_bytes(ex, "last order: clear", reinterpret_cast<u32*>(state), state_words(shape), 0);
  for_each(ex, "last order: samples", shape.sample_count(),
           TakeSample<MortonKeyOf<Boxes>>{key_of, shape, order.bvh, samples, state});
  radix_sort_keys(ex, "last order: sort samples", shape.sample_count(), Elements<u64>{samples}, sorted_samples,
                  high_word);
  distribute_keys(ex, key_of, buckets);
  exclusive_scan(ex, "last order: begins", shape.list_count(), Elements<u32>{counts}, u32{0}, Plus{}, begins);
  sort_buckets(ex, buckets, order);
  for_each(ex, "last order: close buckets", shape.bucket_count, CloseBucket{buckets, order});
}

/// Contract: builders/bvh/morton/morton_order.inl. In a captured graph the device decides at each launch whether the full sort
/// must run.
template <class Executor, class Boxes>
MortonOrder sort_from_last_order(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                                 u32 morton_bits, const BvhArrays& bvh) {
  if (n < BucketShape::min_primitives) return sort_by_morton_key(ex, frame, boxes, n, morton_bits, bvh);
  const MortonOrderOutput order{bvh, bvh.deltas, u32(n)};
  const PrecomputedBounds precomputed = choose_precomputed_bounds<Boxes>(ex, frame, n);
  ScratchArena::Frame sort_frame(ex.scratch);
  auto* const bounds = sort_frame.allocate<Aabb>(1);
  const BucketShape shape(n);
  auto* const state = reinterpret_cast<LastOrderState*>(sort_frame.allocate<u32>(state_words(shape)));
  bound_for_keys(ex, boxes, n, precomputed, bounds);
  const MortonKeyOf<Boxes> key_of{boxes, bounds, precomputed};
  const u64 key_mask = KeyShape(n, key_bits_or_fast(n, morton_bits)).key_mask;
  sort_by_buckets(ex, key_of, shape, key_mask, order, state);
  run_if(ex, &state->needs_full_sort,
         [&](const auto& branch) { sort_all_keys(branch, key_of, n, morton_bits, order); });
  return {order.deltas, precomputed};
}

template <class Executor>
MortonOrderScratch last_order_scratch(const Executor& ex, u64 n, bool of_triangles, u32 morton_bits) {
  MortonOrderScratch scratch = sort_by_morton_key_scratch(ex, n, of_triangles, morton_bits);
  if (n < BucketShape::min_primitives) return scratch;
  const BucketShape shape(n);
  const u64 places = u64{shape.bucket_count} * BucketShape::capacity;
  const u64 bucket_bytes = 2 * ScratchArena::bytes_for<u64>(shape.sample_count()) +
                           ScratchArena::bytes_for<u32>(shape.list_count()) +
                           ScratchArena::bytes_for<u64>(places) + ScratchArena::bytes_for<u32>(places) +
                           ScratchArena::bytes_for<u32>(divide_rounding_up(n, u64{32})) +
                           larger(u64(radix_sort_keys_scratch_bytes<u64>(ex, shape.sample_count(), high_word)),
                                  u64(scan_scratch_bytes<u32>(ex, shape.list_count())));
  scratch.bytes = ScratchArena::bytes_for<u32>(state_words(shape)) + larger(scratch.bytes, bucket_bytes);
  return scratch;
}

}  // namespace copse::detail

#pragma once

// The Morton order of primitives that have moved little since the tree was last built, on CUDA. Contract:
// builders/bvh/morton/morton_order.inl.
//
// The old order predicts how the new keys are distributed. Every 192nd primitive in it gives a sample, its new
// key; every 8th of the sorted samples is a splitter. So between two splitters there are about 1536 new keys. One
// pass over the mesh makes the keys and puts each into the bucket between its splitters. A second pass sorts each
// bucket in fast memory. The full sort makes five passes over memory instead.
//
//   old order   p7 p3 p9 p1 p4 p8 p2 ..   every 192nd: samples, with new keys
//   samples     k  k  k  k  k  k ..       sorted; every 8th: splitters
//   buckets     |    |    |    |          room for 4096 words each, in any order; then sorted one by one
//
// A word is the prefix of a key beside the number of its primitive, as in the full sort (KeyShape). Where keys are
// longer than prefixes, primitives with equal prefixes are put in order by the low halves of their keys.
//
// The result is that of the full sort, byte for byte, whatever the old order is: the old order changes the time
// alone. In two cases the device runs the full sort instead, in a branch (run_if). First, if the old order is
// useless: some samples are compared with the sample a sixteenth of the order later, and more than a quarter of
// these pairs are out of order. Second, if a bucket overflows, as it may where many keys are equal.
//
// Source: Pantaleoni, Luebke, "HLBVH: Hierarchical LBVH Construction for Real-Time Ray Tracing of Dynamic Geometry",
// HPG 2010, for the idea that the order of the last frame saves most of the sort. Where we differ: they compress
// runs of equal coarse keys; here samples of the old order replace the coarse keys, so that buckets are even.
//
// The steps of blocks are in sample_ranks.cuh and key_buckets.cuh:
//
//   rank_samples(ex, buckets, samples)
//     Stores the splitters, and counts the samples that are out of order. For few samples, without scratch.
//   distribute_keys(ex, key_of, buckets, order)
//     Puts the word of each primitive into its bucket, in any order, and marks invalid primitives. Stores where
//     buckets begin, the count of valid primitives, and whether the full sort must run.
//   sort_buckets(ex, buckets, order)
//     Stores the primitives in order, and the deltas. Does nothing where the full sort must run.

#include "builders/bvh/morton/sort_keys.h"
#include "primitives/core/atomic.h"
#include "primitives/radix_sort.h"
#include "primitives/run_if.h"

namespace copse::detail {

/// Measures of the old order, found on the device.
struct LastOrderState {
  u32 descent_count;  // samples that are larger than a sample far behind them
  u32 overflowed;     // 1 if a bucket was full
  u32 blocks_done;    // of the launch that fills the buckets
  u32 unused;
};

/// How many buckets and samples there are for `n` primitives. Invalid primitives have chunks of their own: for each
/// 4096 numbers, how many of them are invalid.
struct BucketShape {
  static constexpr u32 capacity = 4096;  // words of a bucket, numbers of a chunk
  static constexpr u32 mean_size = 1536;
  static constexpr u32 samples_per_bucket = 8;         // one is also checked
  static constexpr u64 min_primitives = 4 * capacity;  // below, the full sort is as fast
  static constexpr u32 max_ranked_samples = 8192;      // more of them are sorted by digits

  u64 n;
  u32 bucket_count;
  u32 chunk_count;

  COPSE_HD explicit BucketShape(u64 count)
      : n(count),
        bucket_count(u32(divide_rounding_up(count, u64{mean_size}))),
        chunk_count(u32(divide_rounding_up(count, u64{capacity}))) {}

  COPSE_HD u32 sample_count() const { return bucket_count * samples_per_bucket; }
  COPSE_HD bool ranks_samples() const { return sample_count() <= max_ranked_samples; }
  COPSE_HD u32 checked_distance() const { return sample_count() / 16; }
  COPSE_HD u32 checked_count() const { return (sample_count() - checked_distance()) / samples_per_bucket; }
  COPSE_HD u32 list_count() const { return bucket_count + chunk_count; }
};

/// The memory of the buckets.
struct KeyBuckets {
  BucketShape shape;
  u64 key_mask = 0;
  u64 prefix_mask = 0;       // the key in a word; the rest is the number of the primitive
  u32* low = nullptr;        // [primitive]: the low half of its key; null if the prefix is the whole key
  u32* splitters = nullptr;  // [bucket]: the high half of a word
  LastOrderState* state = nullptr;
  u32* counts = nullptr;           // [bucket], and then [chunk] of invalid primitives
  u64* ends = nullptr;             // [bucket]: complement of a word beside its begin; 0 before any is there
  u32* begins = nullptr;           // the first slots of buckets and chunks
  u64* words = nullptr;            // [bucket][place]
  u32* invalid_bits = nullptr;     // [primitive / 32]
  u32* needs_full_sort = nullptr;  // one word, which outlives the rest

  COPSE_HD bool order_is_lost() const {
    return u64{state->descent_count} * 4 > shape.checked_count() || load_relaxed(&state->overflowed) != 0;
  }
  COPSE_HD u64* bucket(u32 i) const { return words + u64{i} * BucketShape::capacity; }
  COPSE_HD u32 valid_count() const { return begins[shape.bucket_count]; }
  COPSE_HD u32 low_of(u64 word) const { return low[u32(word & ~prefix_mask)]; }

  /// Whether the primitive of a word comes before that of another one: by key, then by number.
  COPSE_HD bool is_before(u64 word, u64 other) const {
    if (low != nullptr && ((word ^ other) & prefix_mask) == 0) {
      const u32 own_low = low_of(word), other_low = low_of(other);
      if (own_low != other_low) return own_low < other_low;
    }
    return word < other;
  }

  /// Returns the delta of two neighbours in the order.
  COPSE_HD u32 delta(u64 word, u64 next, u32 slot) const {
    const bool is_tied = ((word ^ next) & prefix_mask) == 0;
    if (is_tied && low != nullptr) return common_prefix(u64{low_of(word)}, u64{low_of(next)}, slot);
    return common_prefix(word & prefix_mask, next & prefix_mask, slot);
  }

  /// Returns the last bucket with a splitter that is not above the word. The first bucket takes words below all.
  ///   guess: is tried first
  COPSE_HD u32 bucket_of(u64 word, u32 guess) const {
    const u32 high = u32(word >> 32);
    const bool is_not_below = guess == 0 || splitters[guess] <= high;
    if (is_not_below && (guess + 1 == shape.bucket_count || high < splitters[guess + 1])) return guess;
    u32 begin = 0, end = shape.bucket_count;
    while (end - begin > 1) {
      const u32 middle = begin + (end - begin) / 2;
      (splitters[middle] <= high ? begin : end) = middle;
    }
    return begin;
  }

  /// The words of `state`, `counts` and `ends`, which lie side by side and are zero at first.
  COPSE_HD u64 zeroed_words() const {
    return sizeof(LastOrderState) / sizeof(u32) + padded_list_count(shape) + u64{2} * shape.bucket_count;
  }
  /// Even, so that `ends` has the alignment of u64.
  COPSE_HD static u64 padded_list_count(const BucketShape& shape) { return (u64{shape.list_count()} + 1) / 2 * 2; }
};

/// Stores the high half of the new key of a sample. Zeroes the words that must be zero at first.
template <class KeyOf>
struct TakeSample {
  KeyOf key_of;
  KeyBuckets buckets;
  BvhArrays bvh;  // the old tree
  u32* samples;

  COPSE_HD void operator()(u64 i) const {
    const auto ready = key_of.ready();
    const u64 n = buckets.shape.n, sample_count = buckets.shape.sample_count();
    // The old tree may be over another number of primitives, or over none.
    const u64 old_count = bvh.counts->primitive_count;
    const u64 id = old_count == 0 ? i * n / sample_count : bvh.primitive_ids[i * old_count / sample_count] % n;
    samples[i] = u32(ready.key(ready.start(id)) >> 32);
    const u64 zeroed_words = buckets.zeroed_words();
    for (u64 k = i; k < zeroed_words; k += sample_count) reinterpret_cast<u32*>(buckets.state)[k] = 0;
  }
};

/// Counts sample 8 i if it is larger than the sample a sixteenth of the order later.
COPSE_HD inline void check_sample(const KeyBuckets& buckets, const u32* samples, u64 i) {
  if (i >= buckets.shape.checked_count()) return;
  const u64 sample = i * BucketShape::samples_per_bucket;
  if (samples[sample + buckets.shape.checked_distance()] < samples[sample]) {
    fetch_add_relaxed(&buckets.state->descent_count, 1u);
  }
}

/// Takes the splitters from sorted samples.
struct TakeSplitter {
  KeyBuckets buckets;
  const u32* samples;
  const u32* sorted_samples;

  COPSE_HD void operator()(u64 i) const {
    buckets.splitters[i] = sorted_samples[i * BucketShape::samples_per_bucket];
    check_sample(buckets, samples, i);
  }
};

inline constexpr BitRange sample_bits{0, 32};

/// Returns the memory of the buckets.
inline KeyBuckets allocate_buckets(ScratchArena::Frame& frame, const BucketShape& shape, const KeyShape& keys,
                                   u32* needs_full_sort) {
  KeyBuckets buckets{.shape = shape,
                     .key_mask = keys.key_mask,
                     .prefix_mask = keys.prefix_mask,
                     .needs_full_sort = needs_full_sort};
  if (!keys.prefix_is_all()) buckets.low = frame.allocate<u32>(shape.n);
  buckets.splitters = frame.allocate<u32>(shape.bucket_count);
  u32* const zeroed = frame.allocate<u32>(buckets.zeroed_words());
  buckets.state = reinterpret_cast<LastOrderState*>(zeroed);
  buckets.counts = zeroed + sizeof(LastOrderState) / sizeof(u32);
  buckets.ends = reinterpret_cast<u64*>(buckets.counts + KeyBuckets::padded_list_count(shape));
  buckets.begins = frame.allocate<u32>(shape.list_count());
  buckets.words = frame.allocate<u64>(u64{shape.bucket_count} * BucketShape::capacity);
  buckets.invalid_bits = frame.allocate<u32>(divide_rounding_up(shape.n, u64{32}));
  return buckets;
}

inline u64 buckets_scratch_bytes(const BucketShape& shape, const KeyShape& keys) {
  const u64 zeroed_words = KeyBuckets{shape}.zeroed_words();
  return (keys.prefix_is_all() ? 0 : ScratchArena::bytes_for<u32>(shape.n)) +
         ScratchArena::bytes_for<u32>(shape.bucket_count) + ScratchArena::bytes_for<u32>(zeroed_words) +
         ScratchArena::bytes_for<u32>(shape.list_count()) +
         ScratchArena::bytes_for<u64>(u64{shape.bucket_count} * BucketShape::capacity) +
         ScratchArena::bytes_for<u32>(divide_rounding_up(shape.n, u64{32}));
}

/// Stores the splitters, and checks samples of the old order.
template <class Executor, class Boxes>
void take_splitters(const Executor& ex, const MortonKeyOf<Boxes>& key_of, const BvhArrays& old,
                    const KeyBuckets& buckets) {
  ScratchArena::Frame frame(ex.scratch);
  const u32 sample_count = buckets.shape.sample_count();
  u32* const samples = frame.allocate<u32>(sample_count);
  for_each(ex, "last order: samples", sample_count, TakeSample<MortonKeyOf<Boxes>>{key_of, buckets, old, samples});
  if (buckets.shape.ranks_samples()) return rank_samples(ex, buckets, samples);
  u32* const sorted = frame.allocate<u32>(sample_count);
  radix_sort_keys(ex, "last order: sort samples", sample_count, Elements<u32>{samples}, sorted, sample_bits);
  for_each(ex, "last order: splitters", buckets.shape.bucket_count, TakeSplitter{buckets, samples, sorted});
}

template <class Executor>
u64 take_splitters_scratch_bytes(const Executor& ex, const BucketShape& shape) {
  const u64 sample_bytes = ScratchArena::bytes_for<u32>(shape.sample_count());
  if (shape.ranks_samples()) return sample_bytes;
  return 2 * sample_bytes + radix_sort_keys_scratch_bytes<u32>(ex, shape.sample_count(), sample_bits);
}

/// Contract: builders/bvh/morton/morton_order.inl. In a captured graph the device decides at each launch whether the
/// full sort must run.
template <class Executor, class Boxes>
MortonOrder sort_from_last_order(const Executor& ex, ScratchArena::Frame& frame, const Boxes& boxes, u64 n,
                                 u32 morton_bits, const BvhArrays& bvh) {
  if (n < BucketShape::min_primitives) return sort_by_morton_key(ex, frame, boxes, n, morton_bits, bvh);
  const MortonOrderOutput order{bvh, bvh.deltas, u32(n)};
  const PrecomputedBounds precomputed = choose_precomputed_bounds<Boxes>(ex, frame, n);
  ScratchArena::Frame sort_frame(ex.scratch);
  auto* const bounds = sort_frame.allocate<Aabb>(2);
  u32* const needs_full_sort = sort_frame.allocate<u32>(1);
  bound_for_keys(ex, boxes, n, precomputed, bounds);
  const MortonKeyOf<Boxes> key_of{boxes, bounds, precomputed};
  {
    ScratchArena::Frame bucket_frame(ex.scratch);
    const KeyShape keys(n, key_bits_or_fast(n, morton_bits));
    const KeyBuckets buckets = allocate_buckets(bucket_frame, BucketShape(n), keys, needs_full_sort);
    take_splitters(ex, key_of, bvh, buckets);
    distribute_keys(ex, key_of, buckets, order);
    sort_buckets(ex, buckets, order);
  }
  run_if(ex, needs_full_sort, [&](const auto& branch) { sort_all_keys(branch, key_of, n, morton_bits, order); });
  return {order.deltas, precomputed};
}

template <class Executor>
MortonOrderScratch last_order_scratch(const Executor& ex, u64 n, bool of_triangles, u32 morton_bits) {
  MortonOrderScratch scratch = sort_by_morton_key_scratch(ex, n, of_triangles, morton_bits);
  if (n < BucketShape::min_primitives) return scratch;
  const BucketShape shape(n);
  const u64 bucket_bytes = buckets_scratch_bytes(shape, KeyShape(n, key_bits_or_fast(n, morton_bits))) +
                           take_splitters_scratch_bytes(ex, shape);
  scratch.bytes =
      ScratchArena::bytes_for<u32>(1) + larger(scratch.bytes, ScratchArena::bytes_for<Aabb>(2) + bucket_bytes);
  return scratch;
}

}  // namespace copse::detail

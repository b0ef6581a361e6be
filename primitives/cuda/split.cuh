#pragma once

// Up to 256 buckets take one distribution (distribute.cuh). More buckets take two: by the lower 8 bits of the
// bucket, then by the upper ones. bench: copse-bench-primitives, split/.

#include "primitives/cuda/histogram.cuh"
#include "primitives/cuda/scan.cuh"
#include "primitives/sort/radix_passes.cuh"
#include "primitives/sort/split_unordered.cuh"
#include "primitives/split.h"

namespace copse::cuda {

namespace detail {

/// The buckets of the items of a source.
template <class Bits, class Source, class BucketOf>
struct BucketsOfSource {
  Source source;
  BucketOf bucket_of;
  __device__ Bits operator()(u64 i) const { return Bits(bucket_of(source(i))); }
};

template <class BucketOf>
struct BitsOfBucket {
  BucketOf bucket_of;
  u32 shift;
  template <class Item>
  __device__ u32 operator()(const Item& item) const {
    return bucket_of(item) >> shift & (bucket_limit - 1);
  }
};

inline u32 bits_for_buckets(u32 bucket_count) {
  return larger(32 - leading_zeros(bucket_count - 1), 1u);
}

/// Splits in one or two passes. `sink` takes the items. `between` holds them after the first of two passes.
template <class Item, class Source, class BucketOf, class Sink>
void split_items(const Executor& ex, const char* label, u64 n, const Source& source, const BucketOf& bucket_of,
                 u32 bucket_count, const Sink& sink, u64* offsets) {
  const SortPasses passes{{0, bits_for_buckets(bucket_count)}};
  ScratchArena::Frame frame(ex.scratch);
  ZeroedMemory::Scope zeroed(ex.zeroed);
  auto* zeroes = static_cast<PassZeroes*>(zeroed.data());
  const PassMemory memory = allocate_pass_memory<Item>(ex, frame, n, passes.count());
  if (passes.count() == 1) {
    prepare_passes<u8>(ex, label, n, BucketsOfSource<u8, Source, BucketOf>{source, bucket_of}, KeyEncoding<u8>{},
                       passes, zeroes, memory);
    run_pass<Item>(ex, label, n, source, bucket_of, sink, 0, 1, zeroes, memory,
                   {offsets, offsets != nullptr ? bucket_count : 0});
  } else {
    Item* between = frame.allocate<Item>(n);
    prepare_passes<u16>(ex, label, n, BucketsOfSource<u16, Source, BucketOf>{source, bucket_of},
                        KeyEncoding<u16>{}, passes, zeroes, memory);
    run_pass<Item>(ex, label, n, source, BitsOfBucket<BucketOf>{bucket_of, 0}, ItemArray<Item>{between}, 0, 2,
                   zeroes, memory);
    run_pass<Item>(ex, label, n, ArrayItems<Item>{between}, BitsOfBucket<BucketOf>{bucket_of, bucket_bits}, sink,
                   1, 2, zeroes, memory);
  }
  zeroed.leaves_zero();
}

struct SameBin {
  __device__ u32 operator()(u32 bucket) const { return bucket; }
};

/// Stores the offsets, unless one pass has stored them: counts the buckets and scans the counts. Always stores the
/// end of the last bucket.
template <class Source, class BucketOf>
void find_offsets(const Executor& ex, const char* label, u64 n, const Source& source, const BucketOf& bucket_of,
                  u32 bucket_count, u64* offsets) {
  if (offsets == nullptr) return;
  if (n == 0) {
    fill_bytes(ex, label, offsets, u64{bucket_count} + 1, 0);
    return;
  }
  if (bucket_count > bucket_limit) {
    histogram(ex, label, n, BucketsOfSource<u32, Source, BucketOf>{source, bucket_of}, SameBin{}, bucket_count,
              offsets);
    exclusive_scan(ex, label, bucket_count, Elements<u64>{offsets}, u64{0}, Plus{}, offsets);
  }
  launch(ex, label, store_kernel<u64>, {1, 1}, n, offsets + bucket_count);
}

template <class Item>
u64 split_item_scratch_bytes(const Executor& ex, u64 n, u32 bucket_count) {
  const u32 pass_count = bucket_count > bucket_limit ? 2 : 1;
  const u64 passes =
      pass_scratch_bytes<Item>(ex, n, pass_count) + (pass_count - 1) * ScratchArena::bytes_for<Item>(n);
  return n == 0 ? 0
                : larger(passes, larger(histogram_scratch_bytes(ex, n, bucket_count),
                                        scan_scratch_bytes<u64>(ex, bucket_count)));
}

/// An index with its bucket, as an item for split_index.
template <class BucketOf>
struct BucketAndIndex {
  BucketOf bucket_of;
  __device__ SortItem<u32, u32> operator()(u64 i) const { return {bucket_of(i), u32(i)}; }
};
struct KeyOfItem {
  __device__ u32 operator()(const SortItem<u32, u32>& item) const { return item.key(); }
};

}  // namespace detail

/// Contract: primitives/split.h.
template <class Item>
u64 split_scratch_bytes(const Executor& ex, u64 n, u32 bucket_count) {
  return detail::split_item_scratch_bytes<Item>(ex, n, bucket_count);
}
inline u64 split_index_scratch_bytes(const Executor& ex, u64 n, u32 bucket_count) {
  return detail::split_item_scratch_bytes<detail::SortItem<u32, u32>>(ex, n, bucket_count);
}

/// Contract: primitives/split.h.
template <class Item, class Input, class BucketOf>
void split(const Executor& ex, const char* label, u64 n, Input input, BucketOf bucket_of, u32 bucket_count,
           Item* out, u64* offsets) {
  static_assert(sizeof(Item) <= 32);
  if (n > 0) {
    detail::split_items<Item>(ex, label, n, input, bucket_of, bucket_count, detail::ItemArray<Item>{out}, offsets);
  }
  detail::find_offsets(ex, label, n, input, bucket_of, bucket_count, offsets);
}

/// Contract: primitives/split.h.
template <class BucketOf>
void split_index(const Executor& ex, const char* label, u64 n, BucketOf bucket_of, u32 bucket_count,
                 u32* indices_out, u64* offsets) {
  using Item = detail::SortItem<u32, u32>;
  const detail::BucketAndIndex<BucketOf> source{bucket_of};
  if (n > 0) {
    detail::split_items<Item>(ex, label, n, source, detail::KeyOfItem{}, bucket_count,
                              detail::OutputArrays<u32, u32>{nullptr, indices_out, {}}, offsets);
  }
  detail::find_offsets(ex, label, n, source, detail::KeyOfItem{}, bucket_count, offsets);
}

/// Contract: primitives/split.h.
template <class Item, class Input, class BucketOf>
void split_unordered(const Executor& ex, const char* label, u64 n, Input input, BucketOf bucket_of,
                     u32 bucket_count, Item* out, u64* offsets) {
  static_assert(sizeof(Item) <= 32);
  if (n > 0) {
    ScratchArena::Frame frame(ex.scratch);
    ZeroedMemory::Scope zeroed(ex.zeroed);
    auto* totals = static_cast<u64*>(zeroed.data());
    const detail::SortPasses passes{{0, detail::bits_for_buckets(bucket_count)}};
    detail::count_digits<u8>(ex, label, n, detail::BucketsOfSource<u8, Input, BucketOf>{input, bucket_of},
                             KeyEncoding<u8>{}, passes, totals, nullptr, 0);
    detail::distribute_unordered<Item>(ex, label, n, input, bucket_of, detail::ItemArray<Item>{out}, totals,
                                       offsets, offsets != nullptr ? bucket_count : 0);
    zeroed.leaves_zero();
  }
  detail::find_offsets(ex, label, n, input, bucket_of, bucket_count, offsets);
}

}  // namespace copse::cuda

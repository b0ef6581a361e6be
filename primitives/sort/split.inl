// The body of split.cpp. Values move with their buckets; records move once, by the index of the split.

#include <cstddef>

#include "primitives/gather.h"
#include "primitives/inputs.h"
#include "primitives/split.h"

namespace copse::detail {

/// A value with its bucket, which is at most the last bucket.
struct BucketAndValue {
  u32 bucket, value;
};

struct BucketsAndValues {
  const u32* buckets;
  const u32* values;
  u32 last_bucket;
  COPSE_HD BucketAndValue operator()(u64 i) const { return {smaller(buckets[i], last_bucket), values[i]}; }
};

struct BucketOfValue {
  COPSE_HD u32 operator()(const BucketAndValue& item) const { return item.bucket; }
};

struct BucketAt {
  const u32* buckets;
  u32 last_bucket;
  COPSE_HD u32 operator()(u64 i) const { return smaller(buckets[i], last_bucket); }
};

struct ValuesAlone {
  const BucketAndValue* items;
  u32* out;
  COPSE_HD void operator()(u64 i) const { out[i] = items[i].value; }
};

template <class Executor>
void split_values(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, const u32* in, u32* out,
                  u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  auto* items = frame.allocate<BucketAndValue>(n);
  split(ex, "split", n, BucketsAndValues{buckets, in, bucket_count - 1}, BucketOfValue{}, bucket_count, items,
        offsets);
  for_each(ex, "split: values", n, ValuesAlone{items, out});
}

template <class Executor>
void split_indices(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, u32* out, u64* offsets) {
  split_index(ex, "split index", n, BucketAt{buckets, bucket_count - 1}, bucket_count, out, offsets);
}

template <class Executor>
void split_whole_records(const Executor& ex, u64 n, const u32* buckets, u32 bucket_count, const std::byte* in,
                         u64 record_bytes, std::byte* out, u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  u32* indices = frame.allocate<u32>(n);
  split_indices(ex, n, buckets, bucket_count, indices, offsets);
  gather_records(ex, "split: records", n, in, record_bytes, Elements<u32>{indices}, out);
}

template void split_values(const BodyExecutor&, u64, const u32*, u32, const u32*, u32*, u64*);
template void split_indices(const BodyExecutor&, u64, const u32*, u32, u32*, u64*);
template void split_whole_records(const BodyExecutor&, u64, const u32*, u32, const std::byte*, u64, std::byte*,
                                  u64*);

}  // namespace copse::detail

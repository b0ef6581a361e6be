#include "primitives/split.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

class Split : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Split);

namespace {

std::vector<u32> random_buckets(u64 n, u32 bucket_count, u32 seed) {
  std::mt19937 random(seed);
  std::vector<u32> buckets(n);
  for (u32& bucket : buckets) bucket = random() % bucket_count;
  return buckets;
}

std::vector<u32> slow_split_index(const std::vector<u32>& buckets) {
  std::vector<u32> indices(buckets.size());
  std::iota(indices.begin(), indices.end(), 0u);
  std::stable_sort(indices.begin(), indices.end(), [&](u32 a, u32 b) { return buckets[a] < buckets[b]; });
  return indices;
}

std::vector<u64> slow_offsets(const std::vector<u32>& buckets, u32 bucket_count) {
  std::vector<u64> offsets(bucket_count + 1);
  for (u32 bucket : buckets) ++offsets[bucket + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

void expect_splits(Context& context, const std::vector<u32>& host, u32 bucket_count) {
  const u64 n = host.size();
  const Buffer<u32> buckets(context, host);
  std::vector<u32> values(n);
  for (u64 i = 0; i < n; ++i) values[i] = u32(i * 2654435761u);
  const Buffer<u32> values_in(context, values);
  Buffer<u32> values_out(context, n), indices(context, n);
  Buffer<u64> offsets(context, bucket_count + 1), index_offsets(context, bucket_count + 1);
  split(context, buckets.span(), bucket_count, values_in.span(), values_out.span(), offsets.span());
  split_index(context, buckets.span(), bucket_count, indices.span(), index_offsets.span());

  const auto expected = slow_split_index(host);
  EXPECT_EQ(indices.download(), expected) << n << " into " << bucket_count;
  const auto expected_offsets = slow_offsets(host, bucket_count);
  EXPECT_EQ(offsets.download(), expected_offsets) << n << " into " << bucket_count;
  EXPECT_EQ(index_offsets.download(), expected_offsets) << n << " into " << bucket_count;
  const auto got = values_out.download();
  for (u64 k = 0; k < n; ++k)
    ASSERT_EQ(got[k], values[expected[k]]) << k << " of " << n << " into " << bucket_count;
}

}  // namespace

TEST_P(Split, IsStableForEveryNumberOfBuckets) {
  for (u32 bucket_count : {1, 2, 3, 16, 255, 256, 257, 1000, 65535, 65536}) {
    for (u64 n : {0, 1, 2, 3071, 3072, 3073, 20000}) {
      expect_splits(context(), random_buckets(n, bucket_count, bucket_count), bucket_count);
    }
  }
}

TEST_P(Split, TakesOneBucketForAllAndRuns) {
  expect_splits(context(), std::vector<u32>(10000, 0), 7);
  expect_splits(context(), std::vector<u32>(10000, 255), 256);
  std::vector<u32> runs(30000);
  for (u64 i = 0; i < runs.size(); ++i) runs[i] = u32(i / 100);
  expect_splits(context(), runs, 300);
  std::reverse(runs.begin(), runs.end());
  expect_splits(context(), runs, 300);
}

TEST_P(Split, CountsBucketsPastTheEndAsTheLast) {
  const std::vector<u32> host = {5, 0, 9, 0xffffffffu, 1};
  const Buffer<u32> buckets(context(), host);
  Buffer<u32> indices(context(), 5);
  Buffer<u64> offsets(context(), 4);
  split_index(context(), buckets.span(), 3, indices.span(), offsets.span());
  EXPECT_EQ(indices.download(), (std::vector<u32>{1, 4, 0, 2, 3}));
  EXPECT_EQ(offsets.download(), (std::vector<u64>{0, 1, 2, 5}));
}

TEST_P(Split, MovesWholeRecords) {
  for (u64 record_bytes : {4, 12, 32, 100, 128, 256}) {
    const u64 n = 5000;
    const auto host = random_buckets(n, 64, u32(record_bytes));
    std::vector<std::byte> records(n * record_bytes);
    for (u64 i = 0; i < records.size(); ++i) records[i] = std::byte(i * 2654435761u >> 24);
    const Buffer<u32> buckets(context(), host);
    const Buffer<std::byte> in(context(), records);
    Buffer<std::byte> out(context(), records.size());
    split_records(context(), buckets.span(), 64, in.span(), record_bytes, out.span());
    const auto expected = slow_split_index(host);
    const auto got = out.download();
    for (u64 k = 0; k < n; ++k) {
      ASSERT_EQ(std::memcmp(&got[k * record_bytes], &records[expected[k] * record_bytes], record_bytes), 0)
          << k << ", records of " << record_bytes;
    }
  }
}

TEST_P(Split, RefusesBucketCountsOutOfRange) {
  Buffer<u32> buckets(context(), 4), out(context(), 4);
  EXPECT_COPSE_ERROR(split_index(context(), buckets.span(), 0, out.span()), ErrorCode::invalid_argument,
                     "0 buckets");
  EXPECT_COPSE_ERROR(split_index(context(), buckets.span(), 65537, out.span()), ErrorCode::invalid_argument,
                     "65537");
}

TEST_P(Split, RefusesOutputThatIsInputOrOfAnotherSize) {
  Buffer<u32> buckets(context(), 4), values(context(), 4), out(context(), 3);
  Buffer<u64> offsets(context(), 2);
  EXPECT_COPSE_ERROR(split(context(), buckets.span(), 2, values.span(), values.span()),
                     ErrorCode::invalid_argument, "overlaps");
  EXPECT_COPSE_ERROR(split(context(), buckets.span(), 2, values.span(), out.span()), ErrorCode::invalid_argument,
                     "3");
  EXPECT_COPSE_ERROR(split_index(context(), buckets.span(), 2, values.span(), offsets.span()),
                     ErrorCode::invalid_argument, "2 offsets");
  Buffer<std::byte> records(context(), 40), moved(context(), 40);
  EXPECT_COPSE_ERROR(split_records(context(), buckets.span(), 2, records.span(), 0, moved.span()),
                     ErrorCode::invalid_argument, "0 bytes");
  EXPECT_COPSE_ERROR(split_records(context(), buckets.span(), 2, records.span(), 9, moved.span()),
                     ErrorCode::invalid_argument, "40 bytes, no whole records of 9");
}

TEST_P(Split, LargeSplitsAreRightEveryTime) {
  const auto host = random_buckets(3000001, 256, 1);
  for (int repeat = 0; repeat < 3; ++repeat) expect_splits(context(), host, 256);
  expect_splits(context(), random_buckets(1000003, 50000, 2), 50000);
}

}  // namespace copse::test

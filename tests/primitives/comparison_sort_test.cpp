// Tests merge sort and sample sort by the library's order. Both sorts run the same cases.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "primitives/core/buffer.h"
#include "primitives/sample_sort.h"
#include "primitives/sort_plan.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

class ComparisonSort : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(ComparisonSort);

using detail::MergeShape;

constexpr u64 sample_sort_begins = detail::sample_sort_min_tiles * MergeShape<u32, u32>::tile + 1;

/// Returns the bits of the keys, so that NaN and -0 are compared too.
template <class Key>
std::vector<u64> bits_of_all(const std::vector<Key>& keys) {
  std::vector<u64> bits(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) std::memcpy(&bits[i], &keys[i], sizeof(Key));
  return bits;
}

template <class Key>
void expect_both_sort(Context& context, const std::vector<Key>& keys, const char* what) {
  const u64 n = keys.size();
  std::vector<u32> values(n);
  std::iota(values.begin(), values.end(), 1000u);
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](u32 a, u32 b) { return Less{}(keys[a], keys[b]); });
  std::vector<Key> expected(n);
  std::vector<u32> expected_values(n);
  for (u64 i = 0; i < n; ++i) expected[i] = keys[order[i]], expected_values[i] = values[order[i]];

  const Buffer<Key> keys_in(context, keys);
  const Buffer<u32> values_in(context, values);
  for (bool sample : {false, true}) {
    Buffer<Key> alone(context, n), keys_out(context, n);
    Buffer<u32> values_out(context, n);
    if (sample) {
      sample_sort_keys<Key>(context, keys_in.span(), alone.span());
      sample_sort_pairs<Key>(context, keys_in.span(), values_in.span(), keys_out.span(), values_out.span());
    } else {
      merge_sort_keys<Key>(context, keys_in.span(), alone.span());
      merge_sort_pairs<Key>(context, keys_in.span(), values_in.span(), keys_out.span(), values_out.span());
    }
    ASSERT_EQ(bits_of_all(alone.download()), bits_of_all(expected)) << n << " " << what << ", sample " << sample;
    ASSERT_EQ(bits_of_all(keys_out.download()), bits_of_all(expected))
        << n << " " << what << ", sample " << sample;
    ASSERT_EQ(values_out.download(), expected_values) << n << " " << what << ", sample " << sample;
  }
}

template <class Key>
std::vector<Key> random_keys_around_zero(u64 n, u64 distinct, u32 seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = Key(random() % distinct) - Key(distinct / 2);
  return keys;
}

template <class Key, class Value>
void expect_tiles_fit() {
  using Shape = MergeShape<Key, Value>;
  constexpr u32 block_of_turing = 64u << 10, block_elsewhere = 99u << 10, static_memory = 1u << 10, alignment = 16;
  const auto bytes = [](u32 items) { return (Shape::threads + 1) * items * Shape::element_bytes + alignment; };
  EXPECT_LE(bytes(Shape::turing_items) + static_memory, block_of_turing) << Shape::element_bytes;
  EXPECT_LE(bytes(Shape::items), block_elsewhere) << Shape::element_bytes;
  EXPECT_EQ(Shape::turing_items % 2, 1u);
  EXPECT_LE(Shape::turing_tile, Shape::tile);
}

TEST(ComparisonSortShapes, TilesFitTheSharedMemoryOfABlock) {
  struct Bytes12 {
    u32 of[3];
  };
  struct Bytes28 {
    u32 of[7];
  };
  expect_tiles_fit<u32, NoValue>();
  expect_tiles_fit<u32, u32>();
  expect_tiles_fit<u64, NoValue>();
  expect_tiles_fit<u64, u32>();
  expect_tiles_fit<u64, u64>();
  expect_tiles_fit<Bytes12, u64>();
  expect_tiles_fit<Bytes12, Bytes12>();
  expect_tiles_fit<Bytes28, NoValue>();
  expect_tiles_fit<Bytes28, u32>();
  EXPECT_EQ((MergeShape<u64, NoValue>::turing_tile), 7680u);
  EXPECT_EQ((MergeShape<u32, NoValue>::turing_tile), (MergeShape<u32, NoValue>::tile));
}

TEST_P(ComparisonSort, EqualsStableSortAtTileBoundaries) {
  for (u64 n : boundary_sizes()) {
    expect_both_sort(context(), random_keys_around_zero<u32>(n, 1u << 31, u32(n)), "random u32");
    expect_both_sort(context(), random_keys_around_zero<double>(n, 100, u32(n)), "few double");
  }
}

TEST_P(ComparisonSort, TakesAllItsTypes) {
  expect_both_sort(context(), random_keys_around_zero<u32>(30000, ~0u, 1), "u32");
  expect_both_sort(context(), random_keys_around_zero<u64>(30000, ~u64{0}, 2), "u64");
  expect_both_sort(context(), random_keys_around_zero<i32>(30000, 1u << 31, 3), "i32");
  expect_both_sort(context(), random_keys_around_zero<float>(30000, 1000000, 4), "float");
  expect_both_sort(context(), random_keys_around_zero<double>(30000, 1000000, 5), "double");
}

TEST_P(ComparisonSort, EqualsStableSortWhereLevelsBegin) {
  for (u64 n : {sample_sort_begins - 1, sample_sort_begins, sample_sort_begins + 12345}) {
    expect_both_sort(context(), random_keys_around_zero<u32>(n, 1u << 31, u32(n)), "random u32");
  }
  expect_both_sort(context(), random_keys_around_zero<u64>(sample_sort_begins, ~u64{0}, 7), "random u64");
  expect_both_sort(context(), random_keys_around_zero<i32>(sample_sort_begins, 5000, 8), "repeated i32");
}

TEST_P(ComparisonSort, KeepsTheOrderOfEqualKeys) {
  const u64 n = sample_sort_begins + 1000;
  expect_both_sort(context(), std::vector<u32>(n, 7), "equal");
  expect_both_sort(context(), random_keys_around_zero<u32>(n, 2, 1), "of two values");
  auto mostly_equal = std::vector<u32>(n, 1000);
  for (u64 i = 0; i < n; i += 1000) mostly_equal[i] = u32(i / 500);
  expect_both_sort(context(), mostly_equal, "mostly equal");
}

TEST_P(ComparisonSort, TakesSortedReversedAndOrganPipe) {
  const u64 n = sample_sort_begins + 2000;
  std::vector<u32> keys(n);
  std::iota(keys.begin(), keys.end(), 0u);
  expect_both_sort(context(), keys, "sorted");
  std::ranges::reverse(keys);
  expect_both_sort(context(), keys, "reversed");
  for (u64 i = 0; i < n; ++i) keys[i] = u32(std::min(i, n - i));
  expect_both_sort(context(), keys, "organ pipe");
}

/// Returns keys of which the smallest are sampled. So nearly all other keys come out in one bucket.
std::vector<u32> keys_against_samples(u64 n) {
  auto keys = random_keys_around_zero<u32>(n, 1u << 31, 11);
  for (u32& key : keys) key = key >> 1 | 1u << 31;
  const u32 bits = detail::plan_sample_sort(n, MergeShape<u32, u32>::tile).bits[0];
  const u32 count = detail::samples_per_bucket(bits, MergeShape<u32, u32>::tile) << bits;
  for (u32 j = 0; j < count; ++j) keys[detail::sample_position(j, count, n)] = j;
  return keys;
}

TEST_P(ComparisonSort, TakesKeysMadeAgainstItsSamples) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    expect_both_sort(context(), keys_against_samples(sample_sort_begins + repeat * 4321), "against samples");
  }
}

TEST_P(ComparisonSort, PutsNanBehindAllNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  for (u64 n : {u64{9}, u64{9000}, sample_sort_begins + 5}) {
    auto keys = random_keys_around_zero<float>(n, 1000, 3);
    for (u64 i = 0; i < n; ++i) {
      if (i % 5 == 1) keys[i] = i % 2 == 0 ? nan : -nan;
      if (i % 7 == 2) keys[i] = i % 3 == 0 ? infinite : -infinite;
      if (i % 7 == 3) keys[i] = i % 3 == 0 ? -0.0f : 0.0f;
    }
    expect_both_sort(context(), keys, "with NaN");
    const Buffer<float> in(context(), keys);
    Buffer<float> out(context(), n);
    sample_sort_keys<float>(context(), in.span(), out.span());
    const auto sorted = out.download();
    const auto nan_count = std::ranges::count_if(keys, [](float key) { return std::isnan(key); });
    EXPECT_FALSE(std::isnan(sorted[n - u64(nan_count) - 1]));
    EXPECT_TRUE(std::isnan(sorted[n - u64(nan_count)]));
  }
}

TEST_P(ComparisonSort, OutputMayBeTheInput) {
  for (u64 n : {u64{100}, u64{20000}, u64{40000}, sample_sort_begins}) {
    const auto keys = random_keys_around_zero<u32>(n, 1u << 31, u32(n));
    auto expected = keys;
    std::ranges::sort(expected);
    for (bool sample : {false, true}) {
      Buffer<u32> both(context(), keys), values(context(), keys);
      const auto in = std::as_const(both).span(), values_in = std::as_const(values).span();
      if (sample) {
        sample_sort_pairs<u32>(context(), in, values_in, both.span(), values.span());
      } else {
        merge_sort_pairs<u32>(context(), in, values_in, both.span(), values.span());
      }
      ASSERT_EQ(both.download(), expected) << n;
      ASSERT_EQ(values.download(), expected) << n;
    }
  }
}

TEST_P(ComparisonSort, TakesMisalignedPointers) {
  const u64 n = sample_sort_begins + 3;
  const auto keys = random_keys_around_zero<u32>(n, 1u << 31, 5);
  auto expected = std::vector<u32>(keys.begin() + 1, keys.end());
  std::ranges::sort(expected);
  const Buffer<u32> in(context(), keys);
  Buffer<u32> out(context(), n + 2);
  sample_sort_keys<u32>(context(), in.span().subspan(1, n - 1), out.span().subspan(3, n - 1));
  EXPECT_EQ(download(context(), out.span().subspan(3, n - 1)), expected);
  merge_sort_keys<u32>(context(), in.span().subspan(1, n - 1), out.span().subspan(1, n - 1));
  EXPECT_EQ(download(context(), out.span().subspan(1, n - 1)), expected);
}

TEST_P(ComparisonSort, RefusesWrongArguments) {
  Buffer<u32> keys(context(), 10), values(context(), 10), out(context(), 10), few(context(), 9);
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(merge_sort_keys<u32>(context(), keys.span(), few.span()), code,
                     "merge sort: the output has 9");
  EXPECT_COPSE_ERROR(sample_sort_keys<u32>(context(), keys.span(), few.span()), code,
                     "sample sort: the output has 9");
  EXPECT_COPSE_ERROR(merge_sort_keys<u32>(context(), keys.span().first(9), keys.span().subspan(1, 9)), code,
                     "overlap");
  EXPECT_COPSE_ERROR(sample_sort_pairs<u32>(context(), keys.span(), few.span(), out.span(), few.span()), code,
                     "9 values for 10 keys");
}

TEST_P(ComparisonSort, LargeInputTakesTwoLevels) {
  const u64 n = (u64{1} << 21) + 77;
  ASSERT_GE(detail::plan_sample_sort(n, MergeShape<u32, u32>::tile).level_count, 2u);
  expect_both_sort(context(), random_keys_around_zero<u32>(n, 1u << 31, 1), "random");
  expect_both_sort(context(), random_keys_around_zero<double>(n, 3, 2), "of three values");
  expect_both_sort(context(), std::vector<u32>(n, 9), "equal");
  expect_both_sort(context(), keys_against_samples(n), "against samples");
  std::vector<u32> sorted(n);
  std::iota(sorted.begin(), sorted.end(), 0u);
  expect_both_sort(context(), sorted, "sorted");
}

TEST_P(ComparisonSort, LargeInputIsSortedEveryTime) {
  const u64 n = (u64{1} << 23) + 12345;
  const auto keys = random_keys_around_zero<u32>(n, 1u << 31, 6);
  auto expected = keys;
  std::ranges::sort(expected);
  const Buffer<u32> in(context(), keys);
  Buffer<u32> out(context(), n);
  for (int repeat = 0; repeat < 3; ++repeat) {
    sample_sort_keys<u32>(context(), in.span(), out.span());
    ASSERT_EQ(out.download(), expected);
  }
}

}  // namespace copse::test

// Tests radix sort with each type of key, against stable sorts of the standard library.

#include <algorithm>
#include <compare>
#include <cstring>
#include <numeric>
#include <random>

#include "primitives/core/buffer.h"
#include "primitives/radix_sort.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

class RadixSortKeys : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(RadixSortKeys);

namespace {

template <class Key>
bool comes_before(const Key& a, const Key& b) {
  if constexpr (std::is_floating_point_v<Key>) {
    return std::strong_order(a, b) < 0;  // the total order of IEEE 754, which orders zeros and NaN too
  } else if constexpr (std::is_arithmetic_v<Key>) {
    return a < b;
  } else {
    return std::lexicographical_compare(std::rbegin(a.words), std::rend(a.words), std::rbegin(b.words),
                                        std::rend(b.words));
  }
}

template <class Key>
std::vector<Key> keys_of_random_bytes(u64 n, u32 seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    unsigned char bytes[16];
    const u64 low = random(), high = random();
    std::memcpy(bytes, &low, 8);
    std::memcpy(bytes + 8, &high, 8);
    std::memcpy(&key, bytes, sizeof(Key));
  }
  if constexpr (std::is_floating_point_v<Key>) {
    const Key special[] = {0,
                           Key(-0.0),
                           infinity,
                           -infinity,
                           std::numeric_limits<Key>::quiet_NaN(),
                           -std::numeric_limits<Key>::quiet_NaN(),
                           std::numeric_limits<Key>::denorm_min(),
                           1,
                           -1};
    for (u64 i = 0; i < n; i += 3) keys[i] = special[i / 3 % std::size(special)];
  }
  return keys;
}

/// Returns the indices of the keys in stable sorted order.
template <class Key>
std::vector<u32> slow_indices(const std::vector<Key>& keys, SortOrder order) {
  std::vector<u32> indices(keys.size());
  std::iota(indices.begin(), indices.end(), 0u);
  std::stable_sort(indices.begin(), indices.end(), [&](u32 a, u32 b) {
    return order == SortOrder::ascending ? comes_before(keys[a], keys[b]) : comes_before(keys[b], keys[a]);
  });
  return indices;
}

template <class Key>
void expect_sorts_keys(Context& context, const std::vector<Key>& host, SortOrder order) {
  const u64 n = host.size();
  const Buffer<Key> keys(context, host);
  std::vector<u32> values(n);
  std::iota(values.begin(), values.end(), 7u);
  const Buffer<u32> values_in(context, values);
  Buffer<Key> sorted(context, n), pair_keys(context, n);
  Buffer<u32> pair_values(context, n), indices(context, n);
  radix_sort_keys<Key>(context, keys.span(), sorted.span(), all_bits<Key>, order);
  radix_sort_pairs<Key>(context, keys.span(), values_in.span(), pair_keys.span(), pair_values.span(),
                        all_bits<Key>, order);
  radix_sort_indices<Key>(context, keys.span(), indices.span(), all_bits<Key>, order);

  const auto expected = slow_indices(host, order);
  EXPECT_EQ(indices.download(), expected) << n;
  const auto got = sorted.download(), got_pairs = pair_keys.download();
  const auto got_values = pair_values.download();
  for (u64 k = 0; k < n; ++k) {
    const Key& key = host[expected[k]];
    ASSERT_EQ(std::memcmp(&got[k], &key, sizeof(Key)), 0) << k << " of " << n;
    ASSERT_EQ(std::memcmp(&got_pairs[k], &key, sizeof(Key)), 0) << k << " of " << n;
    ASSERT_EQ(got_values[k], expected[k] + 7) << k << " of " << n;
  }
}

template <class Key>
void expect_sorts_of_type(Context& context) {
  for (u64 n : {0, 1, 2, 3071, 3072, 3073, 20001}) {
    for (SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
      expect_sorts_keys(context, keys_of_random_bytes<Key>(n, u32(n)), order);
    }
  }
}

}  // namespace

TEST_P(RadixSortKeys, SortUnsignedNumbers) {
  expect_sorts_of_type<u32>(context());
  expect_sorts_of_type<u64>(context());
}
TEST_P(RadixSortKeys, SortSignedNumbers) {
  expect_sorts_of_type<i32>(context());
  expect_sorts_of_type<i64>(context());
}
TEST_P(RadixSortKeys, SortFloatsWithZerosInfinitiesAndNaN) {
  expect_sorts_of_type<float>(context());
  expect_sorts_of_type<double>(context());
}
TEST_P(RadixSortKeys, SortWideKeys) {
  expect_sorts_of_type<Key96>(context());
  expect_sorts_of_type<Key128>(context());
}

TEST_P(RadixSortKeys, KeepTheOrderOfEqualKeysInBothOrders) {
  for (SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
    std::vector<u32> keys(30011);
    for (u64 i = 0; i < keys.size(); ++i) keys[i] = u32(i * 2654435761u >> 28) % 3 << 13;
    expect_sorts_keys(context(), keys, order);
    expect_sorts_keys(context(), std::vector<u32>(9217, 42), order);
    expect_sorts_keys(context(), std::vector<u32>(3072, 0xffffffffu), order);
  }
}

TEST_P(RadixSortKeys, SortWhatIsSortedAndReversed) {
  std::vector<i32> keys(25000);
  std::iota(keys.begin(), keys.end(), -12000);
  expect_sorts_keys(context(), keys, SortOrder::ascending);
  std::reverse(keys.begin(), keys.end());
  expect_sorts_keys(context(), keys, SortOrder::ascending);
}

TEST_P(RadixSortKeys, GoByARangeOfBitsAcrossWords) {
  const auto host = keys_of_random_bytes<Key128>(12345, 5);
  const BitRange bits{20, 84};
  const Buffer<Key128> keys(context(), host);
  Buffer<u32> indices(context(), host.size());
  radix_sort_indices<Key128>(context(), keys.span(), indices.span(), bits);
  const auto part = [&](u32 i) {
    const auto& w = host[i].words;
    return (u64(w[2] & 0xfffff) << 44) | u64(w[1]) << 12 | w[0] >> 20;
  };
  std::vector<u32> expected(host.size());
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](u32 a, u32 b) { return part(a) < part(b); });
  EXPECT_EQ(indices.download(), expected);
}

TEST_P(RadixSortKeys, SortMisalignedArrays) {
  const auto host = keys_of_random_bytes<u32>(10002, 3);
  const Buffer<u32> keys(context(), host);
  Buffer<u32> sorted(context(), host);
  radix_sort_keys<u32>(context(), keys.span().subspan(1, 10000), sorted.span().subspan(2, 10000));
  auto expected = std::vector<u32>(host.begin() + 1, host.begin() + 10001);
  std::sort(expected.begin(), expected.end());
  const auto got = sorted.download();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.begin() + 2));
}

TEST_P(RadixSortKeys, RefuseIndicesOfAnotherCount) {
  Buffer<u32> keys(context(), 10), indices(context(), 9);
  EXPECT_COPSE_ERROR(radix_sort_indices<u32>(context(), keys.span(), indices.span()), ErrorCode::invalid_argument,
                     "9");
}

TEST_P(RadixSortKeys, LargeArraysOfEveryWidth) {
  expect_sorts_keys(context(), keys_of_random_bytes<u32>(3000017, 1), SortOrder::ascending);
  expect_sorts_keys(context(), keys_of_random_bytes<double>(2000003, 2), SortOrder::descending);
  expect_sorts_keys(context(), keys_of_random_bytes<Key96>(1500007, 3), SortOrder::ascending);
}

}  // namespace copse::test

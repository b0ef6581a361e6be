#include "primitives/radix_sort.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"
#include "tests/support/values.h"

namespace copse::test {

class RadixSort : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(RadixSort);

template <class Key>
struct Sorted {
  std::vector<Key> keys;
  std::vector<u32> values;
};

template <class Key>
Sorted<Key> slow_sort(const std::vector<Key>& keys, const std::vector<u32>& values, BitRange bits) {
  const u32 width = bits.end - bits.begin;
  const auto digit = [&](Key key) {
    return width == 0 ? Key{0} : Key(Key(key >> bits.begin) << (sizeof(Key) * 8 - width));
  };
  std::vector<u32> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](u32 a, u32 b) { return digit(keys[a]) < digit(keys[b]); });
  Sorted<Key> sorted;
  for (u32 i : order) {
    sorted.keys.push_back(keys[i]);
    sorted.values.push_back(values[i]);
  }
  return sorted;
}

template <class Key>
void expect_sorts(Context& context, const std::vector<Key>& keys, BitRange bits) {
  std::vector<u32> values(keys.size());
  std::iota(values.begin(), values.end(), 1000u);
  const Sorted<Key> expected = slow_sort(keys, values, bits);

  const Buffer<Key> keys_in(context, keys);
  const Buffer<u32> values_in(context, values);
  Buffer<Key> keys_out(context, keys.size());
  Buffer<u32> values_out(context, keys.size());
  radix_sort_pairs<Key>(context, keys_in.span(), values_in.span(), keys_out.span(), values_out.span(), bits);
  EXPECT_EQ(keys_out.download(), expected.keys)
      << keys.size() << " keys, bits " << bits.begin << " to " << bits.end;
  EXPECT_EQ(values_out.download(), expected.values)
      << keys.size() << " keys, bits " << bits.begin << " to " << bits.end;

  Buffer<Key> alone(context, keys.size());
  radix_sort_keys<Key>(context, keys_in.span(), alone.span(), bits);
  EXPECT_EQ(alone.download(), expected.keys) << keys.size() << " keys alone";
}

TEST_P(RadixSort, EqualsStableSortAtTileBoundaries) {
  for (u64 n : boundary_sizes()) {
    expect_sorts(context(), random_values<u32>(n, u32(n)), {0, 32});
    expect_sorts(context(), random_values<u64>(n, u32(n)), {0, 64});
  }
}

TEST_P(RadixSort, TakesAnyBitRange) {
  const auto narrow = random_values<u32>(20000, 1);
  for (BitRange bits : {BitRange{0, 0}, {0, 1}, {31, 32}, {3, 14}, {5, 29}, {0, 30}, {7, 15}}) {
    expect_sorts(context(), narrow, bits);
  }
  const auto wide = random_values<u64>(20000, 2);
  for (BitRange bits : {BitRange{0, 0}, {0, 63}, {33, 63}, {63, 64}, {31, 33}, {1, 62}}) {
    expect_sorts(context(), wide, bits);
  }
}

TEST_P(RadixSort, KeepsTheOrderOfEqualKeys) {
  expect_sorts(context(), std::vector<u32>(30000, 0x80000001u), {0, 32});
  expect_sorts(context(), std::vector<u64>(30000, ~u64{0}), {0, 64});
  std::vector<u32> two_values(30000);
  for (size_t i = 0; i < two_values.size(); ++i) two_values[i] = i % 3 == 0 ? 0xffffffffu : 0u;
  expect_sorts(context(), two_values, {0, 32});
}

TEST_P(RadixSort, TakesSortedAndReversedKeys) {
  std::vector<u32> keys(50000);
  std::iota(keys.begin(), keys.end(), 0u);
  expect_sorts(context(), keys, {0, 32});
  std::ranges::reverse(keys);
  expect_sorts(context(), keys, {0, 32});
}

TEST_P(RadixSort, RefusesWrongArguments) {
  Buffer<u32> keys(context(), 10), values(context(), 10), out(context(), 10), few(context(), 9);
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(radix_sort_keys<u32>(context(), keys.span(), few.span(), {0, 32}), code, "9");
  EXPECT_COPSE_ERROR(radix_sort_keys<u32>(context(), keys.span(), out.span(), {0, 33}), code, "33");
  EXPECT_COPSE_ERROR(radix_sort_keys<u32>(context(), keys.span(), out.span(), {5, 4}), code, "5 to 4");
  EXPECT_COPSE_ERROR(radix_sort_keys<u32>(context(), keys.span(), keys.span(), {0, 32}), code, "overlap");
  EXPECT_COPSE_ERROR(radix_sort_pairs<u32>(context(), keys.span(), few.span(), out.span(), few.span(), {0, 32}),
                     code, "values");
}

TEST_P(RadixSort, LargeInputIsSortedEveryTime) {
  const u64 n = (u64{1} << 22) + 77;
  const auto keys = random_values<u64>(n, 5);
  auto expected = keys;
  std::ranges::sort(expected);
  const Buffer<u64> in(context(), keys);
  Buffer<u64> out(context(), n);
  for (int repeat = 0; repeat < 3; ++repeat) {
    radix_sort_keys<u64>(context(), in.span(), out.span(), {0, 64});
    ASSERT_EQ(out.download(), expected);
  }
}

}  // namespace copse::test

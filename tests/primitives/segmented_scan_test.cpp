#include "primitives/segmented_scan.h"

#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/flag_cases.h"

namespace copse::test {

template <class T>
std::vector<T> slow_segmented_scan(const std::vector<T>& in, const std::vector<u8>& starts, bool inclusive) {
  std::vector<T> out(in.size());
  u64 sum = 0;  // wraps around
  for (size_t i = 0; i < in.size(); ++i) {
    if (i == 0 || starts[i] != 0) sum = 0;
    if (!inclusive) out[i] = T(sum);
    sum += u64(in[i]);
    if (inclusive) out[i] = T(sum);
  }
  return out;
}

class SegmentedScan : public OnEachBackend {
 protected:
  template <class T>
  static std::vector<T> random_values(u64 n) {
    std::mt19937_64 random(n + 1);
    std::vector<T> values(n);
    for (T& value : values) value = T(random());
    return values;
  }

  template <class T>
  void expect_scans(const std::vector<u8>& starts, const std::string& name) {
    SCOPED_TRACE(name + ", " + std::to_string(starts.size()) + " of " + std::to_string(sizeof(T)) + " bytes");
    const u64 n = starts.size();
    const auto values = random_values<T>(n);
    const auto inclusive = slow_segmented_scan(values, starts, true);
    const auto exclusive = slow_segmented_scan(values, starts, false);
    std::vector<u64> offsets;
    for (u64 i = 0; i < n; ++i) {
      if (starts[i] != 0) offsets.insert(offsets.end(), 1 + i % 2, i);
    }
    offsets.push_back(n);
    const Buffer<T> in(context(), values);
    const Buffer<u8> bytes(context(), starts);
    const Buffer<u32> words(context(), bits_of_flags(starts));
    const Buffer<u64> offset_buffer(context(), offsets);
    Buffer<T> out(context(), n);
    const BitSpan bits{words.span(), n};

    segmented_inclusive_scan<T>(context(), in.span(), bytes.span(), out.span());
    EXPECT_EQ(out.download(), inclusive);
    segmented_exclusive_scan<T>(context(), in.span(), bytes.span(), out.span());
    EXPECT_EQ(out.download(), exclusive);
    segmented_inclusive_scan<T>(context(), in.span(), bits, out.span());
    EXPECT_EQ(out.download(), inclusive);
    segmented_exclusive_scan_by_offsets<T>(context(), in.span(), offset_buffer.span(), out.span());
    EXPECT_EQ(out.download(), exclusive);
    segmented_inclusive_scan_by_offsets<T>(context(), in.span(), offset_buffer.span(), out.span());
    EXPECT_EQ(out.download(), inclusive);
    Buffer<T> in_place(context(), values);
    segmented_exclusive_scan<T>(context(), in_place.span(), bits, in_place.span());
    EXPECT_EQ(in_place.download(), exclusive);
  }
};
COPSE_ON_EACH_BACKEND(SegmentedScan);

TEST_P(SegmentedScan, EqualsSlowScanAtTileBoundaries) {
  for (const FlagCase& starts : flag_cases()) {
    for (u64 n : {0, 1, 2, 3, 33, 127, 128, 129, 511, 512, 513, 8191, 8192, 8193, 3 * 8192 + 5}) {
      expect_scans<u32>(starts.bytes(n), starts.name);
    }
  }
}

TEST_P(SegmentedScan, TakesWideAndSignedTypes) {
  for (const FlagCase& starts : flag_cases()) {
    for (u64 n : {1, 2047, 2048, 2049, 10000}) {
      expect_scans<u64>(starts.bytes(n), starts.name);
      expect_scans<i32>(starts.bytes(n), starts.name);
    }
  }
}

TEST_P(SegmentedScan, IsTheSameEveryTimeOverManyTiles) {
  const u64 n = 200003;
  const auto starts = flag_cases()[3].bytes(n);
  const auto values = random_values<u32>(n);
  const auto expected = slow_segmented_scan(values, starts, true);
  const Buffer<u32> in(context(), values);
  const Buffer<u8> bytes(context(), starts);
  Buffer<u32> out(context(), n);
  for (int repeat = 0; repeat < 20; ++repeat) {
    segmented_inclusive_scan<u32>(context(), in.span(), bytes.span(), out.span());
    ASSERT_EQ(out.download(), expected);
  }
}

TEST_P(SegmentedScan, RefusesWhatDoesNotFit) {
  Buffer<u32> in(context(), 10), out(context(), 9);
  Buffer<u8> starts(context(), 9);
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(segmented_inclusive_scan<u32>(context(), in.span(), starts.span(), out.span()), code, "9");
  EXPECT_COPSE_ERROR(segmented_inclusive_scan<u32>(context(), in.span(), starts.span(), in.span()), code,
                     "9 flags");
  EXPECT_COPSE_ERROR(
      segmented_inclusive_scan<u32>(context(), in.span().first(9), starts.span(), in.span().subspan(1, 9)), code,
      "overlaps");
  EXPECT_COPSE_ERROR(
      segmented_exclusive_scan<u32>(context(), in.span(), BitSpan{out.span().first(0), 10}, in.span()), code,
      "0 words");
}

TEST_P(SegmentedScan, LargeChainOfTilesIsRight) {
  const u64 n = (u64{1} << 24) + 17;
  for (const char* name : {"few", "none"}) {
    for (const FlagCase& starts : flag_cases()) {
      if (starts.name == name) expect_scans<u32>(starts.bytes(n), name);
    }
  }
}

}  // namespace copse::test

#include "primitives/histogram.h"

#include <cmath>
#include <limits>
#include <random>

#include "primitives/core/bits.h"
#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

class Histogram : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Histogram);

template <class T>
std::vector<u64> slow_histogram(const std::vector<T>& values, IntegerBins<T> bins, u64 bin_count) {
  std::vector<u64> counts(bin_count);
  for (T value : values) {
    if (value < bins.first) continue;
    const u64 bin = (u64(value) - u64(bins.first)) / bins.width;
    if (bin < bin_count) ++counts[bin];
  }
  return counts;
}

template <class T>
void expect_histogram(Context& context, const std::vector<T>& values, IntegerBins<T> bins, u64 bin_count) {
  const Buffer<T> in(context, values);
  Buffer<u64> counts(context, std::vector<u64>(bin_count, 77));  // the counts start at 0, whatever the buffer held
  histogram(context, in.span(), bins, counts.span());
  EXPECT_EQ(counts.download(), slow_histogram(values, bins, bin_count))
      << values.size() << " values, " << bin_count << " bins of " << bins.width << " from " << +bins.first;
}

template <class T>
std::vector<T> random_values_below(u64 n, u64 limit, u32 seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) value = T(random() % limit);
  return values;
}

TEST_P(Histogram, EqualsSlowHistogramAtTileBoundaries) {
  auto sizes = boundary_sizes();
  for (u64 tile : {8192, 16384, 32768}) {
    for (u64 n : {tile - 1, tile, tile + 1, 4 * tile + 1}) sizes.push_back(n);
  }
  for (u64 n : sizes) {
    expect_histogram<u8>(context(), random_values_below<u8>(n, 256, 1), {}, 256);
    expect_histogram<u16>(context(), random_values_below<u16>(n, 65536, 2), {0, 7}, 1000);
    expect_histogram<u32>(context(), random_values_below<u32>(n, 5000, 3), {}, 5000);
  }
}

TEST_P(Histogram, TakesEveryNumberOfBins) {
  const u64 n = 20000;
  for (u64 bins : {1,    2,    3,    7,    8,     9,     255,   256,   257,   384,   512,   4095,
                   4096, 4097, 8191, 8193, 12288, 12289, 25600, 51199, 51200, 51201, 65535, 65536}) {
    expect_histogram<u32>(context(), random_values_below<u32>(n, bins + 10, 4), {}, bins);
  }
}

TEST_P(Histogram, TakesBinsOfAnyWidth) {
  const auto values = random_values_below<u32>(20000, u64{1} << 32, 5);
  for (u32 width : {1u, 2u, 3u, 10u, 65535u, 65536u, 65537u, 1u << 24, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    for (u32 first : {0u, 1u, 12345u, 0x80000000u, 0xffffffffu}) {
      expect_histogram<u32>(context(), values, {first, width}, 300);
    }
  }
  expect_histogram<u8>(context(), random_values_below<u8>(3000, 256, 6), {10, 300}, 4);
  expect_histogram<u16>(context(), random_values_below<u16>(3000, 65536, 6), {65535, 1}, 4);
}

TEST_P(Histogram, PutsValuesNextToEveryEdgeIntoTheRightBin) {
  std::vector<u32> values;
  for (u32 width : {1u, 3u, 7u, 1000u, 65537u, 0x10000001u}) {
    values.clear();
    for (u64 edge = 0; edge <= 0xffffffffu && values.size() < 6000; edge += width) {
      for (u64 value : {edge - 1, edge, edge + 1}) values.push_back(u32(value));
    }
    for (u32 below : {0u, 1u, 2u}) values.push_back(0xffffffffu - below);
    expect_histogram<u32>(context(), values, {0, width}, 2100);
  }
}

TEST_P(Histogram, CountsEqualValues) {
  for (u64 bins : {1, 2, 256, 5000, 40000, 65536}) {
    expect_histogram<u32>(context(), std::vector<u32>(30000, u32(bins - 1)), {}, bins);
    expect_histogram<u32>(context(), std::vector<u32>(3000, 0xffffffffu), {}, bins);
  }
}

TEST_P(Histogram, TakesAnyAlignment) {
  const auto values = random_values_below<u8>(20000, 256, 8);
  const Buffer<u8> in(context(), values);
  for (u64 skip = 1; skip <= 17; ++skip) {
    Buffer<u64> counts(context(), 256);
    histogram<u8>(context(), in.span().subspan(skip, values.size() - skip), {}, counts.span());
    EXPECT_EQ(counts.download(), slow_histogram<u8>({values.begin() + i64(skip), values.end()}, {}, 256));
  }
}

TEST_P(Histogram, CutsARangeOfFloatsEvenly) {
  std::mt19937 random(9);
  std::vector<float> values(20000);
  for (float& value : values) value = std::uniform_real_distribution<float>(-1.5f, 4.5f)(random);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  values.insert(values.end(), {nan, -nan, infinity, -infinity, -1.0f, 4.0f, std::nextafter(4.0f, 0.0f), 0.0f,
                               -0.0f, std::nextafter(-1.0f, -2.0f)});
  const Buffer<float> in(context(), values);
  for (u64 bins : {1, 2, 10, 1000, 65536}) {
    std::vector<u64> expected(bins);
    for (float value : values) {
      if (!(value >= -1.0f && value < 4.0f)) continue;
      const float place = (value - -1.0f) * (float(bins) / 5.0f);
      ++expected[smaller(u64(place), bins - 1)];
    }
    Buffer<u64> counts(context(), bins);
    histogram(context(), in.span(), EvenBins{-1.0f, 4.0f}, counts.span());
    EXPECT_EQ(counts.download(), expected) << bins;
  }
}

TEST_P(Histogram, RefusesBinsThatAreNone) {
  const Buffer<u32> in(context(), std::vector<u32>(10));
  const Buffer<float> floats(context(), std::vector<float>(10));
  Buffer<u64> counts(context(), 65537);
  EXPECT_COPSE_ERROR(histogram<u32>(context(), in.span(), {}, counts.span()), ErrorCode::invalid_argument,
                     "65537");
  EXPECT_COPSE_ERROR(histogram<u32>(context(), in.span(), {}, counts.span().first(0)), ErrorCode::invalid_argument,
                     "0 bins");
  EXPECT_COPSE_ERROR(histogram<u32>(context(), in.span(), {0, 0}, counts.span().first(9)),
                     ErrorCode::invalid_argument, "width 0");
  for (EvenBins bins : {EvenBins{1, 1}, EvenBins{2, 1}, EvenBins{0, infinity}, EvenBins{-3e38f, 3e38f},
                        EvenBins{0, 1e-45f}, EvenBins{0, std::numeric_limits<float>::quiet_NaN()}}) {
    EXPECT_COPSE_ERROR(histogram(context(), floats.span(), bins, counts.span().first(9)),
                       ErrorCode::invalid_argument, "finite");
  }
  const BufferSpan<const u32> same(reinterpret_cast<const u32*>(counts.data() + 8), 4);
  EXPECT_COPSE_ERROR(histogram<u32>(context(), same, {}, counts.span().first(9)), ErrorCode::invalid_argument,
                     "overlap");
}

TEST_P(Histogram, LargeInputsAreCountedWhole) {
  const u64 n = (u64{1} << 25) + 11;
  for (u64 bins : {2, 256, 8000, 65536})
    expect_histogram<u32>(context(), random_values_below<u32>(n, bins, 10), {}, bins);
}

}  // namespace copse::test

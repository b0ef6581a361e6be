#include "primitives/summed_area_table.h"

#include <cmath>
#include <cstring>
#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"

namespace copse::test {

class SummedAreaTable : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(SummedAreaTable);

struct ImageSize {
  u64 width, height;
};

/// Returns sizes around warps, bands of 8 and 16 rows, and chunks of 256 columns.
std::vector<ImageSize> image_sizes() {
  std::vector<ImageSize> sizes = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 1000}, {1000, 1}, {3, 2}, {640, 360}};
  for (u64 width : {31, 32, 33, 255, 256, 257, 513}) {
    for (u64 height : {7, 8, 9, 15, 16, 17, 65}) sizes.push_back({width, height});
  }
  for (u64 height : {255, 256, 257, 264, 265, 1023, 1025}) sizes.push_back({33, height});
  return sizes;
}

template <class T>
std::vector<T> random_image(ImageSize size, u32 seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(size.width * size.height);
  for (T& value : values) value = T(random());
  return values;
}

/// Returns the table. It adds, column by column, what stands above and to the left of each element.
template <class T>
std::vector<T> slow_table(const std::vector<T>& in, ImageSize size) {
  std::vector<T> out(in.size());
  for (u64 y = 0; y < size.height; ++y) {
    u64 row = 0;  // wraps around
    for (u64 x = 0; x < size.width; ++x) {
      row += u64(in[y * size.width + x]);
      out[y * size.width + x] = T(row + (y > 0 ? u64(out[(y - 1) * size.width + x]) : 0));
    }
  }
  return out;
}

template <class T>
void expect_table(Context& context, ImageSize size) {
  const auto host = random_image<T>(size, u32(size.width));
  const Buffer<T> in(context, host);
  Buffer<T> out(context, host.size());
  summed_area_table<T>(context, size.width, size.height, in.span(), out.span());
  EXPECT_EQ(out.download(), slow_table(host, size)) << size.width << " by " << size.height;
}

TEST_P(SummedAreaTable, EqualsSlowSums) {
  for (ImageSize size : image_sizes()) expect_table<u32>(context(), size);
}

TEST_P(SummedAreaTable, TakesWideAndSignedTypes) {
  for (ImageSize size : {ImageSize{1, 1}, ImageSize{257, 33}, ImageSize{100, 300}}) {
    expect_table<u64>(context(), size);
    expect_table<i32>(context(), size);
    expect_table<i64>(context(), size);
  }
}

TEST_P(SummedAreaTable, WorksInPlace) {
  const ImageSize size{600, 100};
  const auto host = random_image<u32>(size, 1);
  Buffer<u32> image(context(), host);
  summed_area_table<u32>(context(), size.width, size.height, image.span(), image.span());
  EXPECT_EQ(image.download(), slow_table(host, size));
}

TEST_P(SummedAreaTable, SumsOfFloatsAreNearAndEqualEveryTime) {
  const ImageSize size{700, 130};
  std::mt19937 random(2);
  std::vector<float> host(size.width * size.height);
  for (float& value : host) value = std::uniform_real_distribution<float>(-1, 1)(random);
  std::vector<double> exact(host.size());
  for (u64 y = 0; y < size.height; ++y) {
    double row = 0;
    for (u64 x = 0; x < size.width; ++x) {
      row += host[y * size.width + x];
      exact[y * size.width + x] = row + (y > 0 ? exact[(y - 1) * size.width + x] : 0);
    }
  }
  const Buffer<float> in(context(), host);
  Buffer<float> out(context(), host.size());
  std::vector<float> first;
  for (int repeat = 0; repeat < 3; ++repeat) {
    summed_area_table<float>(context(), size.width, size.height, in.span(), out.span());
    const auto got = out.download();
    for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], exact[i], 0.05);
    if (repeat == 0) first = got;
    EXPECT_EQ(std::memcmp(got.data(), first.data(), got.size() * sizeof(float)), 0);
  }

  const Buffer<double> wide(context(), std::vector<double>(host.begin(), host.end()));
  Buffer<double> wide_out(context(), host.size());
  summed_area_table<double>(context(), size.width, size.height, wide.span(), wide_out.span());
  const auto got = wide_out.download();
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], exact[i], 1e-9);
}

TEST_P(SummedAreaTable, RefusesWhatDoesNotFit) {
  Buffer<u32> in(context(), 12), out(context(), 11);
  EXPECT_COPSE_ERROR(summed_area_table<u32>(context(), 4, 3, in.span(), out.span()), ErrorCode::invalid_argument,
                     "4 by 3");
  EXPECT_COPSE_ERROR(summed_area_table<u32>(context(), 5, 2, in.span(), in.span()), ErrorCode::invalid_argument,
                     "5 by 2");
  EXPECT_COPSE_ERROR(
      summed_area_table<u32>(context(), u64{1} << 32, u64{1} << 32, in.span().first(0), out.span().first(0)),
      ErrorCode::invalid_argument, "4294967296 by 4294967296");
  EXPECT_COPSE_ERROR(summed_area_table<u32>(context(), 5, 2, in.span().subspan(0, 10), in.span().subspan(1, 10)),
                     ErrorCode::invalid_argument, "overlaps");
}

TEST_P(SummedAreaTable, LargeImagesOfAnyShape) {
  for (ImageSize size : {ImageSize{4096, 4099}, ImageSize{9, 1000003}, ImageSize{1000003, 9}}) {
    expect_table<u32>(context(), size);
  }
}

}  // namespace copse::test

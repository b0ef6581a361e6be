#include "primitives/reduce.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

class Reduce : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Reduce);

TEST_P(Reduce, EqualsSlowSumMinimumAndMaximum) {
  std::mt19937 random(3);
  for (u64 n : boundary_sizes()) {
    std::vector<i64> host(n);
    for (i64& value : host) value = i32(random());
    const Buffer<i64> in(context(), host);
    Buffer<i64> out(context(), 1);

    reduce_sum<i64>(context(), in.span(), out.span());
    EXPECT_EQ(out.download()[0], std::accumulate(host.begin(), host.end(), i64{0})) << n;
    reduce_min<i64>(context(), in.span(), out.span());
    EXPECT_EQ(out.download()[0], n == 0 ? std::numeric_limits<i64>::max() : *std::ranges::min_element(host)) << n;
    reduce_max<i64>(context(), in.span(), out.span());
    EXPECT_EQ(out.download()[0], n == 0 ? std::numeric_limits<i64>::lowest() : *std::ranges::max_element(host))
        << n;
  }
}

TEST_P(Reduce, SumOfFloatsIsTheSameEveryTime) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> uniform(-1000, 1000);
  std::vector<float> host(300007);
  for (float& value : host) value = uniform(random);
  const Buffer<float> in(context(), host);
  Buffer<float> out(context(), 1);
  reduce_sum<float>(context(), in.span(), out.span());
  const float first = out.download()[0];
  EXPECT_NEAR(first, std::accumulate(host.begin(), host.end(), 0.0), 100.0);
  for (int repeat = 0; repeat < 10; ++repeat) {
    reduce_sum<float>(context(), in.span(), out.span());
    EXPECT_EQ(out.download()[0], first);
  }
}

TEST_P(Reduce, TakesAnyAlignmentAndStoresInItsInput) {
  std::vector<u32> host(20011);
  std::iota(host.begin(), host.end(), 1u);
  for (u64 offset = 0; offset < 5; ++offset) {
    for (u64 n : {1, 4095, 4096, 4097, 20000}) {
      Buffer<u32> values(context(), host);
      const auto part = values.span().subspan(offset, n);
      const auto first = host.begin() + i64(offset);
      reduce_sum<u32>(context(), part, part.first(1));
      EXPECT_EQ(download(context(), part.first(1))[0], std::accumulate(first, first + i64(n), 0u))
          << n << " from " << offset;
    }
  }
}

TEST_P(Reduce, RefusesMissingOutput) {
  Buffer<u32> in(context(), 4), out(context(), 0);
  EXPECT_COPSE_ERROR(reduce_sum<u32>(context(), in.span(), out.span()), ErrorCode::invalid_argument, "0 elements");
}

TEST_P(Reduce, LargeSumCountsEveryElement) {
  const u64 n = (u64{1} << 24) + 3;
  const Buffer<u64> in(context(), std::vector<u64>(n, 3));
  Buffer<u64> out(context(), 1);
  reduce_sum<u64>(context(), in.span(), out.span());
  EXPECT_EQ(out.download()[0], 3 * n);
}

}  // namespace copse::test

#include "primitives/scan.h"

#include <random>

#include "primitives/core/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"
#include "tests/support/values.h"

namespace copse::test {

class Scan : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(Scan);

template <class T>
std::vector<T> slow_scan(const std::vector<T>& in, bool inclusive) {
  std::vector<T> out(in.size());
  T sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!inclusive) out[i] = sum;
    sum = T(u64(sum) + u64(in[i]));  // wraps around
    if (inclusive) out[i] = sum;
  }
  return out;
}

template <class T>
void expect_scans(Context& context, u64 n) {
  const auto host = random_values<T>(n, u32(n));
  const Buffer<T> in(context, host);
  Buffer<T> out(context, n);
  inclusive_scan<T>(context, in.span(), out.span());
  EXPECT_EQ(out.download(), slow_scan(host, true)) << n;
  exclusive_scan<T>(context, in.span(), out.span());
  EXPECT_EQ(out.download(), slow_scan(host, false)) << n;
}

TEST_P(Scan, EqualsSlowScanAtTileBoundaries) {
  for (u64 n : boundary_sizes()) expect_scans<u32>(context(), n);
}

TEST_P(Scan, TakesWideAndSignedTypes) {
  for (u64 n : {1, 2047, 2048, 2049, 20000}) {
    expect_scans<u64>(context(), n);
    expect_scans<i64>(context(), n);
  }
}

TEST_P(Scan, WorksInPlace) {
  const auto host = random_values<u32>(50001, 1);
  Buffer<u32> values(context(), host);
  exclusive_scan<u32>(context(), values.span(), values.span());
  EXPECT_EQ(values.download(), slow_scan(host, false));
  inclusive_scan<u32>(context(), values.span(), values.span());
  EXPECT_EQ(values.download(), slow_scan(slow_scan(host, false), true));
}

TEST_P(Scan, RefusesOutputOfAnotherSize) {
  Buffer<u32> in(context(), 10), out(context(), 9);
  EXPECT_COPSE_ERROR(inclusive_scan<u32>(context(), in.span(), out.span()), ErrorCode::invalid_argument, "9");
}

TEST_P(Scan, LargeChainOfTilesIsRightEveryTime) {
  const u64 n = (u64{1} << 24) + 17;
  const auto host = random_values<u32>(n, 7);
  const auto expected = slow_scan(host, true);
  const Buffer<u32> in(context(), host);
  Buffer<u32> out(context(), n);
  for (int repeat = 0; repeat < 5; ++repeat) {
    inclusive_scan<u32>(context(), in.span(), out.span());
    ASSERT_EQ(out.download(), expected);
  }
}

}  // namespace copse::test

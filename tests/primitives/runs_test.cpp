#include <cstring>
#include <limits>
#include <random>

#include "primitives/core/buffer.h"
#include "primitives/run_length.h"
#include "primitives/unique.h"
#include "tests/support/backends.h"
#include "tests/support/sizes.h"

namespace copse::test {

/// Returns runs of random lengths up to `longest`. The values of neighbouring runs differ.
template <class T>
std::vector<T> random_runs(u64 n, u64 longest) {
  std::mt19937_64 random(n + longest);
  std::vector<T> values;
  T value = T(3);
  while (values.size() < n) {
    value = value == T(3) ? T(4 + random() % 5) : T(3);
    for (u64 k = 1 + random() % longest; k > 0 && values.size() < n; --k) values.push_back(value);
  }
  return values;
}

class Runs : public OnEachBackend {
 protected:
  template <class T>
  void expect_runs(const std::vector<T>& host) {
    std::vector<T> values;
    std::vector<u32> lengths;
    for (u64 i = 0; i < host.size(); ++i) {
      if (i == 0 || !(host[i - 1] == host[i])) {
        values.push_back(host[i]);
        lengths.push_back(0);
      }
      ++lengths.back();
    }
    const Buffer<T> in(context(), host);
    Buffer<T> out(context(), host.size());
    Buffer<u32> out_lengths(context(), host.size());
    Buffer<u64> count(context(), 1);
    const auto expect_values = [&] {
      ASSERT_EQ(count.download()[0], values.size()) << host.size();
      const auto got = download(context(), out.span().first(values.size()));
      const bool same = got.empty() || std::memcmp(got.data(), values.data(), values.size() * sizeof(T)) == 0;
      EXPECT_TRUE(same) << host.size();
    };
    unique<T>(context(), in.span(), out.span(), count.span());
    expect_values();
    run_length_encode<T>(context(), in.span(), out.span(), out_lengths.span(), count.span());
    expect_values();
    EXPECT_EQ(download(context(), out_lengths.span().first(values.size())), lengths) << host.size();
  }
};
COPSE_ON_EACH_BACKEND(Runs);

TEST_P(Runs, EqualSlowRunsAtTileBoundaries) {
  for (u64 longest : {1, 3, 40, 100000}) {
    for (u64 n : boundary_sizes()) expect_runs(random_runs<u32>(n, longest));
  }
}

TEST_P(Runs, OfManyTilesEndWhereTheNextBegins) {
  expect_runs(std::vector<u32>(3 * 8192, 7));
  expect_runs(std::vector<u64>(3 * 4096 + 1, 7));
  for (u64 start : {8191, 8192, 8193, 3 * 8192}) {
    std::vector<u32> values(1000003, 1);
    for (u64 i = start; i < values.size(); ++i) values[i] = i < 900000 ? 2 : 3;
    expect_runs(values);
  }
}

TEST_P(Runs, TakeWideAndSignedTypes) {
  for (u64 n : {1, 2047, 2048, 2049, 4097, 20000}) {
    expect_runs(random_runs<u64>(n, 5));
    expect_runs(random_runs<i32>(n, 5));
    expect_runs(random_runs<double>(n, 5));
  }
}

TEST_P(Runs, OfFloatsFollowTheirEquality) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_runs<float>({0.0f, -0.0f, -0.0f, 1.0f, nan, nan, 1.0f, 1.0f, nan});
}

TEST_P(Runs, RefuseWhatDoesNotFit) {
  Buffer<u32> in(context(), 10), out(context(), 10), small(context(), 9);
  Buffer<u64> count(context(), 1), none(context(), 0);
  const auto code = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR(unique<u32>(context(), in.span(), small.span(), count.span()), code, "9 elements");
  EXPECT_COPSE_ERROR(unique<u32>(context(), in.span(), in.span(), count.span()), code, "overlaps");
  EXPECT_COPSE_ERROR(run_length_encode<u32>(context(), in.span(), out.span(), small.span(), count.span()), code,
                     "9 elements");
  EXPECT_COPSE_ERROR(run_length_encode<u32>(context(), in.span(), out.span(), out.span(), count.span()), code,
                     "overlaps");
  EXPECT_COPSE_ERROR(run_length_encode<u32>(context(), in.span(), out.span(), in.span(), count.span()), code,
                     "overlaps");
  EXPECT_COPSE_ERROR(unique<u32>(context(), in.span(), out.span(), none.span()), code, "0 elements");
}

TEST_P(Runs, LargeInputIsRight) {
  expect_runs(random_runs<u32>((u64{1} << 24) + 3, 3));
}

}  // namespace copse::test

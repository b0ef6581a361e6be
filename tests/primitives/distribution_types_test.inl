// Tests splits and sorts by a user's own functors and types. Tests scans and sorts where the GPU is small, large
// or shared.

#include <algorithm>
#include <random>

#include "primitives/histogram.h"
#include "primitives/radix_sort.h"
#include "primitives/scan.h"
#include "tests/support/body_test.h"
#include "tests/support/sizes.h"

namespace copse::detail {
namespace {

/// A record of 28 bytes. A part of it says into which bucket the record falls.
struct Particle {
  float position[3];
  u32 cell;
  float velocity[3];
  bool operator==(const Particle&) const = default;
};

struct CellOf {
  u32 mask;
  COPSE_HD u32 operator()(const Particle& particle) const { return particle.cell & mask; }
};

struct TopByteOfHash {
  COPSE_HD u32 operator()(u32 key) const { return key * 2654435761u >> 24; }
};

struct ByteOfHash {
  COPSE_HD u8 operator()(u64 i) const { return u8((i * 0x9e3779b97f4a7c15u) >> 56); }
};

struct Modulo40000 {
  COPSE_HD u32 operator()(u32 key) const { return key % 40000; }
};

struct IndexOf64Bits {
  COPSE_HD u64 operator()(u64 i) const { return i; }
};

template <class Executor>
class DistributionTypes : public test::BodyTest<Executor> {
 protected:
  /// Returns an executor that sees a GPU with one multiprocessor, so that blocks wait for their turn.
  Executor small_executor() {
    Executor ex = this->executor();
    if constexpr (body_backend == Backend::cuda) ex.multiprocessor_count = 1;
    return ex;
  }
  /// Returns an executor that sees a GPU whose blocks may have 99 KiB of shared memory, as those of GeForce have. A
  /// launch with more is an error there.
  Executor executor_of_less_shared_memory() {
    Executor ex = this->executor();
    if constexpr (body_backend == Backend::cuda) ex.max_shared_bytes = 99u << 10;
    return ex;
  }
};

TYPED_TEST_SUITE(DistributionTypes, TheBackend, BackendName);

std::vector<u32> random_numbers(u64 n, u32 seed) {
  std::mt19937 random(seed);
  std::vector<u32> numbers(n);
  for (u32& number : numbers) number = u32(random());
  return numbers;
}

TYPED_TEST(DistributionTypes, SplitMovesStructsByAPartOfThem) {
  for (u32 mask : {1u, 63u, 255u, 4095u}) {
    for (u64 n : {1, 1000, 4000, 30000}) {
      std::vector<Particle> host(n);
      const auto numbers = random_numbers(n, 1);
      for (u64 i = 0; i < n; ++i) host[i] = {{float(i), 2, 3}, numbers[i], {4, 5, float(n - i)}};
      const Buffer<Particle> in(this->context(), host);
      Buffer<Particle> out(this->context(), n);
      Buffer<u64> offsets(this->context(), mask + 2);
      split(this->executor(), "particles", n, Elements<Particle>{in.data()}, CellOf{mask}, mask + 1, out.data(),
            offsets.data());
      std::stable_sort(host.begin(), host.end(),
                       [&](const Particle& a, const Particle& b) { return CellOf{mask}(a) < CellOf{mask}(b); });
      EXPECT_EQ(out.download(), host) << n << " by " << mask;
      EXPECT_EQ(offsets.download().back(), n);
    }
  }
}

TYPED_TEST(DistributionTypes, UnorderedSplitHasTheSameSetInEachBucket) {
  for (u64 n : test::boundary_sizes()) {
    auto host = random_numbers(n, 2);
    const Buffer<u32> in(this->context(), host);
    Buffer<u32> out(this->context(), n);
    Buffer<u64> offsets(this->context(), 257);
    split_unordered(this->executor(), "unordered", n, Elements<u32>{in.data()}, TopByteOfHash{}, 256, out.data(),
                    offsets.data());
    const auto before = [](u32 a, u32 b) {
      return std::pair(TopByteOfHash{}(a), a) < std::pair(TopByteOfHash{}(b), b);
    };
    auto got = out.download();
    const auto places = offsets.download();
    ASSERT_EQ(places[256], n);
    for (u32 bucket = 0; bucket < 256; ++bucket) {
      for (u64 i = places[bucket]; i < places[bucket + 1]; ++i) ASSERT_EQ(TopByteOfHash{}(got[i]), bucket);
    }
    std::sort(host.begin(), host.end(), before);
    std::sort(got.begin(), got.end(), before);
    ASSERT_EQ(got, host) << n;
  }
}

TYPED_TEST(DistributionTypes, SortTakesValuesOf64BitsAndKeysOf8) {
  const u64 n = 50000;
  Buffer<u8> keys(this->context(), n);
  Buffer<u64> values(this->context(), n);
  radix_sort_pairs(this->executor(), "bytes", n, ByteOfHash{}, IndexOf64Bits{}, keys.data(), values.data(),
                   BitRange{0, 8});
  const auto host_keys = keys.download();
  const auto host_values = values.download();
  for (u64 i = 0; i < n; ++i) ASSERT_EQ(host_keys[i], ByteOfHash{}(host_values[i]));
  for (u64 i = 1; i < n; ++i) {
    ASSERT_LT(std::pair(host_keys[i - 1], host_values[i - 1]), std::pair(host_keys[i], host_values[i]));
  }
}

TYPED_TEST(DistributionTypes, ScansAndSortsWaitForTheirTurnOnASmallGpu) {
  const auto ex = this->small_executor();
  for (u64 n : {u64{100000}, u64{3} << 20}) {
    auto host = random_numbers(n, 3);
    const Buffer<u32> in(this->context(), host);
    Buffer<u32> sums(this->context(), n), sorted(this->context(), n), split_out(this->context(), n);
    inclusive_scan(ex, "scan", n, Elements<u32>{in.data()}, Plus{}, sums.data());
    radix_sort_keys(ex, "sort", n, Elements<u32>{in.data()}, sorted.data(), BitRange{0, 32});
    split(ex, "split", n, Elements<u32>{in.data()}, TopByteOfHash{}, 256, split_out.data(),
          static_cast<u64*>(nullptr));
    std::vector<u32> expected(n);
    u32 sum = 0;
    for (u64 i = 0; i < n; ++i) expected[i] = sum += host[i];
    EXPECT_EQ(sums.download(), expected);
    expected = host;
    std::stable_sort(expected.begin(), expected.end(),
                     [](u32 a, u32 b) { return TopByteOfHash{}(a) < TopByteOfHash{}(b); });
    EXPECT_EQ(split_out.download(), expected);
    std::sort(host.begin(), host.end());
    EXPECT_EQ(sorted.download(), host);
  }
}

TYPED_TEST(DistributionTypes, LargeScansSortsAndCountsFitGpusOfLessSharedMemory) {
  const auto ex = this->executor_of_less_shared_memory();
  const u64 n =
      (u64{5} << 20) + 7;  // more than 8 MiB of 32 bits, and more keys than one copy of the counts is for
  auto host = random_numbers(n, 6);
  const Buffer<u32> in(this->context(), host);
  Buffer<u32> sums(this->context(), n), sorted(this->context(), n), moved(this->context(), n);
  Buffer<u64> sorted_wide(this->context(), n), counts(this->context(), 40000);
  inclusive_scan(ex, "scan", n, Elements<u32>{in.data()}, Plus{}, sums.data());
  radix_sort_keys(ex, "sort", n, Elements<u32>{in.data()}, sorted.data(), BitRange{0, 32});
  radix_sort_keys(ex, "sort 64 bits", n, IndexOf64Bits{}, sorted_wide.data(), BitRange{0, 64});
  split(ex, "split", n, Elements<u32>{in.data()}, TopByteOfHash{}, 256, moved.data(), static_cast<u64*>(nullptr));
  histogram(ex, "counts", n, Elements<u32>{in.data()}, Modulo40000{}, counts.size(), counts.data());
  std::vector<u32> expected(n);
  std::vector<u64> expected_counts(counts.size());
  u32 sum = 0;
  for (u64 i = 0; i < n; ++i) {
    expected[i] = sum += host[i];
    ++expected_counts[Modulo40000{}(host[i])];
  }
  EXPECT_EQ(sums.download(), expected);
  EXPECT_EQ(counts.download(), expected_counts);
  expected = host;
  std::stable_sort(expected.begin(), expected.end(),
                   [](u32 a, u32 b) { return TopByteOfHash{}(a) < TopByteOfHash{}(b); });
  EXPECT_EQ(moved.download(), expected);
  std::sort(host.begin(), host.end());
  EXPECT_EQ(sorted.download(), host);
  const auto wide = sorted_wide.download();
  for (u64 i = 0; i < n; ++i) ASSERT_EQ(wide[i], i);
}

TYPED_TEST(DistributionTypes, LargeScansAndSortsOfTwoContextsRunAtOnce) {
  const u64 n = (u64{1} << 22) + 12345;
  const auto host = random_numbers(n, 4);
  Context other({.backend = body_backend});
  const Buffer<u32> in(this->context(), host), other_in(other, host);
  Buffer<u32> sums(this->context(), n), other_sums(other, n), sorted(this->context(), n), other_sorted(other, n);
  this->context().wait();
  other.wait();
  for (int repeat = 0; repeat < 20; ++repeat) {
    inclusive_scan<u32>(this->context(), in.span(), sums.span());
    inclusive_scan<u32>(other, other_in.span(), other_sums.span());
    radix_sort_keys<u32>(this->context(), in.span(), sorted.span());
    radix_sort_keys<u32>(other, other_in.span(), other_sorted.span());
  }
  std::vector<u32> expected(n);
  u32 sum = 0;
  for (u64 i = 0; i < n; ++i) expected[i] = sum += host[i];
  EXPECT_EQ(sums.download(), expected);
  EXPECT_EQ(other_sums.download(), expected);
  EXPECT_EQ(sorted.download(), other_sorted.download());
}

TYPED_TEST(DistributionTypes, LargeLookBackIsRightAThousandTimes) {
  const u64 n = 123457;
  const auto host = random_numbers(n, 5);
  const Buffer<u32> in(this->context(), host);
  Buffer<u32> sums(this->context(), n);
  std::vector<u32> expected(n);
  u32 sum = 0;
  for (u64 i = 0; i < n; ++i) expected[i] = sum += host[i];
  const auto ex = this->small_executor();
  for (int repeat = 0; repeat < 1000; ++repeat) {
    inclusive_scan(repeat % 2 == 0 ? ex : this->executor(), "scan", n, Elements<u32>{in.data()}, Plus{},
                   sums.data());
    ASSERT_EQ(sums.download(), expected) << repeat;
  }
}

/// The result is 0 if bytes are in order and each value occurs as often as in ByteOfHash.
struct CountsOfBytes {
  const u8* keys;
  COPSE_HD u32 operator()(u64 i) const { return keys[i]; }
};
struct FallsBelowTheOneBefore {
  const u8* keys;
  COPSE_HD u64 operator()(u64 i) const { return i > 0 && keys[i] < keys[i - 1] ? 1 : 0; }
};
struct SameBucket {
  COPSE_HD u32 operator()(u32 bucket) const { return bucket; }
};
struct HashedBytes {
  COPSE_HD u32 operator()(u64 i) const { return ByteOfHash{}(i); }
};

TYPED_TEST(DistributionTypes, LargeSortsGoPastTwoToThe32Keys) {
  if (body_backend == Backend::cpu) GTEST_SKIP() << "too long for the cores of a test machine";
  for (u64 n : {(u64{1} << 30) + 1, (u64{1} << 32) + 12345}) {
    Buffer<u8> keys(this->context(), n);
    Buffer<u64> counts(this->context(), 256), expected(this->context(), 256), falls(this->context(), 1);
    radix_sort_keys(this->executor(), "bytes", n, ByteOfHash{}, keys.data(), BitRange{0, 8});
    histogram(this->executor(), "counts", n, CountsOfBytes{keys.data()}, SameBucket{}, 256, counts.data());
    histogram(this->executor(), "expected", n, HashedBytes{}, SameBucket{}, 256, expected.data());
    reduce(this->executor(), "falls", n, FallsBelowTheOneBefore{keys.data()}, u64{0}, Plus{}, falls.data());
    EXPECT_EQ(falls.download()[0], 0u) << n;
    EXPECT_EQ(counts.download(), expected.download()) << n;
  }
}

}  // namespace
}  // namespace copse::detail

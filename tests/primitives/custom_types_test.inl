// Tests the templates of the primitives with a user's own types and operators.

#include <random>

#include "tests/support/body_test.h"
#include "tests/support/sizes.h"

namespace copse::detail {
namespace {

/// The function x -> scale * x + shift modulo 2^64. Chaining two of them does not commute.
struct Affine {
  u64 scale, shift;
  bool operator==(const Affine&) const = default;
};

struct Chain {
  COPSE_HD Affine operator()(const Affine& first, const Affine& then) const {
    return {then.scale * first.scale, then.scale * first.shift + then.shift};
  }
};

/// Three words. The operator merges each on its own, so it works on 24 bytes.
struct Bounds {
  i64 low, high, count;
  bool operator==(const Bounds&) const = default;
};

struct MergeBounds {
  COPSE_HD Bounds operator()(const Bounds& a, const Bounds& b) const {
    return {smaller(a.low, b.low), larger(a.high, b.high), a.count + b.count};
  }
};

struct BoundsOfHash {
  COPSE_HD Bounds operator()(u64 i) const {
    const i64 value = i64(i * 2654435761u % 100003u);
    return {value, value, 1};
  }
};

struct SquareInto {
  u64* out;
  COPSE_HD void operator()(u64 i) const { out[i] = i * i; }
};

struct HashKey {
  COPSE_HD u32 operator()(u64 i) const { return u32(i * 2654435761u) >> 20; }
};

template <class Executor>
class CustomTypes : public test::BodyTest<Executor> {};

TYPED_TEST_SUITE(CustomTypes, TheBackend, BackendName);

TYPED_TEST(CustomTypes, ForEachVisitsEveryIndexOnce) {
  for (u64 n : test::boundary_sizes()) {
    Buffer<u64> out(this->context(), n);
    for_each(this->executor(), "squares", n, SquareInto{out.data()});
    const auto host = out.download();
    for (u64 i = 0; i < n; ++i) ASSERT_EQ(host[i], i * i);
  }
}

TYPED_TEST(CustomTypes, ScanKeepsTheOrderOfAnOperatorThatDoesNotCommute) {
  std::mt19937_64 random(9);
  for (u64 n : test::boundary_sizes()) {
    std::vector<Affine> host(n);
    for (Affine& f : host) f = {random() | 1, random()};
    const Buffer<Affine> in(this->context(), host);
    Buffer<Affine> inclusive(this->context(), n), exclusive(this->context(), n), total(this->context(), 1);
    const Affine identity{1, 0};
    inclusive_scan(this->executor(), "inclusive", n, Elements<Affine>{in.data()}, Chain{}, inclusive.data());
    exclusive_scan(this->executor(), "exclusive", n, Elements<Affine>{in.data()}, identity, Chain{},
                   exclusive.data(), total.data());

    const auto got_inclusive = inclusive.download(), got_exclusive = exclusive.download();
    Affine sum = identity;
    for (u64 i = 0; i < n; ++i) {
      ASSERT_EQ(got_exclusive[i], sum) << i << " of " << n;
      sum = Chain{}(sum, host[i]);
      ASSERT_EQ(got_inclusive[i], sum) << i << " of " << n;
    }
    EXPECT_EQ(total.download()[0], sum) << n;
  }
}

TYPED_TEST(CustomTypes, ReduceTakesAnInputFunctionAndAStruct) {
  for (u64 n : test::boundary_sizes()) {
    const Bounds identity{i64{1} << 62, -(i64{1} << 62), 0};
    Buffer<Bounds> out(this->context(), 1);
    reduce(this->executor(), "bounds", n, BoundsOfHash{}, identity, MergeBounds{}, out.data());
    Bounds expected = identity;
    for (u64 i = 0; i < n; ++i) expected = MergeBounds{}(expected, BoundsOfHash{}(i));
    EXPECT_EQ(out.download()[0], expected) << n;
  }
}

TYPED_TEST(CustomTypes, SortTakesInputFunctionsForKeyAndValue) {
  const u64 n = 40000;
  Buffer<u32> keys(this->context(), n), values(this->context(), n);
  radix_sort_pairs(this->executor(), "sort", n, HashKey{}, Index{}, keys.data(), values.data(), BitRange{0, 12});
  const auto host_keys = keys.download(), host_values = values.download();
  for (u64 i = 0; i < n; ++i) ASSERT_EQ(host_keys[i], HashKey{}(host_values[i]));
  for (u64 i = 1; i < n; ++i) {
    ASSERT_TRUE(host_keys[i - 1] < host_keys[i] ||
                (host_keys[i - 1] == host_keys[i] && host_values[i - 1] < host_values[i]));
  }
}

TYPED_TEST(CustomTypes, ScratchIsWhatWasTold) {
  const u64 n = 100000;
  const Buffer<u64> keys(this->context(), std::vector<u64>(n, 7));
  const Buffer<u32> values(this->context(), std::vector<u32>(n, 9));
  Buffer<u64> out(this->context(), n);
  Buffer<u32> values_out(this->context(), n);
  const BitRange bits{0, 64};
  this->context().reserve_scratch(radix_sort_pairs_scratch_bytes<u64, u32>(this->executor(), n, bits));
  const u64 reserved = this->context().scratch_bytes();
  radix_sort_pairs(this->executor(), "sort", n, Elements<u64>{keys.data()}, Elements<u32>{values.data()},
                   out.data(), values_out.data(), bits);
  EXPECT_EQ(this->context().scratch_bytes(), reserved);
  this->context().wait();
}

}  // namespace
}  // namespace copse::detail

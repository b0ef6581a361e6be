// reciprocal_rn on each backend, compared with a division on the host.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/body_test.h"
#include "trace/hit/fma_rn.h"

namespace copse::detail {
namespace {

struct StoreReciprocal {
  float first;
  float* reciprocals;
  COPSE_HD void operator()(u64 i) const {
    reciprocals[i] = reciprocal_rn(float_from_bits(bits_of(first) + u32(i)));
  }
};

template <class Executor>
struct Reciprocal : test::BodyTest<Executor> {};
TYPED_TEST_SUITE(Reciprocal, TheBackend, BackendName);

/// The numbers from a power of two to the next: all mantissas.
TYPED_TEST(Reciprocal, IsThatOfADivisionForEveryMantissa) {
  constexpr u32 mantissas = 1u << 23;
  Buffer<float> reciprocals(this->context(), mantissas);
  for (const int exponent : {-125, -80, -23, -1, 0, 1, 60, 124}) {
    for (const float sign : {1.0f, -1.0f}) {
      const float first = std::ldexp(sign, exponent);
      for_each(this->executor(), "reciprocals", mantissas, StoreReciprocal{first, reciprocals.data()});
      const std::vector<float> found = reciprocals.download();
      for (u32 i = 0; i < mantissas; ++i) {
        const float a = float_from_bits(bits_of(first) + i);
        ASSERT_EQ(bits_of(found[i]), bits_of(1.0f / a)) << a;
      }
    }
  }
}

}  // namespace
}  // namespace copse::detail

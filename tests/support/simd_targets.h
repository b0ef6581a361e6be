#pragma once

// The instruction sets of this machine, for tests of batches on the CPU.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <string>

#include "primitives/core/types.h"

namespace copse::test {

struct SimdTarget {
  const char* name;
  i64 bits;
};

#if HWY_ARCH_X86
inline constexpr SimdTarget simd_targets[] = {
    {"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}, {"scalar", HWY_SCALAR}};

inline bool is_here(i64 bits) {
  return bits == HWY_SCALAR || (hwy::SupportedTargets() & bits) != 0;
}

/// Makes batches use one instruction set alone; of bits 0, the best one again.
inline void choose_target(i64 bits) {
  hwy::SetSupportedTargetsForTest(bits);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}
#else
// Other processors have one instruction set, which is chosen when the library is compiled.
inline constexpr SimdTarget simd_targets[] = {{"static", HWY_STATIC_TARGET}};

inline bool is_here(i64) {
  return true;
}

inline void choose_target(i64) {}
#endif

inline std::string simd_target_name(const testing::TestParamInfo<SimdTarget>& info) {
  return info.param.name;
}

/// Makes batches use one instruction set alone, as long as a test runs.
class OnEachSimdTarget : public testing::TestWithParam<SimdTarget> {
 protected:
  void SetUp() override {
    if (!is_here(GetParam().bits)) GTEST_SKIP() << "not on this machine";
    choose_target(GetParam().bits);
  }
  void TearDown() override { choose_target(0); }
};

#define COPSE_ON_EACH_SIMD_TARGET(Suite)                                            \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(::copse::test::simd_targets), \
                           ::copse::test::simd_target_name)

}  // namespace copse::test

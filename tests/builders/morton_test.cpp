#include "builders/geometry/morton.h"

#include <gtest/gtest.h>

#include <random>

namespace copse::test {

u64 slow_morton(u32 x, u32 y, u32 z, u32 bits) {
  u64 code = 0;
  for (u32 bit = bits; bit-- > 0;)
    code = code << 3 | u64(x >> bit & 1) << 2 | u64(y >> bit & 1) << 1 | u64(z >> bit & 1);
  return code;
}

TEST(Morton, InterleavesBitsOfTheThreeAxes) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const u32 x = random(), y = random(), z = random();
    const u32 mask = (1u << 21) - 1;
    EXPECT_EQ(morton_code(x & mask, y & mask, z & mask), slow_morton(x & mask, y & mask, z & mask, 21));
  }
}

TEST(Morton, CellsCoverTheRangeAndNeverLeaveIt) {
  EXPECT_EQ(morton_cell(0.0f, 0.0f, 1.0f, 10), 0u);
  EXPECT_EQ(morton_cell(1.0f, 0.0f, 1.0f, 10), 1023u);
  EXPECT_EQ(morton_cell(0.5f, 0.0f, 1.0f, 10), 512u);
  EXPECT_EQ(morton_cell(3.0f, 3.0f, 3.0f, 10), 0u) << "no extent";
  EXPECT_EQ(morton_cell(1e-45f, 0.0f, 1e-45f, 10), 0u) << "an extent too small to divide by";
  const float most = 3e38f;
  EXPECT_EQ(morton_cell(-most, -most, most, 21), 0u);
  EXPECT_EQ(morton_cell(most, -most, most, 21), (1u << 21) - 1);
  EXPECT_EQ(morton_cell(0.0f, -most, most, 21), 1u << 20);
}

TEST(Morton, TiesNeverOutrankARealDifference) {
  // Slots 7 and 8 differ in four bits, but equal keys are closer than keys that differ in the lowest bit.
  EXPECT_GT(common_prefix(u64{5}, u64{5}, 7), common_prefix(u64{4}, u64{5}, 0));
  EXPECT_GT(common_prefix(u64{5}, u64{5}, 0x7fffffff), common_prefix(u64{4}, u64{5}, 0));
  EXPECT_EQ(common_prefix(u64{0}, u64{1} << 62, 0), 1u);
}

}  // namespace copse::test

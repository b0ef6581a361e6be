#include "builders/geometry/morton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

/// Returns a key bit by bit: each bit comes from doubling the place along an axis. For boxes from the origin whose
/// extents are powers of two or zero.
u64 slow_key(const vec3& p, const vec3& extents) {
  const float longest = std::max({extents.x, extents.y, extents.z});
  double place[3];
  int first_turn[3];
  for (int axis = 0; axis < 3; ++axis) {
    const float extent = extents[axis];
    place[axis] = extent == 0 ? 0 : std::min(double(p[axis]) / extent, 1 - 0x1p-24);
    first_turn[axis] = longest == 0 ? 0 : extent == 0 ? 15 : std::min(15, std::ilogb(longest / extent));
  }
  u64 key = 0;
  u32 bit_count = 0;
  for (int turn = 0; bit_count < 63; ++turn) {
    for (int axis = 0; axis < 3 && bit_count < 63; ++axis) {
      if (turn < first_turn[axis]) continue;
      place[axis] *= 2;
      const bool bit = place[axis] >= 1;
      place[axis] -= bit ? 1 : 0;
      key = key << 1 | u64(bit);
      ++bit_count;
    }
  }
  return key;
}

const vec3 box_extents[] = {
    {1, 1, 1},        {4, 1, 4},       {1, 8, 2}, {0.5f, 0.5f, 64}, {0x1p15f, 1, 1}, {1, 0x1p20f, 0x1p10f},
    {1, 0x1p-30f, 1}, {0x1p90f, 1, 0}, {1, 0, 1}, {0, 2, 2},        {0, 0, 1},       {16, 0, 0},
    {0, 0, 0}};

TEST(Morton, AxesTakeTheirBitsInTurnsFromTheLongestOn) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> part(0, 1);
  for (const vec3& extents : box_extents) {
    const Aabb box{vec3(0), extents};
    EXPECT_EQ(morton_key(vec3(0), box), 0u);
    EXPECT_EQ(morton_key(extents, box), slow_key(extents, extents)) << extents.x << " " << extents.y;
    for (int i = 0; i < 1000; ++i) {
      const vec3 p = extents * vec3(part(random), part(random), part(random));
      ASSERT_EQ(morton_key(p, box), slow_key(p, extents))
          << extents.x << " " << extents.y << " " << extents.z << ": " << p.x << " " << p.y << " " << p.z;
    }
  }
}

TEST(Morton, AnAxisWaitsUntilTheLongestIsHalvedToAboutItsLength) {
  const auto first_turns = [](const vec3& extents) {
    return MortonTurns::of({vec3(-3), vec3(-3) + extents}).first;
  };
  EXPECT_EQ(first_turns({1, 1, 1}), uvec3(0));
  EXPECT_EQ(first_turns({1, 1.3f, 1.001f}), uvec3(0));
  EXPECT_EQ(first_turns({1, 1.6f, 1.6f}), uvec3(1, 0, 0));
  EXPECT_EQ(first_turns({12.4f, 2.8f, 11.3f}), uvec3(0, 2, 0));
  EXPECT_EQ(first_turns({1, 0, 1e-30f}), uvec3(0, 15, 15));
  EXPECT_EQ(first_turns({0, 0, 0}), uvec3(0)) << "a point";
  EXPECT_EQ(MortonTurns::of(Aabb::empty()).first, uvec3(0)) << "nothing";
}

TEST(Morton, KeysGrowAlongEachAxisOfAnyBox) {
  const float most = 3e38f, least = 1e-45f;
  for (const vec3& hi : {vec3(1), vec3(most, 1, least), vec3(most), vec3(3 * least, 1, 1), vec3(7, 1e-3f, 0)}) {
    for (const vec3& lo : {vec3(0), -hi}) {
      const Aabb box{lo, hi};
      for (int axis = 0; axis < 3; ++axis) {
        u64 before = 0;
        for (int step = 0; step <= 64; ++step) {
          vec3 p = lo;
          p[axis] = lo[axis] * (1 - float(step) / 64) + hi[axis] * (float(step) / 64);
          const u64 key = morton_key(p, box);
          ASSERT_GE(key, before) << "axis " << axis << " step " << step;
          ASSERT_LT(key, invalid_morton_key);
          before = key;
        }
      }
    }
  }
}

TEST(Morton, TiesNeverOutrankARealDifference) {
  // Slots 7 and 8 differ in four bits, but equal keys have a higher delta than keys that differ in the lowest bit.
  EXPECT_GT(common_prefix(u64{5}, u64{5}, 7), common_prefix(u64{4}, u64{5}, 0));
  EXPECT_GT(common_prefix(u64{5}, u64{5}, 0x7fffffff), common_prefix(u64{4}, u64{5}, 0));
  EXPECT_EQ(common_prefix(u64{0}, u64{1} << 62, 0), 1u);
}

}  // namespace copse::test

#include "builders/bvh/wide/wide_encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace copse::test {

using detail::QuantisedAxis;

constexpr float most = std::numeric_limits<float>::max();
constexpr float least = std::numeric_limits<float>::denorm_min();
constexpr float normal = std::numeric_limits<float>::min();

/// Numbers at which rounding goes wrong: powers of two and their neighbours, halves of steps, the ends of all
/// ranges.
std::vector<float> hard_numbers() {
  std::vector<float> numbers = {0,    least, 3 * least,   normal,     normal - least,
                                most, 1e10f, 16777215.0f, 16777217.0f};
  for (int exponent = -140; exponent <= 127; exponent += 9) {
    const float power = std::ldexp(1.0f, exponent);
    for (float factor : {1.0f, 1.9921875f, 1.9921877f, 255.0f / 256, 254.5f / 256}) {
      numbers.push_back(power * factor);
      numbers.push_back(std::nextafter(power * factor, infinity));
      numbers.push_back(std::nextafter(power * factor, 0.0f));
    }
  }
  const size_t count = numbers.size();
  for (size_t i = 0; i < count; ++i) numbers.push_back(-numbers[i]);
  std::erase_if(numbers, [](float x) { return !std::isfinite(x); });
  for (float& x : numbers) x += 0.0f;
  return numbers;
}

/// Holds the grid from lo to hi to its contract at `at`, which lies between.
void expect_conservative(float lo, float hi, float at) {
  const QuantisedAxis grid(lo, hi);
  ASSERT_GE(grid.exponent, 1) << lo << " to " << hi;
  ASSERT_LE(grid.exponent, 254) << lo << " to " << hi;
  ASSERT_EQ(grid.origin, lo);
  ASSERT_GE(grid.at(255), hi) << lo << " to " << hi;
  const u8 below = grid.below(at), above = grid.above(at);
  ASSERT_LE(grid.at(below), at) << lo << " to " << hi << " at " << at;
  ASSERT_GE(grid.at(above), at) << lo << " to " << hi << " at " << at;
  ASSERT_LE(below, above);
  // At most a step too far, up to the rounding of the coordinates themselves; past the largest float it cannot be.
  if (!std::isfinite(hi - lo)) return;
  const double step = std::ldexp(1.0, grid.exponent - 127);
  const double grain = std::ldexp(1.0, -23) * std::max(std::fabs(double(lo)), std::fabs(double(hi)));
  ASSERT_LE(double(at) - (double(lo) + below * step), 1.01 * step + grain) << lo << " to " << hi << " at " << at;
  ASSERT_LE((double(lo) + above * step) - double(at), 1.01 * step + grain) << lo << " to " << hi << " at " << at;
}

TEST(QuantisedAxis, IsConservativeAtHardNumbers) {
  const std::vector<float> numbers = hard_numbers();
  for (float lo : numbers) {
    for (float hi : numbers) {
      if (lo > hi) continue;
      for (float at : {lo, hi, std::min(std::max(0.5f * lo + 0.5f * hi, lo), hi), std::nextafter(lo, hi),
                       std::nextafter(hi, lo)}) {
        expect_conservative(lo, hi, at);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(QuantisedAxis, IsConservativeAtRandomNumbers) {
  std::mt19937 random(7);
  const auto number = [&] {
    float x = infinity;
    while (!std::isfinite(x)) x = float_from_bits(u32(random()));
    return x + 0.0f;
  };
  for (int repeat = 0; repeat < 300000; ++repeat) {
    // Of any size; and around a place far from the origin, a few grains apart.
    float a = number(), b = number();
    if (repeat % 2 == 1) {
      b = a;
      for (u32 k = random() % 600; k > 0; --k) b = std::nextafter(b, most);
    }
    const float lo = std::min(a, b), hi = std::max(a, b);
    const float part = float(random() % 1024) / 1023;
    expect_conservative(lo, hi, std::min(std::max(lo * (1 - part) + hi * part, lo), hi));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(QuantisedAxis, TakesTheLeastStepThatReaches) {
  EXPECT_EQ(QuantisedAxis(0, 255).exponent, 127);
  EXPECT_EQ(QuantisedAxis(0, 256).exponent, 128);
  EXPECT_EQ(QuantisedAxis(0, std::nextafter(255.0f, 256.0f)).exponent, 128);
  EXPECT_EQ(QuantisedAxis(1, 1).exponent, 1);
  EXPECT_EQ(QuantisedAxis(1, 1).above(1), 0);
  EXPECT_EQ(QuantisedAxis(0, 255).below(7.99f), 7);
  EXPECT_EQ(QuantisedAxis(0, 255).above(7.01f), 8);
  EXPECT_EQ(QuantisedAxis(0, 255).above(7), 7);
}

template <class Node>
void expect_empty_and_whole_boxes_to_survive() {
  Aabb boxes[Node::width];
  for (Aabb& box : boxes) box = Aabb::empty();
  Node node{};
  detail::encode_boxes(node, boxes);
  for (u32 slot = 0; slot < Node::width; ++slot) EXPECT_TRUE(is_empty(node.child_box(slot)));

  boxes[1] = {vec3(-most), vec3(most)};
  boxes[2] = {vec3(-1, 2, 0), vec3(-1, 2, 0)};
  detail::encode_boxes(node, boxes);
  for (u32 slot : {1, 2}) EXPECT_TRUE(merge(node.child_box(slot), boxes[slot]) == node.child_box(slot));
  for (u32 slot : {0, 3}) EXPECT_TRUE(is_empty(node.child_box(slot)));
}

TEST(WideEncode, EmptyAndWholeBoxesSurvive) {
  expect_empty_and_whole_boxes_to_survive<Bvh4Node>();
  expect_empty_and_whole_boxes_to_survive<CompressedBvh4Node>();
  expect_empty_and_whole_boxes_to_survive<CompressedBvh8Node>();
}

TEST(WideEncode, ChildrenComeBackAsTheyWere) {
  const WideChild given[8] = {{100, 0}, {5000, 3}, {101, 0}, {5003, 1}, {5004, 2}, {102, 0}, WideChild::nothing(),
                              {5006, 3}};
  CompressedBvh8Node node{};
  detail::encode_parts(node, {100, 5000}, 0b00100101);
  for (u32 slot = 0; slot < 8; ++slot) detail::encode_child(node, slot, {100, 5000}, given[slot]);
  for (u32 slot = 0; slot < 8; ++slot) {
    EXPECT_EQ(node.child(slot).first, given[slot].first) << slot;
    EXPECT_EQ(node.child(slot).count, given[slot].count) << slot;
  }
  EXPECT_EQ(node.inner_mask, 0b00100101);
  EXPECT_EQ(node.meta[0], 0b00111000);
  EXPECT_EQ(node.meta[2], 0b00111010);
  EXPECT_EQ(node.meta[1], 0b11100000);
  EXPECT_EQ(node.meta[4], 0b01100100);
  EXPECT_EQ(node.meta[6], 0);
}

}  // namespace copse::test

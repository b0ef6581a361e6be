// The time of an update follows that of a frame.

#include "viewer/model/session/frame_budget.h"

#include <gtest/gtest.h>

namespace copse::test {
namespace {

using namespace viewer;

/// Runs frames whose drawing takes `other_ms`.
void run(FrameBudget& budget, double& now_ms, double other_ms, int frames = 30, bool loop_goes_on = true) {
  for (int frame = 0; frame < frames; ++frame) {
    budget.begin(now_ms);
    now_ms += 16;
    budget.end(now_ms, loop_goes_on);
    now_ms += other_ms;
  }
}

TEST(FrameBudget, IsItsBaseWhileFramesAreFast) {
  FrameBudget budget(16);
  EXPECT_EQ(budget.moving_ms(), 16);
  double now_ms = 1000;
  run(budget, now_ms, 17);
  EXPECT_EQ(budget.moving_ms(), 16) << "the wait for the display does not count";
}

TEST(FrameBudget, GrowsWithTheTimeOfDrawing) {
  FrameBudget budget(16);
  double now_ms = 0;
  run(budget, now_ms, 60);
  EXPECT_NEAR(budget.moving_ms(), 43, 1);
  EXPECT_NEAR(budget.resting_ms(), 180, 1) << "three quarters of a frame";
  run(budget, now_ms, 2000);
  EXPECT_EQ(budget.moving_ms(), 50) << "the user waits for the next frame";
  EXPECT_EQ(budget.resting_ms(), 250);
  run(budget, now_ms, 2);
  EXPECT_EQ(budget.moving_ms(), 16);
  EXPECT_EQ(budget.resting_ms(), 64);
}

TEST(FrameBudget, DoesNotCountSleep) {
  FrameBudget budget(16);
  double now_ms = 0;
  run(budget, now_ms, 250, 30, false);
  EXPECT_EQ(budget.moving_ms(), 16);
  EXPECT_EQ(budget.resting_ms(), 64);
}

}  // namespace
}  // namespace copse::test

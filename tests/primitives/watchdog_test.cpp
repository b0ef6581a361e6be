#include "tests/support/watchdog.h"

#include <gtest/gtest.h>

namespace copse::test {

TEST(Watchdog, LetsWorkThatEndsAlone) {
  for (int repeat = 0; repeat < 100; ++repeat) Watchdog guard(300, "nothing");
}

void hang() {
  Watchdog guard(0.05, "a loop without end");
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

TEST(WatchdogDeathTest, EndsTheProcessAndSaysWhatHung) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(hang(), testing::ExitedWithCode(Watchdog::exit_code),
              "a loop without end has not ended within 0.05 s");
}

}  // namespace copse::test

// The choice among ways to do the same work, with times that a test makes up.

#include "trace/batch/choice_by_time.h"

#include <gtest/gtest.h>

#include <vector>

namespace copse::detail {
namespace {

using Call = ChoiceByTime::Call;

/// Pieces of work of a call, so that times are milliseconds too.
constexpr double pieces = 1;

/// Makes `count` calls. Each takes the time of its way, and reports it at once if it is asked to. Returns how many
/// calls took each way; the last number is that of undecided calls.
std::vector<u32> run(ChoiceByTime& choice, const std::vector<double>& times, u32 count) {
  std::vector<u32> taken(times.size() + 1, 0);
  for (u32 i = 0; i < count; ++i) {
    const Call call = choice.next(u32(times.size()));
    ++taken[call.way == ChoiceByTime::undecided ? times.size() : call.way];
    if (call.is_timed) choice.report(call.way, times[call.way], pieces);
  }
  return taken;
}

TEST(ChoiceByTime, LeavesTheFirstCallsToTheCaller) {
  ChoiceByTime choice;
  const Call call = choice.next(3);
  EXPECT_EQ(call.way, ChoiceByTime::undecided);
  EXPECT_FALSE(call.is_timed);
}

TEST(ChoiceByTime, KeepsTheFastestWay) {
  for (const std::vector<double>& times : {std::vector<double>{3, 1, 2}, {1, 1.1, 4, 2}, {2, 1}, {5, 4, 3, 1}}) {
    ChoiceByTime choice;
    const u32 best = u32(std::min_element(times.begin(), times.end()) - times.begin());
    run(choice, times, ChoiceByTime::first_calls + 12);
    EXPECT_EQ(choice.best(), best);
    const std::vector<u32> later = run(choice, times, 1000);
    EXPECT_GT(later[best], 980u);
  }
}

TEST(ChoiceByTime, TriesAWayAgainWhoseTimeWasLost) {
  ChoiceByTime choice;
  std::vector<u32> asked(3, 0);
  while (choice.best() == ChoiceByTime::undecided && asked[0] < 10) {
    const Call call = choice.next(3);
    if (!call.is_timed) continue;
    if (asked[call.way]++ == 0) {
      choice.lose(call.way);  // a slow host would have made any way look slow
    } else {
      choice.report(call.way, 3 - call.way, pieces);
    }
  }
  EXPECT_EQ(choice.best(), 2u);
  EXPECT_EQ(asked, (std::vector<u32>{3, 3, 4}));  // the last time checks the choice
}

TEST(ChoiceByTime, LeavesTheChoiceToTheCallerIfAllTimesAreLost) {
  ChoiceByTime choice;
  u32 timed = 0;
  for (u32 i = 0; i < 1000; ++i) {
    const Call call = choice.next(3);
    if (!call.is_timed) continue;
    ++timed;
    choice.lose(call.way);
  }
  EXPECT_LT(timed, 150u);
  EXPECT_EQ(choice.best(), ChoiceByTime::undecided);
}

TEST(ChoiceByTime, TriesWaysAgainThatAreNearTheBest) {
  ChoiceByTime choice;
  const std::vector<u32> taken = run(choice, {1, 1.2, 4}, 5000);
  EXPECT_GT(taken[1], 12u);
  EXPECT_LT(taken[1], 30u);
  EXPECT_EQ(taken[2], 2u);
}

TEST(ChoiceByTime, ChangesToAWayThatBecameALittleFaster) {
  ChoiceByTime choice;
  run(choice, {1, 1.2, 4}, 100);
  ASSERT_EQ(choice.best(), 0u);
  run(choice, {1.1, 1.0, 4}, 2000);
  EXPECT_EQ(choice.best(), 1u);
}

TEST(ChoiceByTime, TakesTheShorterOfTwoTrials) {
  ChoiceByTime choice;
  const std::vector<std::vector<double>> trials{{1.0, 1.0}, {1.2, 0.8}};
  std::vector<u32> count(2, 0);
  while (choice.best() == ChoiceByTime::undecided) {
    const Call call = choice.next(2);
    if (call.is_timed) choice.report(call.way, trials[call.way][std::min(count[call.way]++, 1u)], pieces);
  }
  EXPECT_EQ(choice.best(), 1u);
}

TEST(ChoiceByTime, LeavesCallsToTheCallerUntilTheTrialsHaveEnded) {
  ChoiceByTime choice;
  std::vector<Call> timed;
  for (u32 i = 0; i < ChoiceByTime::first_calls + 100; ++i) {
    const Call call = choice.next(3);
    if (call.is_timed) timed.push_back(call);
  }
  ASSERT_EQ(timed.size(), 6u);  // nothing was reported
  EXPECT_EQ(choice.best(), ChoiceByTime::undecided);
  for (const Call& call : timed) choice.report(call.way, 3.0 - call.way, pieces);
  run(choice, {3, 2, 1}, 10);
  EXPECT_EQ(choice.best(), 2u);
}

TEST(ChoiceByTime, BeginsAgainWhenTheWorkHasChanged) {
  ChoiceByTime choice;
  run(choice, {1, 2}, 100);
  ASSERT_EQ(choice.best(), 0u);
  run(choice, {4, 2}, 2000);
  EXPECT_EQ(choice.best(), 1u);
}

TEST(ChoiceByTime, FollowsNoSmallChanges) {
  ChoiceByTime choice;
  run(choice, {1, 2}, 100);
  EXPECT_EQ(run(choice, {1.2, 1.1}, 400)[0], 400u);
}

TEST(ChoiceByTime, TimesShortCallsLessOften) {
  const auto timed_of = [](double milliseconds) {
    ChoiceByTime choice;
    u32 timed = 0;
    for (u32 i = 0; i < ChoiceByTime::first_calls + 400; ++i) {
      const Call call = choice.next(2);
      timed += call.is_timed ? 1 : 0;
      if (call.is_timed) choice.report(call.way, milliseconds * (1 + call.way), 1e6);
    }
    return timed;
  };
  EXPECT_LT(timed_of(0.01), 25u);
  EXPECT_LT(timed_of(0.2), 60u);
  EXPECT_GT(timed_of(1), 100u);
  EXPECT_GT(timed_of(10), 100u);
}

TEST(ChoiceByTime, TrustsWorkAgainThatStaysTheSame) {
  ChoiceByTime choice;
  for (u32 i = 0; i < 6; ++i) {
    run(choice, {1, 2}, 200);
    run(choice, {3, 6}, 200);
  }
  EXPECT_GT(run(choice, {1, 2}, 20000)[0], 10000u);
  EXPECT_LE(run(choice, {4, 8}, 200)[2], ChoiceByTime::first_calls);
}

TEST(ChoiceByTime, LeavesWorkAloneThatKeepsChanging) {
  ChoiceByTime choice;
  u32 decided = 0, late = 0;
  for (u32 i = 0; i < 20000; ++i) {
    const Call call = choice.next(2);
    const bool is_odd = i % 2 == 1;
    if (call.way != ChoiceByTime::undecided) ++(i < 10000 ? decided : late);
    if (call.is_timed) choice.report(call.way, is_odd ? 10 : 1, pieces);
  }
  EXPECT_LT(decided, 2000u);
  EXPECT_LT(late, 500u);
}

}  // namespace
}  // namespace copse::detail

// Messages, names, times and playback: the small parts.

#include "viewer/model/session/messages.h"

#include <gtest/gtest.h>

#include <new>

#include "primitives/core/error.h"
#include "viewer/model/picture/comparison.h"
#include "viewer/model/picture/view_settings.h"
#include "viewer/model/scene/playback.h"
#include "viewer/model/session/timings.h"
#include "viewer/model/structures/structure_options.h"

namespace copse::test {
namespace {

using namespace viewer;

TEST(Messages, EqualOnesInARowAreOne) {
  Messages messages;
  messages.add(Severity::note, "a");
  messages.add(Severity::note, "a");
  messages.add(Severity::error, "a");
  ASSERT_EQ(messages.list().size(), 2u);
  EXPECT_EQ(messages.list()[0].count, 2u);
}

TEST(Messages, GuardTurnsWhatIsThrownIntoText) {
  Messages messages;
  EXPECT_TRUE(messages.guard("quiet", [] {}));
  EXPECT_FALSE(messages.guard("copse", [] { throw Error(ErrorCode::capacity, "5 past 3"); }));
  EXPECT_FALSE(messages.guard("memory", [] { throw std::bad_alloc(); }));
  EXPECT_FALSE(messages.guard("stop", [] { throw Error(ErrorCode::cancelled, "by the token"); }));
  ASSERT_EQ(messages.list().size(), 3u);
  EXPECT_EQ(messages.list()[0].text, "copse: 5 past 3");
  EXPECT_EQ(messages.list()[0].severity, Severity::error);
  EXPECT_EQ(messages.list()[2].severity, Severity::note);
  EXPECT_EQ(messages.list()[0].code, ErrorCode::capacity);
  EXPECT_EQ(messages.list()[1].code, ErrorCode::out_of_memory);
  EXPECT_EQ(messages.first_error(), &messages.list()[0]);
  messages.clear();
  EXPECT_EQ(messages.first_error(), nullptr);
}

TEST(Messages, OldOnesGoAndDismissedOnesToo) {
  Messages messages;
  for (u64 i = 0; i < Messages::most + 10; ++i) messages.add(Severity::note, std::to_string(i));
  ASSERT_EQ(messages.list().size(), Messages::most);
  EXPECT_EQ(messages.list()[0].text, "10");
  const u64 revision = messages.revision();
  messages.dismiss(messages.list()[3].id);
  messages.dismiss(123456);
  EXPECT_EQ(messages.list().size(), Messages::most - 1);
  EXPECT_EQ(messages.revision(), revision + 1);
  messages.clear();
  EXPECT_TRUE(messages.list().empty());
}

template <class Enum>
void expect_names() {
  for (u64 i = 0; i < names<Enum>().size(); ++i) {
    EXPECT_EQ(named<Enum>(names<Enum>()[i]), Enum(i));
    EXPECT_STREQ(viewer::name_of<Enum>(Enum(i)), names<Enum>()[i]);
  }
  EXPECT_FALSE(named<Enum>("none such"));
  EXPECT_STREQ(viewer::name_of<Enum>(Enum(200)), "unknown");
}

TEST(Names, GoThereAndBack) {
  expect_names<View>();
  expect_names<LeafTint>();
  expect_names<Builder>();
  expect_names<Layout>();
  expect_names<StructureKind>();
  expect_names<UpdateMode>();
  expect_names<Deformation>();
}

TEST(Playback, LoopsAndStops) {
  Playback playback;
  playback.advance(1);
  EXPECT_EQ(playback.phase, 0) << "it does not play";
  playback.playing = true;
  playback.advance(1);
  EXPECT_FLOAT_EQ(playback.phase, 0.25f);
  playback.speed = -1;
  playback.advance(2);
  EXPECT_FLOAT_EQ(playback.phase, 0.75f);
  playback.loops = false;
  playback.speed = 1;
  playback.advance(100);
  EXPECT_LT(playback.phase, 1);
  EXPECT_FALSE(playback.playing);
}

TEST(Playback, OddValuesKeepThePhaseInRange) {
  for (const float period : {0.0f, -1.0f, 1e-30f, std::numeric_limits<float>::infinity()}) {
    for (const float speed : {1.0f, 1e30f, -1e30f, std::numeric_limits<float>::quiet_NaN()}) {
      Playback playback;
      playback.playing = true;
      playback.period = period;
      playback.speed = speed;
      for (int i = 0; i < 10; ++i) {
        playback.advance(0.017);
        EXPECT_GE(playback.phase, 0);
        EXPECT_LT(playback.phase, 1);
      }
    }
  }
}

TEST(TimeHistory, KeepsTheLastAndKnowsTheirMiddle) {
  TimeHistory history;
  EXPECT_EQ(history.median(), 0);
  for (u64 i = 0; i < TimeHistory::capacity + 5; ++i) history.add(double(i));
  EXPECT_EQ(history.values().size(), TimeHistory::capacity);
  EXPECT_EQ(history.values().front(), 5);
  EXPECT_EQ(history.last(), float(TimeHistory::capacity + 4));
  EXPECT_EQ(history.median(), float(5 + TimeHistory::capacity / 2));
}

TEST(HeatDifference, ShowsWhichSideVisitsMore) {
  const std::vector<u32> a = {10, 10, 0, 0xffffffffu}, b = {10, 0, 10, 0};
  const Image image = heat_difference(a, b, 2, 2, 10);
  EXPECT_EQ(image.pixels[0].r, image.pixels[0].b);
  EXPECT_GT(image.pixels[1].r, image.pixels[1].b);
  EXPECT_LT(image.pixels[2].r, image.pixels[2].b);
  EXPECT_GT(image.pixels[3].r, image.pixels[3].b);
  EXPECT_THROW(heat_difference(a, b, 3, 2), Error);
  EXPECT_EQ(heat_difference({}, {}, 0, 0).pixels.size(), 0u);
}

}  // namespace
}  // namespace copse::test

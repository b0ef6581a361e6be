#include "viewer/model/session/history.h"

#include "tests/viewer/scenes.h"

namespace copse::test {
namespace {

using namespace viewer;

Choices with_level(u32 level) {
  Choices choices;
  choices.overlay.level = level;
  return choices;
}

TEST(History, GoesBackAndForth) {
  History history;
  EXPECT_FALSE(history.can_undo());
  EXPECT_EQ(history.undo(), std::nullopt);
  for (u32 level = 0; level < 3; ++level) history.note(with_level(level));
  history.note(with_level(2));  // no change
  EXPECT_EQ(history.undo(), with_level(1));
  EXPECT_EQ(history.undo(), with_level(0));
  EXPECT_EQ(history.undo(), std::nullopt);
  EXPECT_EQ(history.redo(), with_level(1));
  history.note(with_level(1));  // as it was brought back
  EXPECT_TRUE(history.can_redo());
  history.note(with_level(7));
  EXPECT_FALSE(history.can_redo()) << "a new change ends what was undone";
  EXPECT_EQ(history.undo(), with_level(1));
}

TEST(History, KeepsTheLastHundred) {
  History history;
  for (u32 level = 0; level <= 150; ++level) history.note(with_level(level));
  u32 count = 0;
  std::optional<Choices> last;
  while (const auto choices = history.undo()) {
    last = choices;
    ++count;
  }
  EXPECT_EQ(count, History::capacity);
  EXPECT_EQ(last, with_level(50));
}

TEST(History, BringsBackWhatASessionShowed) {
  SmallSession s;
  const Choices before = choices_of(s.session);
  s.session.wanted(0).builder = Builder::sah;
  s.session.build(0);
  s.session.view().view = View::heat;
  s.session.overlay().boxes = true;
  s.session.finish();
  ASSERT_NE(choices_of(s.session), before);
  choose(s.session, before);
  s.session.finish();
  EXPECT_EQ(choices_of(s.session), before);
  EXPECT_EQ(s.session.built(0).builder, Builder::lbvh);
  EXPECT_EQ(s.session.view().view, View::shaded);
}

}  // namespace
}  // namespace copse::test

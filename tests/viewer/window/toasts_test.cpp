// The messages that are shown over the picture.

#include "viewer/panels/toasts.h"

#include <gtest/gtest.h>

namespace copse::test {
namespace {

using namespace viewer;

TEST(Toasts, AMessageStaysUntilItIsClosedAndComesBackWhenItComesAgain) {
  Messages messages;
  Toasts toasts;
  messages.add(Severity::error, "lost");
  toasts.age(messages, 100);
  EXPECT_TRUE(toasts.shows(messages.list()[0]));
  toasts.close(messages.list()[0]);
  toasts.age(messages, 1);
  EXPECT_FALSE(toasts.shows(messages.list()[0]));
  messages.add(Severity::error, "lost");
  ASSERT_EQ(messages.list().size(), 1u);
  EXPECT_TRUE(toasts.shows(messages.list()[0]));
  toasts.age(messages, 1);
  EXPECT_TRUE(toasts.shows(messages.list()[0]));
}

TEST(Toasts, NotesFadeAndARepeatedOneIsShownAsLongAgain) {
  Messages messages;
  Toasts toasts;
  const auto wait = [&](double seconds) {
    toasts.age(messages, seconds);
    return toasts.shows(messages.list()[0]);
  };
  messages.add(Severity::note, "saved");
  EXPECT_TRUE(wait(4));
  messages.add(Severity::note, "saved");
  EXPECT_TRUE(wait(4));
  EXPECT_FALSE(wait(4));
  messages.add(Severity::note, "saved");
  EXPECT_TRUE(wait(1));
}

TEST(Toasts, MessagesThatAreGoneAreForgotten) {
  Messages messages;
  Toasts toasts;
  messages.add(Severity::error, "first");
  const Message gone = messages.list()[0];
  toasts.close(gone);
  messages.clear();
  toasts.age(messages, 1);
  EXPECT_TRUE(toasts.shows(gone)) << "nothing is known of it any more";
}

}  // namespace
}  // namespace copse::test

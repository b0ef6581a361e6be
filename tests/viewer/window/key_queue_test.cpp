// Keys that change faster than frames follow each other.

#include "viewer/window/key_queue.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <string>

namespace copse::test {

using namespace viewer;

namespace {

/// The events of the next frame, as "b" for a key that goes down and "B" for one that goes up; shift is "s".
std::string frame(KeyQueue& queue) {
  std::string text;
  for (const KeyEvent& event : queue.take_frame()) {
    const char name = event.key == GLFW_KEY_LEFT_SHIFT ? 's' : char(event.key - GLFW_KEY_A + 'a');
    text += event.action == GLFW_PRESS ? name : char(name - 'a' + 'A');
  }
  return text;
}

void add(KeyQueue& queue, const std::string& text) {
  for (const char c : text) {
    const bool down = c >= 'a';
    const char name = down ? c : char(c - 'A' + 'a');
    const int key = name == 's' ? GLFW_KEY_LEFT_SHIFT : GLFW_KEY_A + (name - 'a');
    queue.add({.key = key, .action = down ? GLFW_PRESS : GLFW_RELEASE});
  }
}

}  // namespace

TEST(KeyQueue, TapIsDownInOneFrameAndUpInTheNext) {
  KeyQueue queue;
  add(queue, "bB");
  EXPECT_EQ(frame(queue), "b");
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(frame(queue), "B");
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(frame(queue), "");
}

TEST(KeyQueue, EveryTapOfASeriesIsSeen) {
  KeyQueue queue;
  add(queue, "bBbBbB");
  int presses = 0;
  for (int frames = 0; !queue.empty(); ++frames) {
    ASSERT_LT(frames, 10);
    presses += frame(queue).find('b') != std::string::npos;
  }
  EXPECT_EQ(presses, 3);
}

TEST(KeyQueue, DifferentKeysShareAFrame) {
  KeyQueue queue;
  add(queue, "abc");
  EXPECT_EQ(frame(queue), "abc");
}

TEST(KeyQueue, ModifierHoldsForTheKeysThatItWasHeldFor) {
  KeyQueue queue;
  add(queue, "sxXS");
  EXPECT_EQ(frame(queue), "sx");
  EXPECT_EQ(frame(queue), "XS");
  add(queue, "sxSX");
  EXPECT_EQ(frame(queue), "sx") << "shift is let go first";
  EXPECT_EQ(frame(queue), "SX");
  add(queue, "xsy");
  EXPECT_EQ(frame(queue), "x") << "shift came after x";
  EXPECT_EQ(frame(queue), "sy");
  add(queue, "sSx");
  EXPECT_EQ(frame(queue), "s");
  EXPECT_EQ(frame(queue), "Sx");
}

TEST(KeyQueue, TakesAllAtOnceWhereImGuiHasAQueue) {
  KeyQueue queue;
  add(queue, "bBb");
  EXPECT_EQ(queue.take_all().size(), 3u);
  EXPECT_TRUE(queue.empty());
}

}  // namespace copse::test

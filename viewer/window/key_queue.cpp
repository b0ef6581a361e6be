#include "viewer/window/key_queue.h"

#include <GLFW/glfw3.h>

#include <set>

namespace copse::viewer {

namespace {

bool is_modifier(int key) {
  return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
}

}  // namespace

std::vector<KeyEvent> KeyQueue::take_frame() {
  std::vector<KeyEvent> taken;
  std::set<int> changed;
  bool pressed = false;  // a key that is no modifier
  for (; !waiting_.empty(); waiting_.pop_front()) {
    const KeyEvent& next = waiting_.front();
    if (pressed && is_modifier(next.key)) break;
    if (!changed.insert(next.key).second) break;
    pressed |= !is_modifier(next.key) && next.action == GLFW_PRESS;
    taken.push_back(next);
  }
  return taken;
}

std::vector<KeyEvent> KeyQueue::take_all() {
  std::vector<KeyEvent> taken(waiting_.begin(), waiting_.end());
  waiting_.clear();
  return taken;
}

}  // namespace copse::viewer

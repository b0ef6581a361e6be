#pragma once

#include <deque>
#include <vector>

namespace copse::viewer {

/// A key that went down or up, as GLFW reports it.
struct KeyEvent {
  int key = 0, scancode = 0;
  int action = 0;  // GLFW_PRESS or GLFW_RELEASE
  int modifiers = 0;
};

/// Gives the events of keys to the frames, so that none is lost if frames are slow. ImGui 1.86 knows only which keys
/// are down when a frame begins. A key that went down and up since the last frame would be up. So each key changes
/// at most once per frame, and the rest waits for the next frames.
class KeyQueue {
 public:
  void add(const KeyEvent& event) { waiting_.push_back(event); }
  bool empty() const { return waiting_.empty(); }
  void clear() { waiting_.clear(); }

  /// Returns the events of the next frame, in their order. A modifier key that changes after another key went down
  /// waits for the next frame, because it did not belong to that key.
  std::vector<KeyEvent> take_frame();

  /// Returns all events, in their order, for a version of ImGui that has such a queue itself.
  std::vector<KeyEvent> take_all();

 private:
  std::deque<KeyEvent> waiting_;
};

}  // namespace copse::viewer

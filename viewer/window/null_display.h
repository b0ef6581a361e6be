#pragma once

#include <deque>
#include <functional>

#include "viewer/window/display.h"

namespace copse::viewer {

/// A display that shows nothing, for tests and scripts. Input comes from calls. ImGui runs as usual, so panels
/// behave as in a window.
class NullDisplay : public Display {
 public:
  NullDisplay(float width, float height, float ui_scale = 1);

  void take_events(double seconds) override;
  bool is_visible() const override { return width_ > 0 && height_ > 0; }
  bool is_asked_to_close() const override { return closing_; }
  float ui_scale() const override { return ui_scale_; }
  float pixels_per_point() const override { return 1; }
  WindowSize window_size() const override { return {int(width_), int(height_), false}; }
  void begin_frame() override;
  std::string present(std::span<const Pane> panes) override;
  void forget_fonts() override;
  void set_title(const std::string& title) override { title_ = title; }

  // The input of a user. Calls take effect in order, one per frame.
  void move_mouse(float x, float y);
  void press_button(int button, bool down);
  void scroll(float steps);
  /// `key`: as GLFW numbers it.
  void press_key(int key, bool down);
  void type(const std::string& text);

  void resize(float width, float height);
  void close() { closing_ = true; }

  /// Input that no frame has taken yet.
  bool has_input() const { return !input_.empty(); }
  const std::string& title() const { return title_; }
  u64 frame_count() const { return frame_count_; }
  /// The places of the pictures of the last frame.
  const std::vector<Rectangle>& last_places() const { return places_; }

 private:
  float width_, height_, ui_scale_;
  bool closing_ = false;
  std::string title_;
  u64 frame_count_ = 0;
  std::vector<Rectangle> places_;
  std::deque<std::function<void()>> input_;
};

}  // namespace copse::viewer

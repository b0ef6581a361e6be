#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "viewer/window/pane.h"

namespace copse::viewer {

/// Where the viewer is seen and its input comes from: a window, or nothing at all in tests. An ImGui context
/// must be current while one lives.
class Display {
 public:
  Display() = default;
  virtual ~Display() = default;
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  /// Takes in what the user did. Waits for it up to `seconds`; 0: not at all.
  virtual void take_events(double seconds) = 0;

  /// False while there is nothing to draw on: minimised, or resized to nothing.
  virtual bool is_visible() const = 0;
  virtual bool is_asked_to_close() const = 0;

  /// By how much to enlarge text and widgets, 1 for a common display.
  virtual float ui_scale() const = 0;
  /// Pixels of the window for a point of its size.
  virtual float pixels_per_point() const = 0;

  /// Tells ImGui the size, the time and the input of the frame that begins.
  virtual void begin_frame() = 0;

  /// Shows the panes and, above them, what ImGui has drawn. Returns a message where the display failed and was
  /// set up anew, else an empty text.
  virtual std::string present(std::span<const Pane> panes) = 0;

  /// Whether panes may have pictures whose pixels are on a CUDA device alone.
  virtual bool shows_device_pictures() const { return false; }
  /// How pictures come to the screen, in words.
  virtual std::string picture_way() const { return "nowhere"; }

  /// To be called when ImGui's fonts have changed.
  virtual void forget_fonts() = 0;

  /// Files and folders that the user dropped since the last call.
  std::vector<std::filesystem::path> take_dropped() { return std::exchange(dropped_, {}); }
  /// What a drop on the window calls.
  void drop(std::vector<std::filesystem::path> paths) {
    dropped_.insert(dropped_.end(), paths.begin(), paths.end());
  }

  virtual void set_title(const std::string& title) = 0;

 private:
  std::vector<std::filesystem::path> dropped_;
};

}  // namespace copse::viewer

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "viewer/window/pane.h"

namespace copse::viewer {

/// The size of a window in points, to open the next one with.
struct WindowSize {
  int width = 0, height = 0;  // where the window is not maximised
  bool maximised = false;
};

/// Shows the viewer and delivers its input: a window, or nothing visible in tests. An ImGui context must be
/// current during its lifetime.
class Display {
 public:
  Display() = default;
  virtual ~Display() = default;
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  /// Reads the user's input. Waits for it up to `seconds`; 0: does not wait.
  virtual void take_events(double seconds) = 0;

  /// False while there is nothing to draw on, because the window is minimised or has no area.
  virtual bool is_visible() const = 0;
  virtual bool is_asked_to_close() const = 0;

  /// The scale for text and widgets; 1 for a common display.
  virtual float ui_scale() const = 0;
  /// Pixels of the window per point.
  virtual float pixels_per_point() const = 0;

  virtual WindowSize window_size() const = 0;

  /// Tells ImGui the size, the time and the input of the frame that begins.
  virtual void begin_frame() = 0;

  /// Shows the panes and, above them, what ImGui has drawn. Returns a message if the display failed and was set up
  /// again, else an empty text.
  virtual std::string present(std::span<const Pane> panes) = 0;

  /// True if panes may have pictures whose pixels are on a CUDA device only.
  virtual bool shows_device_pictures() const { return false; }
  /// Describes how pictures get to the screen.
  virtual std::string picture_way() const { return "nowhere"; }

  /// Call this when ImGui's fonts have changed.
  virtual void forget_fonts() = 0;

  /// Returns the files and folders that the user has dropped since the last call.
  std::vector<std::filesystem::path> take_dropped() { return std::exchange(dropped_, {}); }
  /// Called by a drop on the window.
  void drop(std::vector<std::filesystem::path> paths) {
    dropped_.insert(dropped_.end(), paths.begin(), paths.end());
  }

  virtual void set_title(const std::string& title) = 0;

 private:
  std::vector<std::filesystem::path> dropped_;
};

}  // namespace copse::viewer

#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "primitives/core/types.h"
#include "tests/viewer/window/program.h"

namespace copse::test {

/// The viewer in a real window on a display of its own, driven by key and mouse events of the X server. Waits are
/// limited so that a viewer that hangs does not hang the tests.
class WindowSession {
 public:
  /// Starts Xvfb and, in the folder, the viewer.
  WindowSession(const TestFolder& folder, const std::string& arguments);
  ~WindowSession();
  WindowSession(const WindowSession&) = delete;
  WindowSession& operator=(const WindowSession&) = delete;

  /// Waits until a widget is visible. Returns false if it never is.
  bool wait_for(const std::string& widget);
  bool sees(const std::string& widget) const { return place_of(widget).has_value(); }
  /// The number of pictures that are shown.
  u64 picture_count() const;
  /// Waits until a file exists, and returns its path.
  std::string wait_for_file(const std::string& name);
  /// Waits until the predicate holds.
  template <class Predicate>
  bool wait_until(const Predicate& is_so) {
    for (int turn = 0; turn < 1200; ++turn) {
      if (is_so()) return true;
      pause(0.1);
    }
    return false;
  }

  void click(const std::string& widget);
  void choose(const std::string& list, const std::string& entry);
  /// Presses a key, by its X name: "p", "space".
  void press(const std::string& key);
  /// Places are fractions of the picture.
  void click_picture(double x, double y);
  void drag_picture(double x0, double y0, double x1, double y1);
  void scroll_picture(int steps);

  /// Sends a signal to the viewer and returns its exit code.
  int end_by(int signal);
  /// Presses Ctrl Q and returns the viewer's exit code.
  int quit();

  static void pause(double seconds);

 private:
  struct Place {
    double x, y, width, height;
  };
  nlohmann::json map() const;
  std::optional<Place> place_of(const std::string& widget) const;
  Place picture() const;
  int wait_for_the_end();
  void xdotool(const std::string& commands) const;
  void click_at(double x, double y) const;

  const TestFolder& folder_;
  pid_t process_ = -1;
  std::string environment_;  // DISPLAY and XAUTHORITY, as for env
};

}  // namespace copse::test

#pragma once

#include <memory>

#include "viewer/window/display.h"
#include "viewer/window/key_queue.h"

struct GLFWwindow;

namespace copse::viewer {

struct WindowOptions {
  int width = 1600;  // in points
  int height = 1000;
  std::string title = "Copse";
  bool maximized = false;
  bool wait_for_refresh = true;  // false: as many frames per second as possible
};

/// A window of GLFW with OpenGL 3.3. If the driver loses its context, the window is opened again.
class GlfwDisplay : public Display {
 public:
  /// Throws: Error no_device if there is no display or no OpenGL 3.3.
  explicit GlfwDisplay(const WindowOptions& options);
  ~GlfwDisplay() override;

  void take_events(double seconds) override;
  bool is_visible() const override;
  bool is_asked_to_close() const override;
  float ui_scale() const override;
  float pixels_per_point() const override;
  WindowSize window_size() const override;
  void begin_frame() override;
  std::string present(std::span<const Pane> panes) override;
  bool shows_device_pictures() const override { return interop_problem_.empty(); }
  std::string picture_way() const override;
  void forget_fonts() override;
  void set_title(const std::string& title) override;

  /// The size of the window in points, to open the next window with.
  WindowOptions current_options() const;

  /// The name of the driver's renderer, such as "llvmpipe".
  std::string renderer_name() const;

  /// Treats the OpenGL context as lost in the next frame.
  void lose_context() { context_is_lost_ = true; }

 private:
  struct Graphics;

  void open();
  void close();
  void draw(std::span<const Pane> panes);
  std::string set_up_again(const std::string& problem);

  WindowOptions options_;
  GLFWwindow* window_ = nullptr;
  std::unique_ptr<Graphics> graphics_;
  KeyQueue keys_;
  std::string interop_problem_;  // why pictures go through the host; empty if they do not
  bool context_is_lost_ = false;
};

}  // namespace copse::viewer

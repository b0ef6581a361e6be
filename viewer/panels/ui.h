#pragma once

#include "viewer/panels/widgets.h"
#include "viewer/window/display.h"

struct ImGuiContext;

namespace copse::viewer {

/// ImGui for one display: its context, fonts and look. Make it before the display and keep it longer.
class Ui {
 public:
  Ui();
  ~Ui();
  Ui(const Ui&) = delete;
  Ui& operator=(const Ui&) = delete;

  /// Begins a frame at the display's scale times `factor`, 0 for the display's alone.
  void begin_frame(Display& display, float factor);
  /// Ends it: what was drawn can be presented.
  void end_frame();

  /// Text and widgets are so many times as large as on a common display.
  float scale() const { return scale_; }

  /// Where the widgets of this frame stand.
  const WidgetMap& widgets() const { return widgets_; }

 private:
  void set_scale(float scale);

  ImGuiContext* context_;
  WidgetMap widgets_;
  float scale_ = 0;
};

}  // namespace copse::viewer

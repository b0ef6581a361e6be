#pragma once

#include "viewer/model/settings/settings.h"
#include "viewer/panels/widgets.h"
#include "viewer/window/display.h"

struct ImGuiContext;

namespace copse::viewer {

/// ImGui for one display: its context, fonts and style. Create it before the display, and destroy it after.
class Ui {
 public:
  Ui();
  ~Ui();
  Ui(const Ui&) = delete;
  Ui& operator=(const Ui&) = delete;

  /// Begins a frame at scale `factor`; 0: at the display's scale.
  void begin_frame(Display& display, float factor, Theme theme = Theme::dark);
  /// Ends the frame, which can then be presented.
  void end_frame();

  /// The scale of text and widgets; 1 on a common display.
  float scale() const { return scale_; }

  /// The places of the widgets of this frame.
  const WidgetMap& widgets() const { return widgets_; }

 private:
  void set_scale(float scale);
  void set_fonts();

  ImGuiContext* context_;
  WidgetMap widgets_;
  float scale_ = 0;
  Theme theme_ = Theme::dark;
};

}  // namespace copse::viewer

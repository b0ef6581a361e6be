#pragma once

#include "viewer/window/pane.h"

namespace copse::viewer {

/// The places of the parts of the window, in points. A part without room is 0 x 0.
struct WindowLayout {
  Rectangle left, right;  // columns of panels
  Rectangle bottom;       // the timeline, between them
  Rectangle picture;      // the rest
};

/// Lays out a window of this size below a menu bar. If the window is too small, the timeline is left out first,
/// then the right column, whose panels then come below those of the left one. The left column gets narrower before
/// it is left out; it is there from 240 points times the scale on.
WindowLayout lay_out(float width, float height, float menu_height, float ui_scale, bool with_panels);

}  // namespace copse::viewer

#pragma once

#include "viewer/window/pane.h"

namespace copse::viewer {

/// Where the parts of the window stand, in points. A part that has no room is 0 x 0.
struct WindowLayout {
  Rectangle left, right;  // columns of panels
  Rectangle bottom;       // the timeline, between them
  Rectangle picture;      // what is left
};

/// The parts of a window of this size below a menu bar. Where the window is small, the picture comes first: the
/// timeline goes, then the right column, then the left one.
WindowLayout lay_out(float width, float height, float menu_height, float ui_scale, bool with_panels);

}  // namespace copse::viewer

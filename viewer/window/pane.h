#pragma once

#include "viewer/model/inspect/lines.h"
#include "viewer/model/picture/picture.h"

namespace copse::viewer {

/// What is seen between the pictures, and where there is none.
inline constexpr Rgba8 window_background{19, 21, 24, 255};

/// A place in the window, in points from the top left corner.
struct Rectangle {
  float x = 0, y = 0, width = 0, height = 0;

  bool contains(float px, float py) const { return px >= x && py >= y && px < x + width && py < y + height; }
};

/// A picture, stretched over a rectangle of the window, and lines above it. Owns nothing.
struct Pane {
  Rectangle place;
  const Picture* picture = nullptr;
  const Lines* lines = nullptr;  // may be null
  u64 lines_revision = 0;        // changes with the lines
  bool lines_on_top = false;     // false: they are faint where the picture is nearer
};

}  // namespace copse::viewer

#include "viewer/layout.h"

#include <algorithm>

namespace copse::viewer {

namespace {

/// Panels are wide where there is room. In a small window the left column gets narrower, and leaves half of the
/// window to the picture. 0: there is no room at all.
float column_width(float width, float ui_scale) {
  const float wide = 300 * ui_scale, narrow = 200 * ui_scale, min_picture = 160 * ui_scale,
              smallest = 120 * ui_scale;
  if (width >= wide + min_picture) return wide;
  if (width >= narrow + min_picture) return width - min_picture;
  const float half = width / 2;
  return half >= smallest ? half : 0;
}

}  // namespace

WindowLayout lay_out(float width, float height, float menu_height, float ui_scale, bool with_panels) {
  const float min_width = 320 * ui_scale, min_height = 240 * ui_scale;
  const float strip = 132 * ui_scale;
  const float column = column_width(width, ui_scale);
  WindowLayout layout;
  Rectangle& picture = layout.picture;
  picture = {0, menu_height, std::max(width, 0.0f), std::max(height - menu_height, 0.0f)};
  if (!with_panels) return layout;

  if (column > 0) {
    layout.left = {0, menu_height, column, picture.height};
    picture.x += column;
    picture.width -= column;
  }
  if (picture.width >= min_width + column) {
    layout.right = {width - column, menu_height, column, picture.height};
    picture.width -= column;
  }
  if (picture.height >= min_height + strip && picture.width >= min_width) {
    layout.bottom = {picture.x, height - strip, picture.width, strip};
    picture.height -= strip;
  }
  return layout;
}

}  // namespace copse::viewer

#include "viewer/layout.h"

#include <algorithm>

namespace copse::viewer {

WindowLayout lay_out(float width, float height, float menu_height, float ui_scale, bool with_panels) {
  const float min_width = 320 * ui_scale, min_height = 240 * ui_scale;
  const float column = 300 * ui_scale, strip = 132 * ui_scale;
  WindowLayout layout;
  Rectangle& picture = layout.picture;
  picture = {0, menu_height, std::max(width, 0.0f), std::max(height - menu_height, 0.0f)};
  if (!with_panels) return layout;

  if (picture.width >= min_width + column) {
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

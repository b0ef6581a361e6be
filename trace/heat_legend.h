#pragma once

#include "builders/geometry/image.h"

namespace copse::detail {

/// Draws the colour scale of a heat map along the lower edge of the picture: a bar from 0 to `limit` with the
/// numbers at its quarters. Pictures too small for it stay as they are.
void draw_heat_legend(Image& image, u32 limit);

}  // namespace copse::detail

#pragma once

#include "builders/geometry/image.h"

struct ImDrawData;

namespace copse::viewer {

/// Draws what ImGui has drawn over an image, as OpenGL draws it in a window: text and widgets in pictures that are
/// saved, also without a display. The fonts of ImGui's current context are its only texture.
///   data: of ImGui::GetDrawData(); its upper left corner is that of the image
void draw_over(Image& image, const ImDrawData& data);

/// Copies an image into another, with its upper left corner at (x, y). What lies outside is left out.
void paste(Image& image, const Image& pasted, u32 x, u32 y);

}  // namespace copse::viewer

#pragma once

#include <array>
#include <string>

#include "builders/geometry/image.h"
#include "builders/geometry/vector_rn.h"

namespace copse::detail {

/// The scale under a picture: a bar of colours with five labels at its quarters, and a unit after the last label.
/// Labels and unit consist of digits, letters A to Z (small ones are written as capitals), spaces and + - > % .
struct ColourScale {
  vec3 (*colour)(float along);  // of 0 at the left end to 1 at the right end
  std::array<std::string, 5> labels;
  std::string unit;  // may be empty
};

/// Returns the labels of a scale from 0 to `limit`.
///   is_cut: larger values have the colour of the limit too. The last label says so: "96+"
COPSE_API std::array<std::string, 5> quarters_to(u32 limit, bool is_cut);

/// Draws a scale along the lower edge of the picture. Returns the number of pixel rows that it covers. It leaves a
/// picture that is too small as it is, and returns 0.
COPSE_API u32 draw_scale(Image& image, const ColourScale& scale);

}  // namespace copse::detail

#pragma once

#include <span>

#include "builders/geometry/image.h"

namespace copse::viewer {

/// Returns the difference of two heat maps of the same size. A pixel is white if both visit as much; the more A
/// visits the redder, the more B visits the bluer.
///   a, b:  visits in rows, width * height each
///   limit: the difference that has the strongest colour; 0: the largest difference in the picture
/// Throws: Error invalid_argument if the numbers of visits are not width * height.
Image heat_difference(std::span<const u32> a, std::span<const u32> b, u32 width, u32 height, u32 limit = 0);

/// Returns the difference that at least `percent` of the pixels with any difference do not exceed; 1 at least.
///   percent: 0 to 100
/// Throws: Error invalid_argument if a and b differ in size.
u32 difference_limit(std::span<const u32> a, std::span<const u32> b, double percent);

/// Draws the scale of a difference along the lower edge of the picture. Returns the rows of pixels that it covers;
/// 0 for a picture that is too small for it.
///   limit: the difference that has the strongest colour, above 0
u32 draw_difference_scale(Image& image, u32 limit);

}  // namespace copse::viewer

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

}  // namespace copse::viewer

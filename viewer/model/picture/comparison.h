#pragma once

#include <span>

#include "builders/geometry/image.h"

namespace copse::viewer {

/// The difference of two heat maps of the same size, pixel by pixel: white where both visit as much, the redder
/// the more A visits, the bluer the more B does.
///   a, b:  visits in rows, width * height each
///   limit: the difference that is the strongest colour; 0: the largest of the picture
/// Throws: Error invalid_argument for other numbers of visits.
Image heat_difference(std::span<const u32> a, std::span<const u32> b, u32 width, u32 height, u32 limit = 0);

}  // namespace copse::viewer

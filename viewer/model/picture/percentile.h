#pragma once

#include <span>

#include "primitives/core/types.h"

namespace copse::viewer {

/// Returns the smallest value that at least `percent` of the values above 0 do not exceed; 0 if there are none.
/// Values from 65535 on count as 65535.
///   percent: 0 to 100
u32 percentile(std::span<const u32> values, double percent);

}  // namespace copse::viewer

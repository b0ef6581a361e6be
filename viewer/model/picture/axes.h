#pragma once

#include <array>

#include "trace/camera.h"

namespace copse::viewer {

/// One end of the axes of space as a camera sees them from afar: x to the right and y up, at most 1 from the middle.
struct AxisEnd {
  u32 axis = 0;  // 0 x, 1 y, 2 z
  bool negative = false;
  float x = 0, y = 0;
  float towards = 0;  // how far it points towards the eye, -1 to 1
};

/// Returns the six ends of the axes, the one that is farthest away first.
std::array<AxisEnd, 6> axis_ends(const Camera& camera);

}  // namespace copse::viewer

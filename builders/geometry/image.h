#pragma once

#include <vector>

#include "primitives/core/types.h"

namespace copse {

struct Rgba8 {
  u8 r, g, b, a;
};

static_assert(sizeof(Rgba8) == 4);

/// Pixels row by row, from the top left.
struct Image {
  u32 width = 0;
  u32 height = 0;
  std::vector<Rgba8> pixels;  // width * height
};

}  // namespace copse

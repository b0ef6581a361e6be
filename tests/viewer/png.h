#pragma once

#include <filesystem>
#include <vector>

#include "primitives/core/types.h"

namespace copse::test {

/// A PNG's pixels, three bytes each; 0 x 0 where it cannot be read.
struct Png {
  u32 width = 0, height = 0;
  std::vector<u8> bytes;
};

Png read_png(const std::filesystem::path& file);

/// The mean of the differences of their bytes, 0 to 255; 256, and a failure of the test, where their
/// sizes differ or there is none.
double mean_difference(const Png& a, const Png& b);

}  // namespace copse::test

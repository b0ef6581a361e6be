#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "primitives/core/types.h"

namespace copse::test {

/// The pixels of a PNG, three bytes each; 0 x 0 if it cannot be read.
struct Png {
  u32 width = 0, height = 0;
  std::vector<u8> bytes;
};

Png read_png(const std::filesystem::path& file);

/// Returns a picture that is kept beside the tests. With COPSE_KEEP_PICTURES set, the picture `made` replaces it first.
Png kept_picture(const std::string& name, const std::filesystem::path& made);

/// Returns the mean difference of their bytes, 0 to 255. If their sizes differ or one is missing, it is 256, and
/// the test fails.
double mean_difference(const Png& a, const Png& b);

}  // namespace copse::test

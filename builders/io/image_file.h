#pragma once

#include <filesystem>

#include "builders/geometry/image.h"

namespace copse {

/// Writes a PNG, to a temporary file that is renamed when complete.
/// Throws: Error bad_file; Error invalid_argument where the number of pixels is not width * height or 0.
void save_png(const std::filesystem::path& path, const Image& image);

}  // namespace copse

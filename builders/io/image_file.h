#pragma once

#include "builders/geometry/image.h"
#include "builders/io/file_path.h"
#include "primitives/core/macros.h"

namespace copse {

/// Returns how many pixels save_png can write in an image of this height: about 134 million.
COPSE_API u64 max_png_pixels(u32 height);

/// Writes a PNG. The file appears under its name when it is complete.
/// Throws: Error bad_file; Error invalid_argument if the number of pixels is 0, not width * height, or above
/// max_png_pixels; Error out_of_memory.
COPSE_API void save_png(const FilePath& path, const Image& image);

}  // namespace copse
